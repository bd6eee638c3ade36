"""Pages of the console and the buttons on them."""

from django.urls import path

from seller_sandbox.console import actions, views
from seller_sandbox.console.lines import line_views
from seller_sandbox.console.network import network_buttons, network_views
from seller_sandbox.console.orders import order_actions, order_views
from seller_sandbox.console.tickets import ticket_views

urlpatterns = [
    path("", views.overview, name="overview"),
    path("orders", order_views.orders, name="orders"),
    path("orders/new", order_views.new_order, name="new-order"),
    path("orders/<str:reference>", order_views.order, name="order"),
    path("tickets", ticket_views.tickets, name="tickets"),
    path("tickets/<str:reference>", ticket_views.ticket, name="ticket"),
    path("do/tickets/switch", ticket_views.set_switch, name="ticket-switch"),
    path("do/tickets/<str:ticket>/<str:action>", ticket_views.act, name="ticket-act"),
    path("network", network_views.network, name="network"),
    path("network/cabinets", network_views.cabinets, name="cabinets"),
    path("network/buyers", network_views.buyers, name="buyers"),
    path("network/lines", line_views.lines, name="lines"),
    path("network/<str:uprn>/line", line_views.line, name="line"),
    path("network/<str:uprn>", network_views.location, name="location"),
    path("clock", views.clock, name="clock"),
    path("messages", views.messages, name="messages"),
    path("jobs/<str:seller_job_id>", views.job, name="job"),
    path("do/orders", order_views.place_order, name="place-order"),
    path("do/orders/<str:reference>/<str:action>", order_actions.act, name="act"),
    path("do/premises/<str:uprn>/release", order_actions.move_release, name="move-release"),
    path("do/premises/<str:uprn>/switch", order_actions.switch_provider, name="switch-provider"),
    path("do/premises/<str:uprn>/capacity", network_buttons.set_capacity, name="set-capacity"),
    path("do/premises/<str:uprn>/ont", network_buttons.install_ont, name="install-ont"),
    path("do/premises/<str:uprn>/remove-ont", network_buttons.remove_ont, name="remove-ont"),
    path("do/buyers/<str:buyer>/project", network_buttons.agree_project, name="agree-project"),
    path("do/lines/<str:line_uprn>/<str:action>", line_views.switch_line, name="switch-line"),
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
