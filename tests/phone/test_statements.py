"""What one tap costs the database: all statements of one message, savepoints included, but not the begin and the end of
its one transaction. These, which are a savepoint inside the test's own transaction, carry no work; session and user are
the request's, whatever it does."""

import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.phone.phone import POSITION, Phone

MAX_STATEMENTS = 15
NOT_COUNTED = ('FROM "django_session"', 'FROM "engineers_user"')


def count_statements(phone: Phone, kind: str, job: Job, body: dict[str, Any]) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        result = phone.say(kind, job, body)
    assert (result["outcome"], result["problems"]) == ("applied", [])
    statements = [query["sql"] for query in captured.captured_queries]
    statements = [sql for sql in statements if not any(part in sql for part in NOT_COUNTED)]
    begin = statements[0]
    assert begin.startswith("SAVEPOINT"), begin
    return [sql for sql in statements if sql not in {begin, f"RELEASE {begin}"}]


@pytest.fixture
def day(engineer: Engineer, phone: Phone) -> None:
    """The engineer has been on a job today; the session is not written again this hour."""
    before = make.job(
        at_state=JobState.ASSIGNED, to=engineer, day=timezone.localdate(), window=("13:00", "18:00")
    )
    phone.say("en_route", before, {"position": POSITION})


def job_in(state: JobState, engineer: Engineer) -> Job:
    return make.job(at_state=state, to=engineer, day=timezone.localdate())


@pytest.mark.usefixtures("day")
@pytest.mark.parametrize(
    ("kind", "state", "body"),
    [
        ("en_route", JobState.ASSIGNED, {"position": POSITION}),
        ("on_site", JobState.EN_ROUTE, {"position": POSITION, "matrix": "sample-3"}),
        ("answered", JobState.ON_SITE, {"question": "SAF01", "value": "yes"}),
        ("answered", JobState.ON_SITE, {"question": "SAF01", "value": "no"}),
        ("answer_withdrawn", JobState.ON_SITE, {"question": "SAF01"}),
        (
            "photo_taken",
            JobState.ON_SITE,
            {
                "photo_id": str(uuid.uuid4()),
                "question": "PHO01",
                "taken_at": f"{make.DAY}T09:00:00Z",
                "sha256": "a" * 64,
                "source": "camera",
                "position": POSITION,
            },
        ),
        (
            "ont_scanned",
            JobState.ON_SITE,
            {
                "scan_id": str(uuid.uuid4()),
                "fsan": "CXNK00ABCDEF",
                "serial_number": "261200123456",
                "source": "camera",
            },
        ),
        ("handover_requested", JobState.ON_SITE, {"reason": "The van is broken"}),
        ("check_in", JobState.ON_SITE, {"minutes": 30}),
        ("check_in_done", JobState.ON_SITE, {}),
        ("driving", JobState.EN_ROUTE, {"position": POSITION}),
    ],
)
def test_a_tap_costs_at_most_fifteen_statements(
    engineer: Engineer, phone: Phone, kind: str, state: JobState, body: dict[str, Any]
) -> None:
    statements = count_statements(phone, kind, job_in(state, engineer), body)

    assert len(statements) <= MAX_STATEMENTS, "\n".join(statements)


@pytest.mark.usefixtures("day")
@pytest.mark.parametrize("with_line_checks", [False, True])
def test_closing_costs_at_most_fifteen_statements(
    engineer: Engineer, phone: Phone, settings: Settings, *, with_line_checks: bool
) -> None:
    """With everything that a success needs: a provisioned ONT, all questions, photos, and a line that is not down."""
    settings.LINE_CHECK = replace(settings.LINE_CHECK, is_on=with_line_checks)
    job = job_in(JobState.ON_SITE, engineer)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    statements = count_statements(phone, "close", job, {"code": "SP", "secondary_code": "", "remarks": ""})

    assert len(statements) <= MAX_STATEMENTS, "\n".join(statements)


@pytest.mark.usefixtures("day")
def test_closing_whose_answers_went_with_an_event_costs_no_more(engineer: Engineer, phone: Phone) -> None:
    job = job_in(JobState.ON_SITE, engineer)
    make.answer_all(job)
    make.scan(job)
    make.result(job, 1)
    assert job.answers.filter(reported_at__isnull=False).exists()

    statements = count_statements(phone, "close", job, {"code": "SP", "secondary_code": "", "remarks": ""})

    assert len(statements) <= MAX_STATEMENTS, "\n".join(statements)
