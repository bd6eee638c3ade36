"""The addresses of the office's page of messages to customers."""

from django.urls import path

from customer_messages import office_views

urlpatterns = [
    path("", office_views.customer_messages, name="customer-messages"),
    path("<int:pk>/resend/", office_views.resend_message, name="customer-message-resend"),
]
