"""The office's page about the state of the system."""

from django.urls import path

from operations import status_views

urlpatterns = [path("board/status/", status_views.status, name="status")]
