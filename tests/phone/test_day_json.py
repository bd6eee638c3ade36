"""day.json and version.json: what the application receives."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from pytest_django import DjangoAssertNumQueries

from closures.codes import outcomes_of
from closures.question_matrix import matrix, matrix_editions
from closures.question_matrix.translations import translated_matrix
from dispatch import jobs, visits
from dispatch.models import Job, Visit
from dispatch.states import JobState, JobType
from engineers.models import Engineer, Role
from engineers.moment_texts import format_day
from phone.serializers import serialize_matrix
from tests import make
from tests.phone.phone import Phone


def test_day_carries_today_and_tomorrow(engineer: Engineer, phone: Phone) -> None:
    today = make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today())
    tomorrow = make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today() + timedelta(days=1))
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today() + timedelta(days=2))
    make.job(at_state=JobState.ASSIGNED, day=make.today())

    assert [job["id"] for job in phone.json("/phone/day.json")["jobs"]] == [str(today), str(tomorrow)]


def test_day_carries_the_zone_of_its_times(phone: Phone) -> None:
    assert phone.json("/phone/day.json")["time_zone"] == "Europe/London"


def test_job_carries_what_the_phone_needs(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer, day=make.today(), flags=("MDU",))
    phone.say("answered", job, {"question": "SAF01", "value": "yes"})
    carried = phone.json("/phone/day.json")["jobs"][0]

    assert (carried["type"], carried["state"], carried["flags"]) == ("installation", "on_site", ["MDU"])
    assert (carried["contact"]["name"], carried["hazards"]) == ("Pat Tester", "Dog in the garden")
    assert (carried["has_ont_scan"], carried["expected_ont"]["fsan"]) == (True, "CXNK00ABCDEF")
    assert carried["answers"] == {"SAF01": "yes"}
    assert carried["window"]["start"] == job.window_start.isoformat()
    assert [closure["code"] for closure in carried["closures"]] == [
        closure.code for closure in outcomes_of("installation")
    ]


def page_of(phone: Phone) -> dict[str, Any]:
    """What the page of the engineer's only job says."""
    (carried,) = phone.json("/phone/day.json")["jobs"]
    page: dict[str, Any] = carried["page"]
    return page


@pytest.mark.parametrize(
    ("window", "text"),
    [
        (("08:00", "13:00"), "%(today)s 08:00–13:00"),
        (("19:00", "02:00"), "%(today)s 19:00 – %(tomorrow)s 02:00"),
    ],
)
def test_window_names_each_of_its_days_once(
    engineer: Engineer, phone: Phone, window: tuple[str, str], text: str
) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today())
    ends = make.at(window[1], day=make.today())
    job.window_start = make.at(window[0], day=make.today())
    job.window_end = ends if ends > job.window_start else ends + timedelta(days=1)
    job.save(update_fields=["window_start", "window_end"])

    days = {"today": format_day(make.today()), "tomorrow": format_day(make.today() + timedelta(days=1))}
    assert page_of(phone)["window"] == text % days


def test_jobs_come_in_the_order_of_the_plan(engineer: Engineer, phone: Phone) -> None:
    later = make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today(), window=("13:00", "18:00"))
    first = make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today())
    tomorrow = make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today() + timedelta(days=1))
    days = [(job["id"], job["is_today"]) for job in phone.json("/phone/day.json")["jobs"]]

    assert days == [(str(first), True), (str(later), True), (str(tomorrow), False)]


def close_now(job: Job) -> None:
    make.answer_all(job, code="HAZ")
    make.close(job, "HAZ", remarks="Loose roof tiles")


@pytest.mark.parametrize(
    ("days", "state", "end"),
    [
        (-1, JobState.ON_SITE, close_now),
        (-1, JobState.EN_ROUTE, lambda job: jobs.cancel_job(job=job, reason="")),
        (1, JobState.ON_SITE, close_now),
        (3, JobState.ON_SITE, close_now),
        (3, JobState.EN_ROUTE, lambda job: jobs.cancel_job(job=job, reason="")),
    ],
)
def test_job_that_ended_today_is_todays_whenever_it_was_planned(
    engineer: Engineer, phone: Phone, days: int, state: JobState, end: Callable[[Job], object]
) -> None:
    job = make.job(at_state=state, to=engineer, day=make.today() + timedelta(days=days))
    end(job)
    (carried,) = phone.json("/phone/day.json")["jobs"]

    assert (carried["id"], carried["is_today"]) == (str(job), True)
    Visit.objects.update(ended_at=make.at("23:59", day=make.today() - timedelta(days=1)))
    in_plan = phone.json("/phone/day.json")["jobs"]
    assert len(in_plan) == (1 if days == 1 else 0)


