"""The control interface for tickets: every action of the operator is one request."""

from typing import Any

from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from seller_sandbox.console import control_requests
from seller_sandbox.console.api import control
from seller_sandbox.console.control_views import page_of, report_made
from seller_sandbox.console.tickets import ticket_control_requests, ticket_reports
from seller_sandbox.console.tickets.ticket_control_requests import TICKET_ACTIONS
from seller_sandbox.faults import operator_actions
from seller_sandbox.faults.models import FaultReport, TicketSwitch
from seller_sandbox.messages.models import OutboundMessage, ThreadKind


@control
@require_GET
def tickets(request: HttpRequest) -> HttpResponse:
    """Tickets, oldest first; ask again with `after`, the last id, while `more` is true."""
    search = ticket_control_requests.read_search(request.GET.dict())
    found, more = page_of(_search(search).filter(pk__gt=search["after"]), search["limit"])
    rows = [{"id": report.pk, **ticket_reports.report_ticket(report)} for report in found]
    return JsonResponse({"tickets": rows, "more": more})


@control
@require_GET
def ticket(_: HttpRequest, reference: str) -> HttpResponse:
    return JsonResponse(ticket_reports.report_ticket_in_full(_ticket(reference)))


@control
@require_POST
def act(request: HttpRequest, reference: str, action: str) -> HttpResponse:
    """One action of the operator; the answer is the ticket as it is then, and what the action made."""
    if action not in TICKET_ACTIONS:
        raise Http404(f"actions are {', '.join(TICKET_ACTIONS)}")
    _ticket(reference)
    made = TICKET_ACTIONS[action].run(reference, control_requests.read_json(request.body))
    report = ticket_reports.report_ticket_in_full(_ticket(reference))
    return JsonResponse({**report_made(made), "ticket": report})


@control
@require_GET
def notifications(request: HttpRequest) -> HttpResponse:
    """Notifications of all tickets, in the order in which they were written; `since` is the last id seen."""
    search = ticket_control_requests.read_notification_search(request.GET.dict())
    found = OutboundMessage.objects.filter(thread__kind=ThreadKind.TICKET, pk__gt=search["since"])
    if "buyer" in search:
        found = found.filter(thread__recipient=search["buyer"])
    if "ticket" in search:
        found = found.filter(thread__reference=search["ticket"])
    rows, more = page_of(found, search["limit"])
    return JsonResponse({"notifications": ticket_reports.report_ticket_notifications(rows), "more": more})


@control
@require_http_methods(["GET", "POST"])
def switch(request: HttpRequest) -> HttpResponse:
    """Whether addFaultReport answers Rejected at once; POST sets it."""
    if request.method == "POST":
        wanted = ticket_control_requests.read_switch(control_requests.read_json(request.body))
        operator_actions.set_rejects_at_once(rejects=wanted)
    return JsonResponse({"rejects_at_once": TicketSwitch.objects.filter(rejects_at_once=True).exists()})


def _search(search: dict[str, Any]) -> models.QuerySet[FaultReport]:
    """`reference` is ours or the buyer's."""
    found = FaultReport.objects.select_related("buyer", "appointment", "thread").order_by("pk")
    by = {"buyer": "buyer__identifier", "service": "service_affected", "state": "state"}
    found = found.filter(**{by[name]: search[name] for name in by.keys() & search.keys()})
    if "reference" in search:
        text = search["reference"]
        found = found.filter(models.Q(maintainer_fault_reference=text) | models.Q(buyer_fault_reference=text))
    return found


def _ticket(reference: str) -> FaultReport:
    related = FaultReport.objects.select_related("buyer", "appointment", "thread")
    found = related.filter(maintainer_fault_reference=reference).first()
    if found is None:
        raise Http404(f"There is no ticket {reference}. Give a maintainerFaultReference.")
    return found
