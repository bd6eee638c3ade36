"""The dispatcher's addresses."""

from django.urls import path

from dispatch.board import actions, views

app_name = "board"
urlpatterns = [
    path("", views.day, name="day"),
    path("pulse", views.pulse, name="pulse"),
    path("search", views.search, name="search"),
    path("undo/", actions.undo_last, name="undo"),
    path("messages/", views.trouble, name="messages"),
    path("messages/<uuid:message_id>/replay/", actions.replay, name="replay"),
    path("jobs/<str:job_id>/", views.job, name="job"),
    path("jobs/<str:job_id>/offers.json", views.offers, name="offers"),
    path("jobs/<str:job_id>/assign/", actions.assign, name="assign"),
    path("jobs/<str:job_id>/unassign/", actions.unassign, name="unassign"),
    path("jobs/<str:job_id>/locate/", actions.locate, name="locate"),
    path("jobs/<str:job_id>/find-place/", actions.find_place, name="find-place"),
    path("jobs/<str:job_id>/close/", actions.close, name="close"),
]
