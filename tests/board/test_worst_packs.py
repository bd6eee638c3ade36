"""Every job pack that the server accepts: each page and each phone's day opens, with few queries and days."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from types import FrameType

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dispatch import visit_proposals, visits
from dispatch.models import Job, Visit
from dispatch.states import EventKind, JobState
from engineers import shifts
from engineers.models import Engineer
from seller_link.inbox import InboundResponse
from seller_link.models import InboundMessage
from tests import make
from tests.board.office import press, signed_in
from tests.function_calls import watching_calls
from tests.phone.phone import Phone
from tests.rolled_back import rolled_back
from tests.seller_link.inbox import faultcode, fields, say_all
from tests.seller_link.legal_packs import FIRST, LAST, Body, any_windows, packs

pytestmark = pytest.mark.django_db
# the same for every pack; the panel of a job asks four more since it tells alarms and arrival and its look is recorded
MOST_QUERIES = 64
# of pages that look far ahead by themselves, as a calendar's feed does; a window that counted whole would be years
MOST_DAYS = 120
TODAY = make.DAY - timedelta(days=1)  # the clock of tests/board


@contextmanager
def days_looped_over() -> Iterator[set[date]]:
    """The local days whose beginning or end is calculated meanwhile: no loop over days does without."""
    days: set[date] = set()

    def note(frame: FrameType) -> None:
        if frame.f_code is shifts._moment_in.__code__:
            days.add(frame.f_locals["day"])

    with watching_calls(note):
        yield days


def opens(client: Client, path: str) -> str:
    """The page, 200 with no more than MOST_QUERIES and MOST_DAYS."""
    # a full log would count nothing
    connection.queries_log.clear()
    with CaptureQueriesContext(connection) as queries, days_looped_over() as days:
        answer = client.get(path)
    assert (path, answer.status_code) == (path, 200)
    # a request is no transaction inside of another one, as it is here
    asked = [query for query in queries if "SAVEPOINT" not in query["sql"]]
    assert len(asked) <= MOST_QUERIES, path
    assert len(days) <= MOST_DAYS, path
    return answer.content.decode()


def with_engineer(job: Job, engineer: Engineer, start: datetime) -> None:
    """As if it had been assigned before anybody bounded the dates."""
    Visit.objects.create(
        job=job, engineer=engineer, planned_start=start, planned_end=start + timedelta(hours=1)
    )
    Job.objects.filter(pk=job.pk).update(state=JobState.ASSIGNED)


@pytest.fixture
def office() -> Client:
    return signed_in()


@pytest.fixture
def phone() -> Phone:
    return Phone(make.engineer())


def jobs_of(answers: Sequence[InboundResponse]) -> list[Job]:
    """The jobs that the server has made, in the order of their messages."""
    return [
        Job.objects.get(provider_job_id=answer.body["providerJobId"])
        for answer in answers
        if answer.status == 200
    ]


def shows(client: Client, path: str) -> str:
    """The page, on which no job of the seller server's is a broken one."""
    page = opens(client, path)
    assert "be displayed" not in page, path
    return page


def open_office(client: Client, created: Sequence[Job]) -> None:
    for path in ("/board/", "/board/search?list=unassigned", "/board/messages/", "/board/messages/stuck/"):
        shows(client, path)
    for stored in InboundMessage.objects.all():
        shows(client, f"/board/messages/in/{stored.pk}/")
    for job in created:
        shows(client, f"/board/?day={timezone.localdate(job.window_start)}&job={job}")
        shows(client, f"/board/jobs/{job}/")
        shows(client, f"/board/jobs/{job}/suggestions.json")
        assert str(job) in shows(client, f"/board/search?q={job}")
        assert len(visit_proposals.local_days(job.window)) <= visit_proposals.MAX_DAYS


def open_phone(phone: Phone, job: Job) -> None:
    opens(phone.client, f"/phone/jobs/{job}/version.json")
    payload = json.loads(opens(phone.client, "/phone/day.json"))
    assert ([carried["id"] for carried in payload["jobs"]], payload["broken"]) == ([str(job)], [])


# four hundred pages: minutes beside other work
@pytest.mark.timeout(900)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(legal=st.tuples(packs(), packs()), odd=packs(any_windows))
def test_every_pack_that_the_server_accepts_opens_everywhere(
    office: Client, phone: Phone, legal: tuple[Body, Body], odd: Body
) -> None:
    # what one example leaves in the cache belongs to jobs that are undone
    cache.clear()
    with rolled_back():
        answers = say_all("createJob", [*legal, odd])
        created = jobs_of(answers)
        with_engineer(created[0], phone.engineer, make.at("09:00", day=TODAY))

        assert [answer.status for answer in answers[:-1]] == [200, 200]
        assert answers[-1].status == 200 or refused_for(answers[-1]) <= {
            "/appointment/start",
            "/appointment/end",
        }
        open_office(office, created)
        open_phone(phone, created[0])