def test_job_of_a_later_day_that_is_called_off_today_is_not_todays(engineer: Engineer, phone: Phone) -> None:
    tomorrows, later = (
        make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today() + timedelta(days=days))
        for days in (1, 3)
    )
    for job in (tomorrows, later):
        jobs.cancel_job(job=job, reason="")
    (carried,) = phone.json("/phone/day.json")["jobs"]

    assert (carried["id"], carried["is_today"]) == (str(tomorrows), False)


def test_hazards_and_flags_are_in_the_day(engineer: Engineer, phone: Phone) -> None:
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today(), flags=("CHP", "NEW"))
    page = page_of(phone)

    assert [caution["text"] for caution in page["cautions"]] == ["Dog in the garden"]
    assert "Cherry picker required" in " ".join(caution["label"] for caution in page["flags"])
    assert "NEW" in " ".join(caution["label"] for caution in page["flags"])


def test_earlier_visit_is_in_the_day(engineer: Engineer, phone: Phone) -> None:
    make.close_without_visit(make.job(day=make.today() - timedelta(days=30)))
    make.job(day=make.today() + timedelta(days=30), job_type=JobType.CIVILS)
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today())
    (earlier,) = page_of(phone)["earlier"]

    assert earlier["how"].endswith("Solved by telephone")


@pytest.mark.parametrize(
    ("code", "message", "reason"),
    [
        ("", "Changed their mind", "Changed their mind. "),
        ("MISSED", "", "Appointment missed. "),
        ("CABINET", "Until May", "Cabinet not ready: Until May. "),
        ("", "", ""),
    ],
)
def test_cancelled_job_says_so(
    engineer: Engineer, phone: Phone, code: str, message: str, reason: str
) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today())
    jobs.cancel_job(job=job, reason_code=code, reason=message)
    ended = page_of(phone)["ended"]

    assert (ended["slug"], ended["title"]) == ("cancelled", "Cancelled by the seller")
    assert ended["text"].startswith(f"{reason}You don't need to attend.")


@pytest.mark.parametrize(("code", "slug"), [("SP", "done"), ("HAZ", "closed")])
def test_closed_job_says_how(engineer: Engineer, phone: Phone, code: str, slug: str) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer, day=make.today())
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job, code=code)
    phone.say("close", job, {"code": code})
    ended = page_of(phone)["ended"]

    assert ended["slug"] == slug
    assert ended["text"].startswith(f"{code} · ")


def test_photo_has_its_size_also_where_the_matrix_names_none() -> None:
    file = matrix.load_matrix(settings.QUESTION_MATRIX)
    photos = [row for row in serialize_matrix(file)["questions"] if row["kind"] == "photo"]
    plain = next(row for row in photos if row["code"] == "PHO01")

    assert (plain["long_edge"], plain["quality"]) == (matrix.LONG_EDGE_PIXELS, matrix.JPEG_QUALITY)
    assert [row["code"] for row in photos if not {"long_edge", "quality"} <= row.keys()] == []


def test_matrix_has_the_shape_of_its_file(engineer: Engineer, phone: Phone) -> None:
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today(), job_type=JobType.REVISIT)
    payload = phone.json("/phone/day.json")
    path = Path(settings.QUESTION_MATRIX)
    rows = json.loads(path.read_text())["questions"]
    again = matrix.parse_matrix(json.dumps(serialize_matrix(matrix.load_matrix(str(path)))), name="day.json")

    assert list(payload["matrices"]) == [payload["jobs"][0]["matrix"]]
    assert [question["code"] for question in payload["matrices"][again.edition]["questions"]] == [
        row["code"] for row in rows
    ]
    assert again == translated_matrix(matrix.load_matrix(str(path)), "en-gb")


