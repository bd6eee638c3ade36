"""The engineer's addresses."""

from django.urls import path

from engineers.phone import interface, pushing, saying, scanning, shell, views, whereabouts

app_name = "phone"
urlpatterns = [
    path("", views.day, name="day"),
    path("day.json", interface.day, name="day_json"),
    path("shell/", shell.shell, name="shell"),
    # pages that only the application has
    path("queue/", shell.shell, name="queue"),
    path("me/", shell.shell, name="me"),
    path("me/leave/", shell.shell, name="leave"),
    path("me/positions/", shell.shell, name="positions"),
    path("sw.js", shell.worker, name="worker"),
    path("reader.js", shell.reader, name="reader"),
    path("words.js", shell.words, name="words"),
    path("vendors.json", shell.vendors, name="vendors"),
    path("scan-photo", scanning.scan_photo, name="scan_photo"),
    path("app.webmanifest", shell.manifest, name="manifest"),
    path("push", pushing.push, name="push"),
    path("positions.json", whereabouts.positions_kept, name="positions_kept"),
    path("sync", interface.take_batch, name="sync"),
    path("photos/<uuid:photo_id>", interface.photo, name="photo"),
    path("photos/<uuid:photo_id>/address", interface.photo_address, name="photo_address"),
    path("photos/<uuid:photo_id>/put", interface.photo_put, name="photo_put"),
    path("jobs/<str:job_id>/", views.job, name="job"),
    path("jobs/<str:job_id>/next/", views.next_page, name="next"),
    path("jobs/<str:job_id>/travel/", views.travel, name="travel"),
    path("jobs/<str:job_id>/arrive/", views.arrive, name="arrive"),
    path("jobs/<str:job_id>/question/<str:code>/", views.question, name="question"),
    path("jobs/<str:job_id>/scan/", views.scan, name="scan"),
    path("jobs/<str:job_id>/provisioning/", views.provisioning, name="provisioning"),
    path("jobs/<str:job_id>/review/", views.review, name="review"),
    path("jobs/<str:job_id>/cant-complete/", views.cant_complete, name="cant_complete"),
    path("jobs/<str:job_id>/close/", views.close, name="close"),
    path("jobs/<str:job_id>/hand-over/", views.hand_over, name="hand_over"),
    path("jobs/<str:job_id>/say/<str:kind>/", saying.say, name="say"),
    path("jobs/<str:job_id>/photo/<str:code>/", saying.photo_form, name="photo_form"),
    path("jobs/<str:job_id>/pulse.json", interface.pulse, name="pulse"),
    path("jobs/<str:job_id>/ont-check.json", interface.ont_check, name="ont_check"),
]
