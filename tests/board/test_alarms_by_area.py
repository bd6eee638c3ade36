"""Alarms, check-ins and positions that are about several areas: who is limited to York learns nothing of Leeds."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from board.day.day_map import load_places
from closures.network_patterns import watch_patterns
from dispatch import holds, visits
from dispatch.models import Job, Visit
from dispatch.states import JobState
from engineers import lone_worker
from engineers.area_scope import scope_of
from engineers.current_scope import limited_to
from engineers.models import Area, AreaLimit, CheckInEnd, Engineer, LastPosition, User
from monitoring.alarms import open_alarms
from monitoring.coded_texts import reason_text
from tests import make
from tests.board.test_people import client_of
from tests.closures.test_network_patterns import closed, on

pytestmark = pytest.mark.django_db


@pytest.fixture
def york() -> Area:
    Area.objects.create(name="Leeds", postcodes="LS")
    return Area.objects.create(name="York", postcodes="YO")


@pytest.fixture
def yara(york: Area) -> User:
    user = make.dispatcher(username="yara")
    AreaLimit.objects.create(user=user, area=york)
    return user


@pytest.fixture
def client(yara: User) -> Client:
    return client_of(yara)


def in_york(job: Job) -> Job:
    Job.objects.filter(pk=job.pk).update(postcode="YO1 7HH", postcode_key="YO17HH")
    return job


def engineer_in(area: Area) -> Engineer:
    engineer = make.engineer(name="Yann Light")
    Engineer.objects.filter(pk=engineer.pk).update(area=area)
    return engineer


def fault_across_areas() -> tuple[set[str], Job]:
    """The numbers of Leeds that met it, and the job of York that lies ahead."""
    leeds = {str(closed("POP", node="N-1")) for _ in range(2)}
    in_york(closed("POP", node="N-1"))
    ahead = in_york(on(make.job(), node="N-1"))
    watch_patterns()
    return leeds, ahead


def test_network_fault_names_no_job_of_another_area(client: Client, day_before: object) -> None:
    leeds, _ahead = fault_across_areas()

    for path in ("/board/", "/board/alarms/", f"/board/alarms/{open_alarms().get().pk}/jobs/"):
        html = client.get(path).content.decode()
        assert "Node N-1" in html, path
        assert {number for number in leeds if number in html} == set(), path


def test_reason_that_nobody_typed_names_no_job(client: Client, day_before: object) -> None:
    """It is on the job's page and on the phone for as long as the hold."""
    leeds, ahead = fault_across_areas()

    client.post(f"/board/alarms/{open_alarms().get().pk}/jobs/hold/", {"job": [str(ahead)]})

    reason = reason_text(ahead.events.get(kind="held").facts["reason"])
    assert reason.startswith("Node N-1: 3 jobs with a network fault since ")
    assert {number for number in leeds if number in reason} == set()


def test_hold_that_outlasts_its_fault_names_no_job_of_another_area(client: Client, york: Area) -> None:
    leeds, own = on(make.job(), node="N-1"), in_york(on(make.job(), node="N-1"))
    for job in (leeds, own):
        holds.hold_job(job=job, by=make.office(), reason="Node down", element="node:n-1")
    watch_patterns()

    html = client.get("/board/alarms/").content.decode()

    assert "N-1: 2 jobs are still on hold." in html
    assert str(leeds) not in html


def overdue(engineer: Engineer, job: Job) -> None:
    lone_worker.start_check_in(
        engineer=engineer,
        provider_job_id=str(job),
        minutes=10,
        started_at=timezone.now() - timedelta(minutes=30),
    )
    LastPosition.objects.create(
        engineer=engineer, latitude=53.8, longitude=-1.5, taken_at=timezone.now() - timedelta(minutes=5)
    )


def test_overdue_check_in_at_a_job_of_another_area_names_the_engineer_and_not_the_job(
    client: Client, york: Area
) -> None:
    job, yann = make.job(), engineer_in(york)
    overdue(yann, job)

    for path in ("/board/", "/board/alarms/"):
        html = client.get(path).content.decode()
        assert "Yann Light" in html and "a job of another area" in html and "53.8" in html, path
        assert {text for text in (str(job), job.postcode) if text in html} == set(), path

    lone_worker.end_check_in(engineer=yann, at=timezone.now(), how=CheckInEnd.DONE)
    html = client.get("/board/alarms/").content.decode()
    assert "Yann Light" in html
    assert str(job) not in html


def test_overdue_check_in_at_an_own_job_names_it(client: Client, york: Area) -> None:
    job = in_york(make.job())
    overdue(engineer_in(york), job)

    html = client.get("/board/alarms/").content.decode()

    assert f"/board/jobs/{job}/" in html and "YO1 7HH" in html


def initials_on_map(user: User) -> list[str]:
    with limited_to(scope_of(user)):
        return [position.initials for position in load_places(make.today(), now=timezone.now()).engineers]


@pytest.fixture
def yann(york: Area) -> Engineer:
    """Of York, with a fresh position."""
    engineer = engineer_in(york)
    LastPosition.objects.create(engineer=engineer, latitude=53.8, longitude=-1.5, taken_at=timezone.now())
    return engineer


@pytest.mark.parametrize("state", [JobState.EN_ROUTE, JobState.ON_SITE])
def test_map_leaves_out_who_is_at_a_customer_of_another_area(
    yara: User, yann: Engineer, state: JobState
) -> None:
    make.job(at_state=state, to=yann)

    assert initials_on_map(yara) == []
    assert initials_on_map(make.dispatcher()) == ["YL"]


def test_map_leaves_out_the_second_engineer_at_another_area(yara: User, yann: Engineer) -> None:
    job = make.job()
    visits.assign(
        job=job, engineer=make.engineer(), second_engineer=yann, starts_at=make.at("09:00"), by=make.office()
    )
    make.start_travel(job)

    assert initials_on_map(yara) == []


def test_map_shows_who_is_at_an_own_customer(yara: User, yann: Engineer) -> None:
    make.job(at_state=JobState.ASSIGNED, to=yann, day=make.DAY + timedelta(days=1))
    in_york(make.job(at_state=JobState.ON_SITE, to=yann))

    assert initials_on_map(yara) == ["YL"]


@pytest.mark.parametrize(("minutes", "expected"), [(29, []), (31, ["YL"])])
def test_map_shows_who_left_another_area_before_the_last_position(
    yara: User, yann: Engineer, minutes: int, expected: list[str]
) -> None:
    left = make.job(at_state=JobState.ON_SITE, to=yann)
    Job.objects.filter(pk=left.pk).update(state=JobState.CLOSED)
    Visit.objects.filter(job=left).update(ended_at=timezone.now() - timedelta(minutes=minutes))

    assert initials_on_map(yara) == expected
