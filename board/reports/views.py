"""Looking back, and day sheets, for the office."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from board.base_context import render_page
from board.form_inputs import selected_day
from board.models import FilterPage
from board.reports.day_sheets import day_sheets_page
from board.reports.report_filter import format_days, report_form
from board.reports.report_presenter import report_page, report_table, table_as_csv
from board.saved_filters import clean_query
from board.spreadsheets import download
from engineers.audit import SHEETS_VIEWED, record_look
from engineers.permissions import for_office, user_of
from engineers.throttling import RateLimit, rate_limited


@for_office
@rate_limited(RateLimit("reports", 60))
def reports(request: HttpRequest) -> HttpResponse:
    """The filter is in the address."""
    page = report_page(request, report_form(request.GET))
    return render_page(request, "board/reports/reports.html", page, section="reports")


@for_office
@rate_limited(RateLimit("reports", 60))
def report_csv(request: HttpRequest, key: str) -> HttpResponse:
    """One table of the same report; back to its page where the filter has errors."""
    form = report_form(request.GET)
    if not form.is_valid():
        return redirect(
            f"{reverse('board:reports')}?{clean_query(FilterPage.REPORTS, request.GET.urlencode())}"
        )
    table = report_table(form, key)
    if table is None:
        raise Http404
    name = f"{table.key}_{format_days(form.cleaned_data['first'], form.cleaned_data['last'])}.csv"
    return download(table_as_csv(table), name=name)


@for_office
@rate_limited(RateLimit("day_sheets", 60))
def day_sheets(request: HttpRequest) -> HttpResponse:
    """`?day=`, today by default; `?engineer=` a staff number, everybody by default."""
    page = day_sheets_page(selected_day(request), staff_number=request.GET.get("engineer", ""))
    if page.sheets:
        record_look(user_of(request), SHEETS_VIEWED, page.day.isoformat())
    return render_page(request, "board/reports/day_sheets.html", page, section="reports")