def test_version_changes_with_an_event(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    quiet = [phone.json(f"/phone/jobs/{job}/version.json")["version"] for _ in range(2)]
    make.scan(job)
    make.result(job, 4)
    update = phone.json(f"/phone/jobs/{job}/version.json")

    assert (quiet[0] == quiet[1], update["version"] == quiet[0]) == (True, False)
    assert (update["scan"]["fsan"], update["result"]["result_id"]) == ("CXNK00ABCDEF", 4)


def test_version_of_a_reassigned_job_reports_it(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    make.walk(job, at_state=JobState.ASSIGNED, to=make.engineer())

    assert phone.json(f"/phone/jobs/{job}/version.json")["state"] == "unassigned"


def test_day_names_the_makers_of_labels(phone: Phone) -> None:
    vendors = phone.json("/phone/day.json")["vendors"]

    assert (vendors["CXNK"], vendors["ALCL"]) == ("Calix", "Nokia")


@pytest.fixture
def eight_jobs(engineer: Engineer) -> list[Job]:
    """A day of eight: done ones, one on site that was scanned and answered, others to come."""
    hours = [("06:00", "22:00")] * 8
    made = [make.job(day=make.today(), window=window, duration_minutes=60) for window in hours]
    for number, job in enumerate(made):
        start = make.at(f"{8 + number:02}:00", day=make.today())
        visits.assign(job=job, engineer=engineer, starts_at=start, by=make.office())
    for job in made[:3]:
        make.close_without_visit(job)
    make.start_travel(made[3])
    make.arrive(made[3])
    make.answer_all(made[3])
    make.scan(made[3])
    make.result(made[3], 4)
    return made


QUERIES_OF_A_DAY = 19
# session, user and the one look-up
QUERIES_OF_A_POLL = 3


@pytest.mark.parametrize("number", [1, 8])
def test_day_asks_a_fixed_number_of_times(
    eight_jobs: list[Job], phone: Phone, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    ids = [eight_jobs[3], *eight_jobs[:3], *eight_jobs[4:]][:number]
    Visit.objects.exclude(job__in=ids).update(
        unassigned_at=make.at("00:00", day=make.today() - timedelta(days=30))
    )
    phone.json("/phone/day.json")

    with django_assert_num_queries(QUERIES_OF_A_DAY):
        assert len(phone.json("/phone/day.json")["jobs"]) == number


def test_poll_for_a_version_is_one_look_up(
    eight_jobs: list[Job], phone: Phone, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    days = {job["id"]: job for job in phone.json("/phone/day.json")["jobs"]}

    with django_assert_num_queries(QUERIES_OF_A_POLL):
        polled = phone.json(f"/phone/jobs/{eight_jobs[3]}/version.json")
    assert (polled["state"], polled["version"]) == ("on_site", days[str(eight_jobs[3])]["version"])


def import_edition(edition: str) -> None:
    """The configured matrix under a new name, from now on."""
    whole = {**json.loads(Path(settings.QUESTION_MATRIX).read_text()), "edition": edition}
    by = make.dispatcher(username=edition, role=Role.SUPERVISOR)
    seen = matrix_editions.adjacent_editions(datetime.now(UTC)).names
    matrix_editions.import_edition(content=json.dumps(whole), starts_at=None, seen=seen, by=by)


def test_day_has_two_editions_and_changes_when_one_starts(engineer: Engineer, phone: Phone) -> None:
    began = make.job(at_state=JobState.ON_SITE, to=engineer, day=make.today())
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today() + timedelta(days=1))
    make.pin_edition(began, "sample-3")
    first = phone.client.get("/phone/day.json")
    import_edition("operator-1")

    changed = phone.client.get("/phone/day.json", headers={"If-None-Match": first["ETag"]})

    assert (changed.status_code, changed["ETag"] == first["ETag"]) == (200, False)
    assert [job["matrix"] for job in changed.json()["jobs"]] == ["sample-3", "operator-1"]
    assert {*changed.json()["matrices"]} == {"sample-3", "operator-1"}


def test_arrival_keeps_the_edition_of_its_time(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer, day=make.today())
    import_edition("operator-1")
    phone.say("on_site", job, {"position": {"latitude": 53.8, "longitude": -1.55, "accuracy_metres": 8}})

    import_edition("operator-2")

    (carried,) = phone.json("/phone/day.json")["jobs"]
    assert carried["matrix"] == "operator-1"
