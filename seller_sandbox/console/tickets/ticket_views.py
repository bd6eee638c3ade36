"""Pages and buttons of tickets."""

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from seller_sandbox.console.buttons import button
from seller_sandbox.console.tickets import ticket_forms
from seller_sandbox.console.tickets.ticket_control_requests import TICKET_ACTIONS
from seller_sandbox.console.tickets.ticket_pages import (
    FILTERS,
    find_ticket,
    make_ticket_list,
    make_ticket_page,
)
from seller_sandbox.faults import operator_actions


@require_GET
def tickets(request: HttpRequest) -> HttpResponse:
    filters = {name: request.GET.get(name, "").strip() for name in FILTERS}
    query = urlencode({name: value for name, value in filters.items() if value})
    page = make_ticket_list(filters, page=request.GET.get("page", "1"), query=query)
    return render(request, "sandbox/tickets.html", {"page": page, "here": "tickets"})


@require_GET
def ticket(request: HttpRequest, reference: str) -> HttpResponse:
    found = find_ticket(reference)
    if found is None:
        raise Http404
    return render(request, "sandbox/ticket.html", {"page": make_ticket_page(found), "here": "tickets"})


@button
def act(request: HttpRequest, ticket: str, action: str) -> str:
    """One action of the operator on one ticket."""
    if action not in TICKET_ACTIONS or find_ticket(ticket) is None:
        raise Http404
    wanted = TICKET_ACTIONS[action]
    wanted.run(ticket, ticket_forms.read_fields(request.POST, wanted))
    return f"Done: {wanted.label.lower()}."


@button
def set_switch(request: HttpRequest) -> str:
    """Whether addFaultReport answers Rejected at once."""
    rejects = request.POST.get("rejects_at_once") == "yes"
    operator_actions.set_rejects_at_once(rejects=rejects)
    return (
        "Wrong fault reports are rejected at once." if rejects else "Fault reports are answered with Pending."
    )
