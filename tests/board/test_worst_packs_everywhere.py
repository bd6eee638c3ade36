"""The pages beside the board, plans, feeds and packs of evidence: they open with every job pack that the server takes,
and with stored windows of year 1 and 9999.
"""

import io
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from board.evidence.pack_archive import write_archive
from board.evidence.pack_document import write_document
from config.storage import evidence_storage
from dispatch.models import Job
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.problem.problem_reader import read_problem
from engineers import calendar_feeds
from engineers.models import Engineer, Role
from engineers.shifts import TimeSpan
from tests import make
from tests.board.office import signed_in
from tests.board.test_worst_packs import TODAY, broken, jobs_of, open_phone, opens, with_engineer
from tests.phone.phone import Phone
from tests.rolled_back import rolled_back
from tests.seller_link.inbox import say_all
from tests.seller_link.legal_packs import FIRST, LAST, Body, packs

__all__ = ["broken"]
pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}")}
    yield tmp_path


@pytest.fixture
def supervisor() -> Client:
    client = Client()
    client.force_login(make.dispatcher(username="ruth", role=Role.SUPERVISOR))
    client.get("/board/version")
    return client


def pages(job: Job, engineer: Engineer) -> Iterator[str]:
    day = TODAY.isoformat()
    yield from (f"/board/map.json?day={day}", f"/board/day-sheets/?day={day}")
    yield from ("/board/alarms/", "/board/alarms/entries", "/board/reports/", "/board/status/")
    yield from ("/board/plans/", "/board/plans/capacity/", "/board/plans/capacity/capacity.csv")
    yield from (
        f"/board/?engineer={engineer.staff_number}",
        "/board/people/",
        f"/board/people/{engineer.pk}/",
    )
    yield f"/board/search/suggestions?q={quote(str(job.address_lines)[:20])}"
    starts_at = quote(make.at("11:00", day=TODAY).isoformat())
    yield f"/board/jobs/{job}/check?engineer={engineer.staff_number}&starts_at={starts_at}"


def open_week(client: Client) -> None:
    client.post("/board/view/", {"span": "week"})
    assert "Enter opens the day." in opens(client, f"/board/?day={TODAY}")
    client.post("/board/view/", {"span": "day"})


def open_pages(client: Client, job: Job, engineer: Engineer) -> None:
    for path in pages(job, engineer):
        opens(client, path)
    open_week(client)


def read_elsewhere(job: Job, engineer: Engineer) -> None:
    """What is made of a job beside pages: calendar, problem of a plan, archive of evidence."""
    secret = calendar_feeds.issue(engineer=engineer, by=make.office().user)
    assert "BEGIN:VCALENDAR" in opens(Client(), f"/calendar/{secret}.ics")
    two_weeks = TimeSpan(make.at("00:00", day=TODAY), make.at("00:00", day=TODAY) + timedelta(days=14))
    assert read_problem(PlanScope(two_weeks), now=timezone.now()) is not None
    archive = io.BytesIO()
    write_archive(job, archive)
    assert archive.getvalue().startswith(b"PK")


# many pages, beside other work
@pytest.mark.timeout(900)
@hypothesis_settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(legal=st.tuples(packs(), packs()))
def test_every_pack_opens_on_the_other_pages(supervisor: Client, legal: tuple[Body, Body]) -> None:
    cache.clear()
    with rolled_back():
        engineer = make.engineer()
        first, second = jobs_of(say_all("createJob", [*legal]))
        with_engineer(first, engineer, make.at("09:00", day=TODAY))

        open_pages(supervisor, second, engineer)
        for job in (first, second):
            read_elsewhere(job, engineer)


def test_job_that_cannot_be_shown_breaks_none_of_the_other_pages(supervisor: Client, broken: Job) -> None:
    open_pages(supervisor, broken, broken.visits.get().engineer)


@pytest.mark.parametrize(
    ("start", "end"),
    [(FIRST, FIRST + HOUR), (FIRST, LAST), (LAST - HOUR, LAST)],
    ids=["year 1", "all years", "year 9999"],
)
@pytest.mark.parametrize("is_assigned", [True, False])
def test_stored_window_at_the_ends_of_the_calendar_opens_everywhere(
    supervisor: Client, start: datetime, end: datetime, *, is_assigned: bool
) -> None:
    """As an earlier version took them: the server refuses them since."""
    phone, job = Phone(make.engineer()), make.job(day=TODAY)
    Job.objects.filter(pk=job.pk).update(window_start=start, window_end=end)
    if is_assigned:
        with_engineer(job, phone.engineer, make.at("09:00", day=TODAY))
    job.refresh_from_db()

    open_pages(supervisor, job, phone.engineer)
    for path in ("/board/", f"/board/?job={job}", f"/board/jobs/{job}/", f"/board/search?q={job}"):
        opens(supervisor, path)
    opens(signed_in(), f"/board/jobs/{job}/suggestions.json")
    read_elsewhere(job, phone.engineer)
    document = io.BytesIO()
    write_document(job, document)
    assert document.getvalue().startswith(b"%PDF")
    if is_assigned:
        open_phone(phone, job)
