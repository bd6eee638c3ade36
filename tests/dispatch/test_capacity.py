"""Capacity of the coming days: what engineers offer, what is booked, and which jobs nobody has time for."""

from datetime import date, time, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from dispatch import visits
from dispatch.capacity.capacity_figures import HalfDayFigures
from dispatch.capacity.capacity_reader import Capacity, read_capacity
from dispatch.models import DriveCorrection, DriveSource, Job, Visit
from dispatch.states import JobState, JobType
from engineers.area_scope import scope_of_areas
from engineers.current_scope import limited_to
from engineers.models import Absence, Area, Engineer, HeldSkill, RotaWeek, Shift, ShiftException, User
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("day_before")]
TUESDAY = make.DAY + timedelta(days=1)
AFTERNOON = ("13:00", "18:00")
MORNING_MINUTES = AFTERNOON_MINUTES = 300


@pytest.fixture(autouse=True)
def without_drives(settings: Settings) -> None:
    """A drive of its own has a test of its own."""
    settings.CAPACITY_TRAVEL_MINUTES = 0


def area(name: str = "Leeds North", postcodes: str = "LS6") -> Area:
    return Area.objects.create(name=name, postcodes=postcodes)


def of_area(own: Area, **fields: object) -> Engineer:
    engineer = make.engineer(**fields)  # type: ignore[arg-type]
    engineer.area = own
    engineer.save(update_fields=["area"])
    return engineer


def whole(capacity: Capacity, skill: str = "") -> list[HalfDayFigures]:
    return capacity.figures.whole(skill)


def monday(first: date = make.DAY, skill: str = "") -> tuple[HalfDayFigures, HalfDayFigures]:
    """Morning and afternoon of the first day."""
    morning, afternoon, *_rest = whole(read_capacity(first), skill)
    return morning, afternoon


def offered(first: date = make.DAY, *, days: int = 1) -> list[int]:
    return [figures.offered for figures in whole(read_capacity(first))][: 2 * days]


def test_half_days_divide_shift_and_breaks_at_13() -> None:
    make.give_break(make.engineer())

    assert offered() == [MORNING_MINUTES - 30, AFTERNOON_MINUTES]


def test_weeks_in_turn_and_exceptions_count_by_their_day() -> None:
    engineer = make.engineer()
    engineer.shifts.filter(weekday=0).update(week=RotaWeek.B)
    Shift.objects.create(engineer=engineer, week=RotaWeek.A, weekday=0, starts=time(14), ends=time(16))
    ShiftException.objects.create(engineer=engineer, day=TUESDAY)
    ShiftException.objects.create(
        engineer=engineer, day=make.DAY + timedelta(days=2), starts=time(10), ends=time(15)
    )

    found = offered(days=8)

    assert sorted((found[0:2], found[14:16])) == [[0, 120], [300, 300]]
    assert found[2:6] == [0, 0, 180, 120]


def test_absence_takes_the_part_that_it_covers() -> None:
    engineer = make.engineer()
    Absence.objects.create(engineer=engineer, starts_at=make.at("11:00"), ends_at=make.at("14:30"))

    assert offered() == [180, 210]


def test_night_shift_counts_on_both_sides_of_midnight() -> None:
    make.engineer(starts="22:00", ends="06:00")

    assert offered(days=2) == [360, 120, 360, 120]


@pytest.mark.parametrize(("sunday", "hours"), [(date(2026, 3, 29), 7), (date(2026, 10, 25), 9)])
def test_night_of_a_clock_change_has_its_real_hours(sunday: date, hours: int) -> None:
    make.engineer(starts="00:00", ends="08:00")

    assert offered(sunday, days=2) == [hours * 60, 0, 8 * 60, 0]


def test_suspended_engineer_offers_nothing_and_leaves_the_visits_waiting() -> None:
    engineer = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=engineer)
    engineer.user.is_active = False
    engineer.user.save()

    morning, _afternoon = monday()

    assert (morning.offered, morning.booked, morning.waiting_jobs, morning.short_jobs) == (0, 120, 1, 1)


def test_planned_and_waiting_jobs_are_booked_and_the_rest_is_spare() -> None:
    make.job(at_state=JobState.ASSIGNED)
    make.job(job_type=JobType.REVISIT)

    morning, afternoon = monday()

    assert morning == HalfDayFigures(offered=300, booked=180, spare=120, jobs=2, waiting_jobs=1, spare_jobs=1)
    assert afternoon == HalfDayFigures(offered=300, spare=300, spare_jobs=3)


def test_visit_over_13_takes_time_of_both_halves_and_counts_once() -> None:
    job = make.job(window=("11:00", "16:00"))
    visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("12:00"), by=make.office())

    morning, afternoon = monday()

    assert [(half.booked, half.jobs) for half in (morning, afternoon)] == [(60, 1), (60, 0)]


