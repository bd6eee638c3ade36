"""The addresses of the page of alarm contacts."""

from django.urls import path

from alerting import views

urlpatterns = [
    path("", views.contact_list, name="alarm-contacts"),
    path("new/", views.add_contact, name="alarm-contact-add"),
    path("hours/", views.change_plan, name="alarm-hours"),
    path("kinds/", views.change_urgencies, name="alarm-kinds"),
    path("<int:pk>/", views.change_contact, name="alarm-contact-change"),
    path("<int:pk>/delete/", views.delete_contact, name="alarm-contact-delete"),
    path("<int:pk>/test/", views.send_test, name="alarm-contact-test"),
]
