"""The office page about the state of the installation."""

from django.http import HttpRequest, HttpResponse

from board.base_context import render_page
from engineers.permissions import for_office
from engineers.throttling import RateLimit, rate_limited
from operations.status_page import status_page


@for_office
@rate_limited(RateLimit("status", 60))
def status(request: HttpRequest) -> HttpResponse:
    """Link, phones, processes, disk, certificates and backups."""
    return render_page(request, "operations/status.html", status_page())
