"""The addresses of the page of alarm contacts."""

from django.urls import path

from alerting import views

urlpatterns = [
    path("", views.contact_list, name="alarm_contacts"),
    path("new/", views.add_contact, name="alarm_contact_add"),
    path("hours/", views.change_plan, name="alarm_hours"),
    path("kinds/", views.change_urgencies, name="alarm_kinds"),
    path("<int:pk>/", views.change_contact, name="alarm_contact_change"),
    path("<int:pk>/delete/", views.delete_contact, name="alarm_contact_delete"),
    path("<int:pk>/test/", views.send_test, name="alarm_contact_test"),
]
