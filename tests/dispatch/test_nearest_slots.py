"""The nearest slots are those that would be found if everybody's were, although few rotas are read."""

from datetime import timedelta
from random import Random

import pytest
from django.utils import timezone

from dispatch.driving.travel import home_coordinates
from dispatch.models import DriveCorrection, DriveSource, Job, Visit
from dispatch.slots import nearest_slots
from dispatch.slots.free_slots import JobDay, PersonDay, find_slot, person_day, read_day, read_drives
from dispatch.slots.nearest_slots import slot_bound
from dispatch.slots.slot_data import with_rota
from dispatch.slots.slot_suggestions import suggest_slots
from dispatch.states import JobState
from engineers.models import Absence, Engineer
from engineers.shifts import local_time
from tests import make

pytestmark = pytest.mark.django_db
ENGINEERS = 80
CLOCKS = ("00:00", "06:00", "08:00", "09:10", "12:00", "15:30", "22:00")


def somewhere(random: Random) -> tuple[float, float]:
    """Some positions come twice, so that drives are equally long."""
    return 53.8 + random.randrange(12) / 50, -1.6 + random.randrange(12) / 50


def hire(random: Random) -> Engineer:
    starts, ends = random.sample(CLOCKS, 2)
    engineer = make.engineer(starts=starts, ends=ends, name=f"Number {random.randrange(20)}")
    if random.random() < 0.3:
        make.give_break(engineer, "10:00", "11:30")
    if random.random() < 0.1:
        Absence.objects.create(engineer=engineer, starts_at=make.at("07:00"), ends_at=make.at("13:00"))
    latitude, longitude = somewhere(random) if random.random() < 0.9 else (None, None)
    engineer.home_latitude, engineer.home_longitude = latitude, longitude
    engineer.save()
    return engineer


def give_job(random: Random, **fields: object) -> Job:
    made = make.job(**fields)  # type: ignore[arg-type]
    made.latitude, made.longitude = somewhere(random)
    made.save()
    return made


def give_visits(random: Random, engineer: Engineer, others: list[Engineer]) -> None:
    """Also some that overlap, have ended early, or are attended by two."""
    for _ in range(random.randrange(4)):
        starts_at = make.at("05:00") + timedelta(minutes=15 * random.randrange(60))
        ended_at = starts_at + timedelta(minutes=random.randrange(-60, 120))
        has_ended = random.random() < 0.2
        second = random.choice(others) if random.random() < 0.2 else None
        Visit.objects.create(
            job=give_job(random),
            engineer=engineer,
            second_engineer=second if second != engineer else None,
            planned_start=starts_at,
            planned_end=starts_at + timedelta(minutes=random.choice((30, 60, 120, 240))),
            arrived_at=starts_at - timedelta(hours=2) if has_ended else None,
            ended_at=ended_at if has_ended else None,
        )


def varied_jobs(random: Random) -> list[Job]:
    windows = [("08:00", "13:00"), ("13:00", "18:00"), ("00:15", "23:45"), ("09:00", "10:00")]
    return [
        give_job(random, window=window, duration_minutes=minutes)
        for window in windows
        for minutes in (20, 60, 150)
    ]


def read_everybody(job: Job) -> tuple[JobDay, list[PersonDay]]:
    day = read_day(job, None)
    assert day
    engineers = list(with_rota(Engineer.objects.active()))
    read_drives(day, map(home_coordinates, engineers))
    return day, [person_day(day, engineer) for engineer in engineers]


def learn_factor(hour: int, factor: float) -> None:
    DriveCorrection.objects.create(
        source=DriveSource.ESTIMATE, hour=hour, factor=factor, learned_from=50, learned_at=timezone.now()
    )