@pytest.mark.parametrize("state", [JobState.CLOSED, JobState.CANCELLED])
def test_ended_jobs_do_not_count(state: JobState) -> None:
    make.engineer()
    make.job(at_state=state)
    cancelled = make.job(at_state=JobState.ASSIGNED)
    make.walk(cancelled, at_state=JobState.CANCELLED)

    assert [half.booked for half in whole(read_capacity(make.DAY))] == [0] * 28


def test_job_on_hold_and_pinned_visit_count_like_others() -> None:
    held, pinned = (make.job(at_state=JobState.ASSIGNED) for _ in range(2))
    waiting = make.job()
    Job.objects.filter(pk__in=[held.pk, waiting.pk]).update(on_hold_since=make.at("06:00"))
    Visit.objects.filter(job=pinned).update(is_pinned=True)

    morning, _afternoon = monday()

    assert (morning.booked, morning.jobs, morning.waiting_jobs) == (360, 3, 1)


def test_job_that_nobody_has_time_for_is_short() -> None:
    make.engineer()
    for _ in range(3):
        make.job()

    morning, _afternoon = monday()

    assert (morning.booked, morning.short, morning.short_jobs, morning.spare) == (360, 120, 1, 60)


def test_pieces_that_are_too_small_for_a_job_do_not_help() -> None:
    """Four hours are free, and no two of them in one piece."""
    for _ in range(4):
        job = make.job()
        visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("09:30"), by=make.office())
    make.job(duration_minutes=150)

    morning, _afternoon = monday()

    assert (morning.offered - morning.booked, morning.short_jobs, morning.spare_jobs) == (570, 1, 0)


def test_window_of_two_days_counts_once_where_there_is_time() -> None:
    engineer = make.engineer()
    Absence.objects.create(engineer=engineer, starts_at=make.at("00:00"), ends_at=make.at("23:00"))
    ShiftException.objects.create(engineer=engineer, day=TUESDAY, starts=time(15), ends=time(18))
    job = make.job()
    Job.objects.filter(pk=job.pk).update(window_end=make.at("18:00", day=TUESDAY))

    halves = whole(read_capacity(make.DAY))[:4]

    assert [half.jobs for half in halves] == [0, 0, 0, 1]
    assert [half.booked for half in halves] == [0, 0, 0, 120]
    assert not any(half.is_short for half in halves)


def test_job_longer_than_a_half_day_takes_both() -> None:
    make.engineer()
    make.job(window=("08:00", "18:00"), duration_minutes=480)

    assert [(half.booked, half.is_short) for half in monday()] == [(300, False), (180, False)]


def test_night_job_of_the_last_day_fits_into_the_night_shift() -> None:
    make.engineer(starts="22:00", ends="06:00")
    last = make.DAY + timedelta(days=13)
    job = make.job(duration_minutes=240)
    Job.objects.filter(pk=job.pk).update(
        window_start=make.at("22:00", day=last), window_end=make.at("06:00", day=last + timedelta(days=1))
    )

    *_rest, evening = whole(read_capacity(make.DAY))

    assert (evening.jobs, evening.booked, evening.is_short) == (1, 120, False)


def test_visit_of_an_absent_engineer_waits_for_somebody_else() -> None:
    engineer = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=engineer)
    Absence.objects.create(engineer=engineer, starts_at=make.at("07:00"), ends_at=make.at("12:00"))
    assert monday()[0].short_jobs == 1

    make.engineer()

    assert (monday()[0].waiting_jobs, monday()[0].short_jobs) == (1, 0)


def test_visit_outside_changed_hours_waits_for_somebody_else() -> None:
    engineer = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=engineer)
    engineer.shifts.update(starts="13:00")

    assert monday()[0].waiting_jobs == 1


def test_visit_of_an_absent_engineer_behind_the_two_weeks_waits_on_no_half_day() -> None:
    engineer, day = make.engineer(), make.DAY + timedelta(days=14)
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=day)
    Absence.objects.create(
        engineer=engineer, starts_at=make.at("07:00", day=day), ends_at=make.at("12:00", day=day)
    )

    assert sum(half.waiting_jobs for half in whole(read_capacity(make.DAY))) == 0


def test_only_who_holds_a_skill_that_day_offers_it() -> None:
    make.engineer(skills=())
    picker = make.engineer(skills=("cherry-picker", "team-of-two"))
    HeldSkill.objects.filter(engineer=picker, skill__code="cherry-picker").update(expires_on=make.DAY)

    row = whole(read_capacity(make.DAY), "cherry-picker")

    assert [half.offered for half in row[:4]] == [300, 300, 0, 0]


def test_job_with_two_skills_counts_in_both_rows_and_once_in_the_total() -> None:
    make.engineer()
    make.job(flags=("CHP",), duration_minutes=120)

    assert [monday(skill=code)[0].booked for code in ("", "cherry-picker", "team-of-two", "mdu")] == [
        120,
        120,
        120,
        0,
    ]


def test_missing_cherry_picker_is_named_as_the_reason() -> None:
    make.engineer(skills=("team-of-two",))
    make.engineer(skills=("mdu",))
    make.job(flags=("CHP",), window=AFTERNOON)

    (missing,) = read_capacity(make.DAY).figures.unfitted

    assert missing.lacking == "cherry-picker"


