"""Pages of the console and the buttons on them."""

from django.urls import path

from seller_sandbox.console import actions, views

urlpatterns = [
    path("", views.overview, name="overview"),
    path("clock", views.clock, name="clock"),
    path("messages", views.messages, name="messages"),
    path("jobs/<str:seller_job_id>", views.job, name="job"),
    path("do/send", actions.send, name="send"),
    path("do/clock", actions.move_clock, name="move-clock"),
    path("do/retry", actions.retry_queue, name="retry-queue"),
    path("do/strictness", actions.set_strictness, name="set-strictness"),
    path("do/certificate", actions.change_certificate, name="change-certificate"),
    path("do/jobs/<str:seller_job_id>/odd", actions.send_odd, name="send-odd"),
    path("do/provisioning", actions.set_rule, name="set-rule"),
    path("do/endpoints/<str:name>", actions.switch_endpoint, name="switch-endpoint"),
    path("do/jobs/<str:seller_job_id>/cancel", actions.cancel, name="cancel"),
    path("do/jobs/<str:seller_job_id>/provision", actions.provision, name="provision"),
    path("do/jobs/<str:seller_job_id>/repeat", actions.repeat, name="repeat"),
    path("do/jobs/<str:seller_job_id>/send-again", actions.send_again, name="send-again"),
]