@pytest.fixture
def jobs() -> list[Job]:
    """Among visits of many engineers; each hour has its own drives."""
    random = Random(20261127)
    engineers = [hire(random) for _ in range(ENGINEERS)]
    for engineer in engineers:
        give_visits(random, engineer, engineers)
    for hour in range(24):
        learn_factor(hour, random.uniform(0.5, 2.5))
    return varied_jobs(random)


def test_no_slot_is_before_its_bound(jobs: list[Job]) -> None:
    exact = 0
    for job in jobs:
        day, people = read_everybody(job)
        for person in people:
            slot = find_slot(day, person)
            bound = slot_bound(day, person.visits, home=home_coordinates(person.engineer))
            if slot:
                assert bound
                assert bound[0] <= slot.travel_seconds
                assert bound[1] <= slot.starts_at
                exact += bound == (slot.travel_seconds, slot.starts_at)

    assert exact


def test_same_slots_as_if_everybody_were_asked(jobs: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    for job in jobs:
        day, people = read_everybody(job)
        slots = [slot for person in people if (slot := find_slot(day, person))]
        everybody = sorted(slots, key=lambda slot: slot.rank)
        for most, first_read in [(1, 1), (1, 2), (2, 3), (2, 5), (3, 8), (5, 20), (9, 30), (ENGINEERS, 30)]:
            monkeypatch.setattr(nearest_slots, "FIRST_READ", first_read)
            assert suggest_slots(job, most=most) == everybody[:most]


def test_same_pairs_as_if_everybody_was_read_before(jobs: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(20261128)
    # the cherry picker needs a second person
    for window in [("08:00", "13:00"), ("13:00", "18:00"), ("00:15", "23:45")]:
        job = give_job(random, window=window, flags=("CHP",))
        day, people = read_everybody(job)
        day.people = people
        expected = suggest_slots(job, most=9, day=day)
        assert expected
        for first_read in (1, 3, 20):
            monkeypatch.setattr(nearest_slots, "FIRST_READ", first_read)
            assert suggest_slots(job, most=9) == expected


def test_rotas_of_the_others_are_read_where_the_nearest_are_not_enough(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: object
) -> None:
    make.engineer(name="Off", starts="14:00")
    make.engineer(name="Free")
    job = make.job()
    monkeypatch.setattr(nearest_slots, "FIRST_READ", 1)

    with django_assert_num_queries(15):  # type: ignore[operator]
        assert [slot.engineer.name for slot in suggest_slots(job)] == ["Free"]


def test_rotas_of_the_others_are_not_read_where_the_nearest_are_enough(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: object
) -> None:
    near, far = make.engineer(name="Near"), make.engineer(name="Far")
    Engineer.objects.filter(pk=far.pk).update(home_latitude=54.2)
    job = make.job()
    monkeypatch.setattr(nearest_slots, "FIRST_READ", 1)

    with django_assert_num_queries(11):  # type: ignore[operator]
        assert [slot.engineer for slot in suggest_slots(job, most=1)] == [near]


def test_rotas_of_the_others_are_not_read_as_drives_are_quicker_at_another_hour(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: object
) -> None:
    near, far = make.engineer(name="Near"), make.engineer(name="Far")
    Engineer.objects.filter(pk=near.pk).update(home_latitude=53.95)
    Engineer.objects.filter(pk=far.pk).update(home_latitude=54.2)
    job = make.job()
    for hour in range(24):
        factor = 2.0 if local_time(job.window_start).hour <= hour < local_time(job.window_end).hour else 0.2
        learn_factor(hour, factor)
    monkeypatch.setattr(nearest_slots, "FIRST_READ", 1)

    with django_assert_num_queries(11):  # type: ignore[operator]
        assert [slot.engineer for slot in suggest_slots(job, most=1)] == [near]


def test_rota_of_whoever_has_no_time_is_not_read(django_assert_num_queries: object) -> None:
    busy = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=busy, duration_minutes=300)
    job = make.job()

    with django_assert_num_queries(5):  # type: ignore[operator]
        assert suggest_slots(job) == []
