"""Reports of a period: it goes on with the calendar, also in a saved filter."""

from datetime import date

import pytest
import time_machine
from django.test import Client

from board.models import SavedFilter
from board.reports.report_filter import days_of_period
from board.reports.report_presenter import ReportPage
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
PATH = "/board/reports/"


def report(client: Client, query: str) -> ReportPage:
    page: ReportPage = client.get(f"{PATH}?{query}").context["page"]
    return page


def days_of(page: ReportPage) -> list[str]:
    return [page.form.cleaned_data[name].isoformat() for name in ("first", "last")]


@pytest.mark.parametrize(
    ("period", "days"),
    [
        ("today", ("2026-12-31", "2026-12-31")),
        ("this_week", ("2026-12-28", "2027-01-03")),
        ("last_7_days", ("2026-12-25", "2026-12-31")),
        ("last_30_days", ("2026-12-02", "2026-12-31")),
        ("this_month", ("2026-12-01", "2026-12-31")),
        ("last_month", ("2026-11-01", "2026-11-30")),
    ],
)
def test_days_of_each_period(period: str, days: tuple[str, str]) -> None:
    first, last = days_of_period(period, date(2026, 12, 31))

    assert (first.isoformat(), last.isoformat()) == days


def test_saved_period_goes_on_with_the_calendar() -> None:
    dana = make.dispatcher()
    query = "period=this_month&first=2026-11-01&last=2026-11-30&by=engineer"
    with time_machine.travel(make.at("12:00")):
        client = client_of(dana)
        page = report(client, query)
        sent = {"page": "reports", "name": "Leeds", "query": page.filter_query, "next": PATH}
        client.post("/board/saved-filters/", sent)
    assert (days_of(page), page.filter_query) == (
        ["2026-11-01", "2026-11-30"],
        "period=this_month&by=engineer",
    )

    with time_machine.travel(make.at("12:00", day=date(2027, 2, 3))):
        later = report(client_of(dana), SavedFilter.objects.get().query)

    assert days_of(later) == ["2027-02-01", "2027-02-28"]


def test_chosen_days_stay_and_those_of_a_period_are_not_typed() -> None:
    client = client_of(make.dispatcher())
    days = "first=2026-11-01&last=2026-11-08"

    chosen, period = report(client, f"period=&{days}"), report(client, f"period=last_month&{days}")

    assert (days_of(chosen), chosen.filter_query) == (["2026-11-01", "2026-11-08"], days)
    assert ["readonly" in str(page.form["first"]) for page in (chosen, period)] == [False, True]


def test_period_that_is_none_is_named() -> None:
    page = report(client_of(make.dispatcher()), "period=for_ever")

    assert "period" in page.form.errors