def test_holder_who_is_booked_with_other_work_is_no_spare_skill() -> None:
    picker = make.engineer()
    make.engineer(skills=())
    for start in ("08:00", "10:30"):
        job = make.job()
        visits.assign(job=job, engineer=picker, starts_at=make.at(start), by=make.office())
    make.job(flags=("CHP",))

    figures = read_capacity(make.DAY).figures

    assert [job.lacking for job in figures.unfitted] == ["cherry-picker"]
    assert (figures.whole("cherry-picker")[0].spare_jobs, figures.whole()[0].spare_jobs) == (0, 2)


def test_rare_skills_are_left_to_the_jobs_that_need_them() -> None:
    make.engineer(skills=())
    make.engineer(skills=("mdu",))
    for flags in ((), (), ("MDU",)):
        make.job(flags=flags, duration_minutes=150)

    assert read_capacity(make.DAY).figures.unfitted == []


def test_waiting_jobs_count_where_they_lie_and_visits_where_their_engineer_belongs() -> None:
    north, south = area(), area("Leeds South", "LS11")
    of_area(north)
    make.job(at_state=JobState.ASSIGNED, to=of_area(south))
    make.job()
    elsewhere = make.job()
    Job.objects.filter(pk=elsewhere.pk).update(postcode="HG1 1AA")

    rows = read_capacity(make.DAY).figures.rows

    found = {key: rows[key.pk if key else None, ""][0] for key in (north, south, None)}
    assert [(row.jobs, row.waiting_jobs, row.short_jobs) for row in found.values()] == [
        (1, 1, 0),
        (1, 0, 0),
        (1, 1, 1),
    ]


def test_drives_count_before_each_visit_but_the_first_and_as_long_as_they_are_really(
    settings: Settings,
) -> None:
    settings.CAPACITY_TRAVEL_MINUTES = 20
    engineer = make.engineer()
    for start, latitude in (("08:00", 53.81), ("10:45", 53.83)):
        job = make.job()
        Job.objects.filter(pk=job.pk).update(latitude=latitude)
        visits.assign(
            job=Job.objects.get(pk=job.pk), engineer=engineer, starts_at=make.at(start), by=make.office()
        )
    planned = sum(half.booked for half in monday())
    make.job(window=AFTERNOON)
    with_waiting = sum(half.booked for half in monday())

    assert (planned, with_waiting) == (240 + 9, 240 + 9 + 140)

    DriveCorrection.objects.create(
        source=DriveSource.ESTIMATE, hour=None, factor=1.5, learned_from=50, learned_at=make.now()
    )
    assert sum(half.booked for half in monday()) == 240 + 14 + 140


def test_another_area_is_no_work_of_somebody_who_is_limited() -> None:
    north, south = area(), area("Leeds South", "LS11")
    anna, suspended, bela = of_area(north), of_area(north), of_area(south)
    for engineer, postcode in ((anna, "LS6 3AB"), (suspended, "LS6 3AB"), (bela, "LS11 5AB")):
        job = make.job(at_state=JobState.ASSIGNED, to=engineer)
        Job.objects.filter(pk=job.pk).update(postcode=postcode)
    User.objects.filter(engineer=suspended).update(is_active=False)

    with limited_to(scope_of_areas(frozenset({north.pk}))):
        capacity = read_capacity(make.DAY)

    assert {key for key, _skill in capacity.figures.rows} == {north.pk}
    morning = whole(capacity)[0]
    assert (morning.jobs, morning.waiting_jobs, morning.short_jobs) == (2, 1, 0)


def test_colleague_and_jobs_of_another_area_take_only_the_own_engineers_time() -> None:
    """A team of both areas, and a visit in the other one whose engineer is absent."""
    north, south = area(), area("Leeds South", "LS11")
    anna, bela, away = of_area(north), of_area(south), of_area(north)
    visits.assign(
        job=make.job(),
        engineer=bela,
        second_engineer=anna,
        starts_at=make.at("09:00"),
        by=make.office(),
    )
    elsewhere = make.job(at_state=JobState.ASSIGNED, to=away)
    Job.objects.filter(pk=elsewhere.pk).update(postcode="LS11 5AB")
    Absence.objects.create(engineer=away, starts_at=make.at("07:00"), ends_at=make.at("19:00"))

    with limited_to(scope_of_areas(frozenset({north.pk}))):
        morning = whole(read_capacity(make.DAY))[0]

    assert (morning.offered, morning.booked, morning.jobs, morning.waiting_jobs) == (300, 120, 1, 0)


@pytest.mark.parametrize("rows", [1, 3])
def test_number_of_queries_does_not_grow(
    rows: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(rows):
        own = area(f"Area {number}", f"LS{number + 20}")
        day = make.DAY + timedelta(days=number)
        make.job(at_state=JobState.ASSIGNED, to=of_area(own), day=day, flags=("SUR",))
        make.job(day=day, flags=("CHP",))

    with django_assert_num_queries(10):
        read_capacity(make.DAY)