def refused_for(answer: InboundResponse) -> set[str]:
    assert faultcode(answer) == (422, "invalidMessage")
    return set(fields(answer))


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "1899-12-30", "2400-02-29"])
def test_day_out_of_range_is_refused_with_a_reason(day: str) -> None:
    page = opens(signed_in(), f"/board/?day={day}")

    assert f"“{day}” is more than ten years away. Showing today instead." in page


@pytest.mark.parametrize("day", ["2026-02-30", "10000-01-01", "-1", "٢٠٢٦-٠١-٠١x", "2026-11-23T00:00"])
def test_invalid_day_is_refused_with_a_reason(day: str) -> None:
    assert "is not a valid date. Showing today instead." in opens(signed_in(), f"/board/?day={day}")


@pytest.fixture
def broken() -> Job:
    """A row that no code of ours would write: flags that are no texts, and an event without its facts."""
    job = make.job(at_state=JobState.ASSIGNED, day=TODAY)
    Job.objects.filter(pk=job.pk).update(flags=7, address_lines=7)
    job.events.filter(kind=EventKind.ENGINEER_ASSIGNED).update(facts={"engineer_name": 5})
    return job


def test_job_that_cannot_be_shown_is_named_and_breaks_no_page(broken: Job) -> None:
    office, other = signed_in(), make.job(day=TODAY)
    reason = escape(
        f"The data of job {broken} can't be displayed (TypeError). Give the job number to your supervisor."
    )

    board = opens(office, f"/board/?job={broken}")
    page = opens(office, f"/board/jobs/{broken}/")
    found = opens(office, "/board/search?q=B-1001")

    assert (reason in board, f"card-{other}" in board, f"card-{broken}" in board) == (True, True, True)
    # the script of a board that is open takes nothing over but its parts
    panel = board.partition('id="panel"')[2].partition("</section>")[0]
    assert (f'data-job="{broken}"' in panel, reason in panel) == (True, True)
    assert f'href="/board/jobs/{broken}/"' in panel
    assert reason in page
    assert (reason in found, str(other) in found) == (True, True)


def test_phone_works_despite_a_job_that_cannot_be_shown(broken: Job) -> None:
    engineer = Visit.objects.get(job=broken).engineer
    other = make.job()
    visits.assign(job=other, engineer=engineer, starts_at=make.at("11:00"), by=make.office())
    Visit.objects.filter(job=other).update(
        planned_start=make.at("11:00", day=TODAY), planned_end=make.at("12:00", day=TODAY)
    )

    payload = Phone(engineer).json("/phone/day.json")

    assert [job["id"] for job in payload["jobs"]] == [str(other)]
    assert [job["id"] for job in payload["broken"]] == [str(broken)]
    assert "be displayed" in payload["broken"][0]["words"]


def test_entry_of_the_history_that_cannot_be_shown_leaves_the_others() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    job.events.filter(kind=EventKind.ENGINEER_ASSIGNED).update(facts={})

    page = opens(signed_in(), f"/board/jobs/{job}/")

    entry = escape("This entry can't be displayed (KeyError).")
    assert (entry in page, "Job pack received" in page) == (True, True)


def test_event_of_year_one_opens() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    job.events.filter(kind=EventKind.ON_SITE).update(occurred_at=FIRST, recorded_at=LAST)

    assert "Jan 0001" in opens(signed_in(), f"/board/jobs/{job}/")


@pytest.mark.parametrize("start", ["0001-01-01T00:00", "9999-12-31T23:59", "9999-12-31T23:59:59Z"])
def test_visit_far_away_is_refused_with_its_field(start: str) -> None:
    job, engineer = make.job(), make.engineer()

    answer = press(signed_in(), job, "assign", engineer=engineer.staff_number, starts_at=start)

    assert (answer.status_code, [problem["where"] for problem in answer.json()["problems"]]) == (
        400,
        ["starts_at"],
    )


@pytest.mark.parametrize("year", ["0001", "9999"])
@pytest.mark.parametrize(
    "path", ["/board/messages/?from_at={0}", "/board/replays/new/?from_at={0}&to_at={0}"]
)
def test_filter_of_a_far_year_is_no_500(path: str, year: str) -> None:
    answer = signed_in().get(path.format(f"{year}-12-31T23:59"))

    assert answer.status_code in {200, 400}
    assert "Choose a year from 2000 to 2199." in answer.content.decode()
