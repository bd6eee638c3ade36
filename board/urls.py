"""The dispatcher's addresses."""

from django.urls import path

from board import views
from board.alarms import check_in_alarms
from board.jobs import actions
from board.messages import views as message_views

app_name = "board"
urlpatterns = [
    path("", views.day, name="day"),
    path("version", views.board_version_json, name="version"),
    path("search", views.search, name="search"),
    path("undo/", actions.undo_last, name="undo"),
    path("messages/", message_views.message_list, name="messages"),
    path("messages/stuck/", message_views.stuck, name="stuck"),
    path("messages/in/<int:pk>/", message_views.inbound_message, name="inbound-message"),
    path("messages/in/<int:pk>/reveal/", message_views.reveal_inbound_message, name="reveal-inbound"),
    path("messages/<uuid:message_id>/", message_views.message, name="message"),
    path("messages/<uuid:message_id>/reveal/", message_views.reveal_message, name="reveal"),
    path("messages/<uuid:message_id>/replay/", message_views.replay, name="replay"),
    path("replays/", message_views.replay_list, name="replays"),
    path("replays/new/", message_views.replay_preview, name="replay-preview"),
    path("replays/<int:pk>/", message_views.replay_progress, name="replay-progress"),
    path("reconcile/", message_views.reconcile, name="reconcile"),
    path("api-docs/", message_views.api_documentation, name="api-docs"),
    path("api-docs/openapi.json", message_views.openapi_file, name="openapi"),
    path("check-ins/<int:pk>/<str:action>/", check_in_alarms.check_in_action, name="check-in"),
    path("alarms/", message_views.alarms, name="alarms"),
    path("jobs/<str:job_id>/", views.job, name="job"),
    path("jobs/<str:job_id>/suggestions.json", views.suggestions, name="suggestions"),
    path("jobs/<str:job_id>/assign/", actions.assign, name="assign"),
    path("jobs/<str:job_id>/unassign/", actions.unassign, name="unassign"),
    path("jobs/<str:job_id>/locate/", actions.locate, name="locate"),
    path("jobs/<str:job_id>/geocode/", actions.geocode, name="geocode"),
    path("jobs/<str:job_id>/close/", actions.close, name="close"),
]
