"""Evidence by its signed link."""

from django.urls import path

from closures import views

urlpatterns = [
    path("<str:token>", views.photo, name="evidence"),
    path("<str:token>/small", views.thumbnail, name="evidence-small"),
]
