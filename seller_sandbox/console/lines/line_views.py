"""Pages of lines, and the buttons on them."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from seller_sandbox.console.actions import read_form
from seller_sandbox.console.buttons import button
from seller_sandbox.console.lines.line_control_requests import LINE_ACTIONS
from seller_sandbox.console.lines.line_pages import make_line_list, make_line_page
from seller_sandbox.console.lines.line_reports import find_premises

FIELDS = ("node", "percent", "starts", "ends")


@require_GET
def lines(request: HttpRequest) -> HttpResponse:
    q = request.GET.get("q", "").strip()
    found = find_premises(q) if q else None
    if found:
        return redirect("line", found.uprn)
    return render(request, "sandbox/lines.html", {"page": make_line_list(q), "here": "network"})


@require_GET
def line(request: HttpRequest, uprn: str) -> HttpResponse:
    found = find_premises(uprn)
    if found is None:
        raise Http404
    return render(request, "sandbox/line.html", {"page": make_line_page(found), "here": "network"})


@button
def switch_line(request: HttpRequest, line_uprn: str, action: str) -> str:
    """One fault or its end."""
    premises = find_premises(line_uprn)
    if premises is None or action not in LINE_ACTIONS:
        raise Http404
    LINE_ACTIONS[action].run(premises, _members(request))
    return LINE_ACTIONS[action].done


def _members(request: HttpRequest) -> dict[str, Any]:
    """The filled fields; the status of a port may be blank."""
    members = read_form(request, *FIELDS)
    if "status" in request.POST:
        members["status"] = request.POST["status"]
    if "can_be_tested" in request.POST:
        members["can_be_tested"] = request.POST["can_be_tested"] == "yes"
    return members
