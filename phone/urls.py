"""The engineer's addresses."""

from django.urls import path

from phone import api, location_api, photo_api, pwa

app_name = "phone"
urlpatterns = [
    # what the application asks and sends
    path("day.json", api.DayView.as_view(), name="day-json"),
    path("jobs/<str:job_id>/version.json", api.JobVersionView.as_view(), name="job-version"),
    path("jobs/<str:job_id>/line-check", api.LineCheckView.as_view(), name="line-check"),
    path("sync", api.SyncView.as_view(), name="sync"),
    path("photos/<uuid:photo_id>", photo_api.PhotoView.as_view(), name="photo"),
    path("photos/<uuid:photo_id>/address", photo_api.UploadAddressView.as_view(), name="photo-address"),
    path("photos/<uuid:photo_id>/put", photo_api.ConfirmUploadView.as_view(), name="photo-put"),
    path("scan-photo", photo_api.LabelView.as_view(), name="scan-photo"),
    path("push", api.PushView.as_view(), name="push"),
    path("positions.json", location_api.PositionsView.as_view(), name="positions-kept"),
    # the files of the application
    path("sw.js", pwa.worker, name="worker"),
    path("reader.js", pwa.reader, name="reader"),
    path("words.js", pwa.messages, name="words"),
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
    path("jobs/<str:job_id>/<path:step>/", pwa.page, name="job-step"),
]
