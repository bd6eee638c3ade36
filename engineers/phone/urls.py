"""The engineer's addresses."""

from django.urls import path

from engineers.phone import interface, saying, views

app_name = "phone"
urlpatterns = [
    path("", views.day, name="day"),
    path("day.json", interface.day, name="day_json"),
    path("sync", interface.take_batch, name="sync"),
    path("photos/<uuid:photo_id>", interface.photo, name="photo"),
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
    path("jobs/<str:job_id>/say/<str:kind>/", saying.say, name="say"),
    path("jobs/<str:job_id>/photo/<str:code>/", saying.photo_form, name="photo_form"),
    path("jobs/<str:job_id>/pulse.json", interface.pulse, name="pulse"),
    path("jobs/<str:job_id>/ont-check.json", interface.ont_check, name="ont_check"),
]
