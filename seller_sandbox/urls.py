"""Addresses of the console; the endpoints for partners are other processes (serve_endpoint)."""

from django.urls import include, path, re_path

from seller_sandbox.console import api
from seller_sandbox.console.lines import line_api
from seller_sandbox.console.network import network_api
from seller_sandbox.console.orders import order_api
from seller_sandbox.console.tickets import ticket_api

urlpatterns = [
    path("healthz", api.healthz),
    path("api/jobs", api.jobs),
    path("api/jobs/<str:seller_job_id>", api.job),
    path("api/jobs/<str:seller_job_id>/cancel", api.cancel),
    path("api/jobs/<str:seller_job_id>/provision", api.provision),
    path("api/jobs/<str:seller_job_id>/repeat", api.repeat),
    path("api/jobs/<str:seller_job_id>/send-again", api.send_again),
    path("api/clock", api.sandbox_clock),
    path("api/endpoints/<str:name>", api.endpoint),
    path("api/provisioning-rule", api.provisioning_rule),
    path("api/jobs/<str:seller_job_id>/odd", api.send_odd),
    path("api/odd", api.odd_cases),
    path("api/checking", api.checking),
    path("api/certificate", api.certificate),
    path("api/queue/retry", api.retry_queue),
    path("api/message-log", api.message_log_entries),
    path("api/summary", api.summary),
    path("api/orders", order_api.orders),
    path("api/orders/<str:reference>", order_api.order),
    path("api/orders/<str:reference>/<str:action>", order_api.act),
    path("api/notifications", order_api.notifications),
    path("api/tickets", ticket_api.tickets),
    path("api/tickets/<str:reference>", ticket_api.ticket),
    path("api/tickets/<str:reference>/<str:action>", ticket_api.act),
    path("api/ticket-notifications", ticket_api.notifications),
    path("api/ticket-switch", ticket_api.switch),
    path("api/network/<str:uprn>", network_api.premises),
    path("api/network/<str:uprn>/release", network_api.move_release),
    path("api/network/<str:uprn>/capacity", network_api.capacity),
    path("api/network/<str:uprn>/ont", network_api.install_ont),
    path("api/network/<str:uprn>/remove-ont", network_api.remove_ont),
    path("api/lines", line_api.faulty_lines),
    path("api/lines/<str:reference>", line_api.line),
    path("api/lines/<str:reference>/<str:action>", line_api.act),
    path("api/buyers/<str:identifier>", network_api.buyer),
    path("api/buyers/<str:identifier>/projects", network_api.agree_project),
    re_path(r"^api(?:/|$)", api.unknown_path),
    path("", include("seller_sandbox.console.urls")),
]
