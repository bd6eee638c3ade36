"""Capacity ahead: two weeks on a page and as a file."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from board.base_context import render_page
from board.plans.capacity_presenter import capacity_csv, capacity_page
from board.selected_days import selected_day
from board.spreadsheets import download
from engineers.permissions import for_office
from engineers.throttling import RateLimit, rate_limited

TWO_WEEKS_INSTEAD = gettext_lazy("Showing the next two weeks instead.")
CAPACITY_LIMIT = RateLimit("capacity", 60)


@for_office
@require_GET
@rate_limited(CAPACITY_LIMIT)
def capacity(request: HttpRequest) -> HttpResponse:
    """Two weeks from `?day=` on, tomorrow at the earliest."""
    page = capacity_page(selected_day(request, instead=TWO_WEEKS_INSTEAD))
    return render_page(request, "board/plans/capacity.html", page, section="board")


@for_office
@require_GET
@rate_limited(CAPACITY_LIMIT)
def capacity_file(request: HttpRequest) -> HttpResponse:
    """The same figures as CSV."""
    name, content = capacity_csv(selected_day(request, instead=TWO_WEEKS_INSTEAD))
    return download(content, name=name)
