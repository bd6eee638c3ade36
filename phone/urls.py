"""The engineer's addresses."""

from django.urls import path

from phone import api, label_api, location_api, pwa

app_name = "phone"
urlpatterns = [
    # what the application asks and sends
    path("day.json", api.day, name="day_json"),
    path("jobs/<str:job_id>/pulse.json", api.pulse, name="pulse"),
    path("sync", api.sync_batch, name="sync"),
    path("photos/<uuid:photo_id>", api.photo, name="photo"),
    path("photos/<uuid:photo_id>/address", api.photo_address, name="photo_address"),
    path("photos/<uuid:photo_id>/put", api.photo_put, name="photo_put"),
    path("scan-photo", label_api.scan_photo, name="scan_photo"),
    path("push", api.push, name="push"),
    path("positions.json", location_api.stored_positions, name="positions_kept"),
    # the files of the application
    path("sw.js", pwa.worker, name="worker"),
    path("reader.js", pwa.reader, name="reader"),
    path("words.js", pwa.words, name="words"),
    path("vendors.json", pwa.vendors, name="vendors"),
    path("app.webmanifest", pwa.manifest, name="manifest"),
    # its pages: the application knows which one an address shows (static/js/phone/app/screens/routes.js)
    path("shell/", pwa.shell, name="shell"),
    path("queue/", pwa.shell, name="queue"),
    path("me/", pwa.shell, name="me"),
    path("me/leave/", pwa.shell, name="leave"),
    path("me/positions/", pwa.shell, name="positions"),
    path("", pwa.page, name="day"),
    path("jobs/<str:job_id>/", pwa.page, name="job"),
    path("jobs/<str:job_id>/<path:step>/", pwa.page, name="job_step"),
]
