"""The line of a job on the board: checked on demand, in colours and words, and a reason where there is no result."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone, translation
from pytest_django import Settings

from board.board_version import read_version
from board.jobs.job_presenter import build_job_page
from board.jobs.line_presenter import build_line_view
from dispatch.job_events import SYSTEM
from dispatch.line_checks import LineReading, newest_line_check, record_line_check
from dispatch.models import Job, LineCheck
from dispatch.states import JobState, JobType
from tests import make
from tests.board.office import signed_in
from tests.servers import line_tester, seller

pytestmark = pytest.mark.django_db


@pytest.fixture
def on(settings: Settings, endpoint: seller.Endpoint) -> Iterator[seller.Endpoint]:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, is_on=True, seconds=1.5)
    endpoint.behaviours = [line_tester.answered(**line_tester.WORKING)]
    yield endpoint


def job_with_service(*, at_state: JobState = JobState.ON_SITE, **fields: object) -> Job:
    job = make.job(at_state=at_state, **fields)
    Job.objects.filter(pk=job.pk).update(service_identifier="FBR100000001")
    job.refresh_from_db()
    return job


def page(job: Job, *, client: Client | None = None) -> str:
    return (client or signed_in()).get(f"/board/jobs/{job}/").content.decode()


def press(job: Job, *, accept: str = "text/html", **fields: str) -> object:
    return signed_in().post(f"/board/jobs/{job}/line-check/", fields, headers={"Accept": accept}, follow=True)


def test_dispatcher_checks_the_line_and_sees_the_result(on: seller.Endpoint) -> None:
    job = job_with_service()

    html = press(job).content.decode()  # type: ignore[attr-defined]

    assert "Line up" in html
    assert "ENNI" in html
    assert "Orange: busy" in html
    assert "AOK001" in html
    assert "Check the line again" in html
    check = newest_line_check(job)
    assert check is not None
    assert check.by is not None


def test_check_stands_in_the_history_and_refreshes_open_boards(on: seller.Endpoint) -> None:
    job = job_with_service()
    before = read_version()

    press(job)

    assert read_version().last_event > before.last_event
    html = signed_in().get(f"/board/jobs/{job}/").content.decode()
    assert "Line checked" in html
    assert "Line up (AOK001)" in html


def test_panel_of_the_board_has_the_button_and_comes_back_to_it(on: seller.Endpoint) -> None:
    job = job_with_service()
    board = f"/board/?day={make.DAY}&job={job}"
    assert "Check the line" in signed_in().get(board).content.decode()

    answer = press(job, next=board)

    assert answer.redirect_chain == [(board, 302)]  # type: ignore[attr-defined]
    assert "Checked " in answer.content.decode()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("behaviour", "text"),
    [
        (line_tester.refused("serviceId is not known"), "The seller refused to check this line."),
        (seller.silent, "The seller gave no usable answer. Try again later. The reason: no answer within"),
        (seller.reply("200 OK", b"<html>"), "The reason: the answer is not XML."),
    ],
    ids=["refused", "silent", "rubbish"],
)
def test_page_says_why_there_is_no_result(
    on: seller.Endpoint, behaviour: seller.Behaviour, text: str
) -> None:
    on.behaviours = [behaviour]
    job = job_with_service()

    html = press(job).content.decode()  # type: ignore[attr-defined]

    assert text in html
    assert "not checked" in html
    assert not LineCheck.objects.exists()


def test_script_gets_the_reason(on: seller.Endpoint) -> None:
    on.behaviours = [line_tester.refused("no")]

    answer = press(job_with_service(), accept="application/json")

    assert answer.status_code == 409  # type: ignore[attr-defined]
    assert answer.json()["problems"][0]["code"] == "refused"  # type: ignore[attr-defined]


def test_failure_leaves_the_last_result_with_its_age(on: seller.Endpoint) -> None:
    job = job_with_service()
    at = timezone.now() - timedelta(minutes=12)
    record_line_check(job=job, reading=LineReading(code="CFH001"), by=SYSTEM, checked_at=at)
    on.behaviours = [seller.reply("503 Busy", b"")]

    html = press(job).content.decode()  # type: ignore[attr-defined]

    assert "12 min ago" in html
    assert "Line down" in html


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"code": "CFH001"}, "Line down"),
        ({"code": "STF001"}, "Line not tested"),
        ({"code": "NEW999", "action": "Do a dance"}, "Do a dance"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_kind_of_result_can_be_read(on: seller.Endpoint, fields: dict[str, str], text: str) -> None:
    job = job_with_service()
    record_line_check(job=job, reading=LineReading(**fields), by=SYSTEM, checked_at=timezone.now())

    assert text in page(job)


def test_down_in_german(on: seller.Endpoint) -> None:
    on.behaviours = [line_tester.answered(**line_tester.FIBRE_CUT)]
    job = job_with_service()
    press(job)

    with translation.override("de"):
        view = build_line_view(job, now=timezone.now())

    assert view is not None
    assert view.result is not None
    assert view.result.headline.label == "Leitung gestört"


@pytest.mark.parametrize(
    ("state", "job_type", "has_button"),
    [
        (JobState.ON_SITE, JobType.INSTALLATION, True),
        (JobState.ASSIGNED, JobType.INSTALLATION, False),
        (JobState.ASSIGNED, JobType.REVISIT, True),
        (JobState.CANCELLED, JobType.REVISIT, False),
    ],
)
def test_button_is_where_a_check_helps(
    on: seller.Endpoint, state: JobState, job_type: JobType, *, has_button: bool
) -> None:
    job = job_with_service(at_state=state, job_type=job_type)

    assert ("Check the line" in page(job)) is has_button


def test_job_without_a_service_identifier_says_so(on: seller.Endpoint) -> None:
    html = page(make.job(at_state=JobState.ON_SITE))

    assert "no service identifier" in html
    assert "Check the line" not in html


def test_nothing_is_shown_where_line_checks_are_switched_off() -> None:
    assert 'id="line"' not in page(job_with_service())


def test_result_of_a_closed_job_stays(on: seller.Endpoint) -> None:
    job = job_with_service()
    record_line_check(job=job, reading=LineReading(code="AOK001"), by=SYSTEM, checked_at=timezone.now())
    Job.objects.filter(pk=job.pk).update(job_type=JobType.INSTALLATION)
    closed = make.job(at_state=JobState.CLOSED)
    LineCheck.objects.update(job=closed)
    Job.objects.filter(pk=closed.pk).update(service_identifier="FBR100000001")

    html = page(closed)

    assert "Line up" in html
    assert "Check the line" not in html


def test_evidence_document_has_the_line_and_the_fault_report(on: seller.Endpoint) -> None:
    job = job_with_service()
    Job.objects.filter(pk=job.pk).update(fault={"description": "No light since the storm"})
    job.refresh_from_db()
    record_line_check(job=job, reading=LineReading(code="CFH001"), by=SYSTEM, checked_at=timezone.now())
    document = {"page": build_job_page(job, now=timezone.now()), "photos": [], "as_of": ""}

    html = render_to_string("board/evidence/document.html", {"document": document})

    assert "Line down" in html
    assert "No light since the storm" in html


def test_only_the_office_may_check(on: seller.Endpoint) -> None:
    job, client = job_with_service(), Client()
    client.force_login(make.engineer().user)

    answers = [each.post(f"/board/jobs/{job}/line-check/").status_code for each in (client, Client())]

    assert answers == [403, 302]
    assert on.received == []


def test_request_needs_a_token_and_is_no_get(on: seller.Endpoint) -> None:
    job, strict = job_with_service(), Client(enforce_csrf_checks=True)
    strict.force_login(make.dispatcher())

    assert strict.post(f"/board/jobs/{job}/line-check/").status_code == 403
    assert signed_in().get(f"/board/jobs/{job}/line-check/").status_code == 405
    assert on.received == []


def test_unknown_job_is_not_found(on: seller.Endpoint) -> None:
    assert signed_in().post("/board/jobs/J-NONE/line-check/").status_code == 404
