"""Breaks, visits over midnight and the nights of the clock changes, in availability, suggestions and messages."""

from datetime import date, time, timedelta

import pytest

from dispatch import visits
from dispatch.availability import NotBookable
from dispatch.models import Job, Visit
from dispatch.slots.slot_suggestions import suggest_slots
from engineers.models import Engineer, HeldSkill, Shift
from engineers.moment_texts import format_days, format_span, format_span_with_day, format_time
from engineers.shifts import TimeSpan
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("day_before")]
TUESDAY = make.DAY + timedelta(days=1)
CLOCKS_BACK, CLOCKS_FORWARD = date(2026, 10, 25), date(2026, 3, 29)


def with_break() -> Engineer:
    return make.give_break(make.engineer())


def at_night() -> Engineer:
    engineer = make.engineer()
    Shift.objects.filter(engineer=engineer).update(starts=time(22), ends=time(6))
    return engineer


def night_job(day: date = make.DAY, *, minutes: int = 240) -> Job:
    job = make.job(duration_minutes=minutes, day=day)
    job.window_start, job.window_end = (
        make.at("22:00", day=day),
        make.at("06:00", day=day + timedelta(days=1)),
    )
    job.save()
    return job


def assign(job: Job, engineer: Engineer, clock: str, *, day: date = make.DAY, reason: str = "") -> Visit:
    return visits.assign(
        job=job,
        engineer=engineer,
        starts_at=make.at(clock, day=day),
        by=make.office(),
        not_before=make.at("00:30", day=day - timedelta(days=1)),
        override_reason=reason,
    )


def refusal(job: Job, engineer: Engineer, clock: str, *, day: date = make.DAY) -> list[tuple[str, str, bool]]:
    with pytest.raises(NotBookable) as refused:
        assign(job, engineer, clock, day=day)
    return [(problem.code, problem.message, problem.can_override) for problem in refused.value.problems]


def test_visit_over_the_break_needs_a_reason() -> None:
    job, engineer = make.job(), with_break()

    assert refusal(job, engineer, "11:00") == [("on_break", "Erin Engineer has a break 12:00–12:30.", True)]
    assert assign(job, engineer, "11:00", reason="Eats later today").planned_start == make.at("11:00")


def test_suggestion_avoids_the_break_where_it_can() -> None:
    engineer = with_break()
    earlier = make.job(duration_minutes=180)
    assign(earlier, engineer, "08:00")

    (slot,) = suggest_slots(make.job(window=("08:00", "18:00")))

    assert (slot.starts_at, slot.is_over_break) == (make.at("12:30"), False)


def test_window_over_lunch_is_suggested_over_the_break_and_after_everybody_else() -> None:
    """Two hours between 11:00 and 14:00 do not fit before or after the break."""
    with_break()
    far_away = make.engineer(name="Sam Second")
    Engineer.objects.filter(pk=far_away.pk).update(home_latitude=54.5)
    job = make.job(window=("11:00", "14:00"))

    first, last = suggest_slots(job)

    assert (first.engineer.name, first.starts_at, first.is_over_break) == (
        "Sam Second",
        make.at("11:00"),
        False,
    )
    assert (last.engineer.name, last.starts_at, last.is_over_break) == (
        "Erin Engineer",
        make.at("11:00"),
        True,
    )


def test_visit_over_midnight_fits_a_night_shift() -> None:
    job, engineer = night_job(), at_night()

    visit = assign(job, engineer, "22:00")

    assert visit.span == TimeSpan(make.at("22:00"), make.at("02:00", day=TUESDAY))
    assert [slot.starts_at for slot in suggest_slots(night_job())] == [make.at("02:00", day=TUESDAY)]


def test_visit_after_midnight_belongs_to_the_shift_of_the_evening_before() -> None:
    visit = assign(night_job(minutes=60), at_night(), "04:30", day=TUESDAY)

    assert visit.planned_end == make.at("05:30", day=TUESDAY)


def test_visit_that_would_end_on_another_day_than_its_window_begins_says_when() -> None:
    job = make.job()
    Job.objects.filter(pk=job.pk).update(window_end=make.at("13:00", day=TUESDAY))
    job.refresh_from_db()

    sentences = [message for _code, message, _ in refusal(job, make.engineer(), "12:00", day=TUESDAY)]

    window = "Mon 23 Nov 08:00 – Tue 24 Nov 13:00"
    text = f"The visit would end on Tue 24 Nov at 14:00, after the customer's window ({window})."
    assert text in sentences


