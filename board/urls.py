"""The dispatcher's addresses."""

from django.urls import include, path

from board import saved_filters, views
from board.alarms import views as alarm_views
from board.audit import views as audit_views
from board.day import engineer_actions
from board.evidence import views as evidence_views
from board.flags import views as flag_views
from board.jobs import actions, line_check_views, notes, review, undo_actions
from board.messages import stop_views
from board.messages import views as message_views
from board.reports import views as report_views

app_name = "board"
urlpatterns = [
    path("", views.day, name="day"),
    path("view/", views.choose_view, name="view"),
    path("open-day/", views.open_day, name="open-day"),
    path("map.json", views.map_json, name="map-json"),
    path("version", views.board_version_json, name="version"),
    path("presence/", views.report_presence, name="presence"),
    path("search", views.search, name="search"),
    path("undo/", undo_actions.undo, name="undo"),
    path("redo/", undo_actions.redo, name="redo"),
    path("search/suggestions", views.search_suggestions, name="search-suggestions"),
    path("messages/", message_views.message_list, name="messages"),
    path("messages/stuck/", message_views.stuck, name="stuck"),
    path("messages/in/<int:pk>/", message_views.inbound_message, name="inbound-message"),
    path("messages/in/<int:pk>/reveal/", message_views.reveal_inbound_message, name="reveal-inbound"),
    path("messages/<uuid:message_id>/", message_views.message, name="message"),
    path("messages/<uuid:message_id>/reveal/", message_views.reveal_message, name="reveal"),
    path("messages/<uuid:message_id>/replay/", message_views.replay, name="replay"),
    path("messages/<uuid:message_id>/stop/", stop_views.stop_message, name="stop-message"),
    path("replays/", message_views.replay_list, name="replays"),
    path("replays/new/", message_views.replay_preview, name="replay-preview"),
    path("replays/<int:pk>/", message_views.replay_progress, name="replay-progress"),
    path("reconcile/", message_views.reconcile, name="reconcile"),
    path("api-docs/", message_views.api_documentation, name="api-docs"),
    path("api-docs/openapi.json", message_views.openapi_file, name="openapi"),
    path("people/", include("board.people.urls")),
    path("audit/", audit_views.audit, name="audit"),
    path("audit/audit.csv", audit_views.audit_file, name="audit-csv"),
    path("check-ins/<int:pk>/<str:action>/", alarm_views.check_in_action, name="check-in"),
    path("alarms/<int:pk>/jobs/", alarm_views.pattern, name="pattern"),
    path("alarms/<int:pk>/jobs/hold/", alarm_views.hold_ahead, name="hold-ahead"),
    path("alarms/<int:pk>/jobs/release/", alarm_views.release_ahead, name="release-ahead"),
    path("jobs/<str:job_id>/messages/stop/", stop_views.stop_job_messages, name="stop-job-messages"),
    path("jobs/<str:job_id>/hold/", actions.hold, name="hold"),
    path("jobs/<str:job_id>/release/", actions.release, name="release"),
    path("alarms/<int:pk>/<str:action>/", alarm_views.alarm_action, name="alarm"),
    path("alarms/engineer/", alarm_views.engineer_by_name, name="engineer-by-name"),
    path("alarms/entries", alarm_views.attention_entries, name="attention-entries"),
    path("alarms/", alarm_views.attention, name="alarms"),
    path("reports/", report_views.reports, name="reports"),
    path("reports/<str:key>.csv", report_views.report_csv, name="report-csv"),
    path("saved-filters/", saved_filters.save, name="save-filter"),
    path("saved-filters/<int:pk>/", saved_filters.change, name="saved-filter"),
    path("day-sheets/", report_views.day_sheets, name="day-sheets"),
    path("plans/", include("board.plans.urls")),
    path("matrix/", include("board.matrix.urls")),
    path("flags/", flag_views.flag_list, name="flags"),
    path("flags/<str:code>/", flag_views.change_flag, name="change-flag"),
    path("bulk/", engineer_actions.change_jobs, name="change-jobs"),
    path("bulk/check", engineer_actions.check_jobs, name="check-jobs"),
    path("engineers/<str:staff_number>/absent/", engineer_actions.mark_absent, name="mark-absent"),
    path(
        "engineers/<str:staff_number>/absent/take-back/",
        engineer_actions.take_back_absence,
        name="take-back-absence",
    ),
    path("engineers/<str:staff_number>/swap/", engineer_actions.swap_days, name="swap-days"),
    path("jobs/<str:job_id>/check", views.check_assignment, name="check"),
    path("jobs/<str:job_id>/", views.job, name="job"),
    path("jobs/<str:job_id>/suggestions.json", views.suggestions, name="suggestions"),
    path("jobs/<str:job_id>/pin/", actions.pin, name="pin"),
    path("jobs/<str:job_id>/notes/", notes.add_note, name="add-note"),
    path("jobs/<str:job_id>/line-check/", line_check_views.check, name="line-check"),
    path("jobs/<str:job_id>/assign/", actions.assign, name="assign"),
    path("jobs/<str:job_id>/second-engineer/", actions.change_second_engineer, name="second-engineer"),
    path("jobs/<str:job_id>/unassign/", actions.unassign, name="unassign"),
    path("jobs/<str:job_id>/locate/", actions.locate, name="locate"),
    path("jobs/<str:job_id>/geocode/", actions.geocode, name="geocode"),
    path("jobs/<str:job_id>/close/", actions.close, name="close"),
    path("jobs/<str:job_id>/evidence-pack/", evidence_views.request_pack, name="request-evidence-pack"),
    path("jobs/<str:job_id>/approve/", review.approve, name="approve"),
    path("jobs/<str:job_id>/send-back/", review.send_back, name="send-back"),
    path("evidence-packs/<uuid:pack_id>/", evidence_views.pack, name="evidence-pack"),
    path(
        "evidence-packs/<uuid:pack_id>/download", evidence_views.download_pack, name="download-evidence-pack"
    ),
]