@pytest.mark.parametrize(
    ("clock", "days_later", "sentence"),
    [
        ("21:00", 0, "21:00 is after the customer's window (08:00–13:00)."),
        ("21:00", 1, "Tue 24 Nov 21:00 is after the customer's window (Mon 23 Nov 08:00–13:00)."),
        ("09:00", -1, "Sun 22 Nov 09:00 is before the customer's window (Mon 23 Nov 08:00–13:00)."),
        ("12:00", 0, "The visit would end at 14:00, after the customer's window (08:00–13:00)."),
    ],
)
def test_message_about_another_day_names_the_days(clock: str, days_later: int, sentence: str) -> None:
    day = make.DAY + timedelta(days=days_later)

    assert sentence in [message for _code, message, _ in refusal(make.job(), make.engineer(), clock, day=day)]


def test_message_about_a_night_names_the_days() -> None:
    engineer = at_night()

    assert refusal(night_job(), engineer, "21:00") == [
        (
            "outside_window",
            "21:00 is before the customer's window (Mon 23 Nov 22:00 – Tue 24 Nov 06:00).",
            False,
        ),
        (
            "outside_shift",
            "Erin Engineer works Sun 22 Nov 22:00 – Mon 23 Nov 06:00, Mon 23 Nov 22:00 – Tue 24 Nov 06:00 that day.",
            True,
        ),
    ]


@pytest.mark.parametrize(("sunday", "ends"), [(CLOCKS_BACK, "01:00"), (CLOCKS_FORWARD, "03:00")])
def test_visit_in_the_night_of_a_clock_change_keeps_its_length(sunday: date, ends: str) -> None:
    saturday = sunday - timedelta(days=1)
    job = night_job(saturday, minutes=180)

    visit = assign(job, at_night(), "23:00", day=saturday)

    assert visit.span.length == timedelta(hours=3)
    assert format_time(visit.planned_end) == {"01:00": "01:00 GMT", "03:00": "03:00"}[ends]


def test_hour_that_comes_twice_names_its_zone() -> None:
    first = make.at("01:30", day=CLOCKS_BACK)
    later = first.replace(fold=1)

    assert (format_time(first), format_time(later)) == ("01:30 BST", "01:30 GMT")
    assert format_span(TimeSpan(make.at("00:30", day=CLOCKS_BACK), later)) == "00:30–01:30 GMT"


def test_span_over_midnight_names_both_days() -> None:
    night = TimeSpan(make.at("22:00"), make.at("02:00", day=TUESDAY))

    assert format_span(night) == format_span_with_day(night) == "Mon 23 Nov 22:00 – Tue 24 Nov 02:00"
    assert format_span_with_day(TimeSpan(make.at("08:00"), make.at("10:00"))) == "Mon 23 Nov 08:00–10:00"


def test_span_until_midnight_ends_at_24_00_of_its_day() -> None:
    evening = TimeSpan(make.at("20:00"), make.at("00:00", day=TUESDAY))

    assert format_span(evening) == "20:00–24:00"
    assert format_span_with_day(evening) == "Mon 23 Nov 20:00–24:00"
    later = TimeSpan(make.at("20:00"), make.at("00:00", day=TUESDAY + timedelta(days=1)))
    assert format_span(later) == "Mon 23 Nov 20:00 – Wed 25 Nov 00:00"


@pytest.mark.parametrize(
    ("days", "ends", "text"),
    [
        (1, "00:00", "Mon 23 Nov"),
        (5, "00:00", "Mon 23 Nov – Fri 27 Nov"),
        (0, "13:00", "Mon 23 Nov 00:00–13:00"),
        (1, "06:00", "Mon 23 Nov 00:00 – Tue 24 Nov 06:00"),
    ],
)
def test_whole_days_are_written_without_times(days: int, ends: str, text: str) -> None:
    span = TimeSpan(make.at("00:00"), make.at(ends, day=make.DAY + timedelta(days=days)))

    assert format_days(span) == text


def test_visit_until_midnight_needs_the_skill_on_its_own_day_only() -> None:
    evening, engineer = make.job(flags=("CHP",), duration_minutes=120), make.engineer(ends="23:59")
    Job.objects.filter(pk=evening.pk).update(window_end=make.at("00:00", day=TUESDAY))
    evening.refresh_from_db()
    HeldSkill.objects.filter(engineer=engineer).update(expires_on=make.DAY)

    visit = assign(evening, engineer, "22:00", reason="Alone")

    assert visit.span.last_day == make.DAY
