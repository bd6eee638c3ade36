"""Shifts over midnight, for the planner: written as one or as two that meet there, they are the same."""

from datetime import datetime, time, timedelta

import pytest
import time_machine

from dispatch.models import Occasion
from dispatch.planning.comparisons import request_comparison
from dispatch.planning.plan_scope import PlanScope
from dispatch.planning.problem_reader import read_problem
from engineers.models import Engineer, Shift
from engineers.shifts import LAST_MINUTE, Window, day_window
from tests import make

pytestmark = pytest.mark.django_db
NEXT_DAY = make.DAY + timedelta(days=1)


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("06:00"), tick=True):
        yield


def evening_shift(*, night_until: str) -> Engineer:
    """Every day 16:00 to 24:00, and from then on until this time."""
    engineer = make.engineer(starts="16:00", ends=LAST_MINUTE.isoformat())
    for weekday in range(7):
        Shift.objects.create(
            engineer=engineer, weekday=weekday, starts=time(0), ends=time.fromisoformat(night_until)
        )
    return engineer


def planned_shifts(span: Window) -> list[tuple[datetime, datetime]]:
    found = read_problem(PlanScope(span), now=make.now())
    assert found
    return [(found.moment(day.shift.start), found.moment(day.shift.end)) for day in found.problem.engineers]


def test_two_shifts_that_meet_at_midnight_are_one() -> None:
    evening_shift(night_until="02:00")

    whole_days = Window(day_window(make.DAY).start, day_window(NEXT_DAY).end)
    day_after = NEXT_DAY + timedelta(days=1)
    assert planned_shifts(whole_days) == [
        (make.at("16:00"), make.at("02:00", day=NEXT_DAY)),
        (make.at("16:00", day=NEXT_DAY), make.at("02:00", day=day_after)),
    ]


def test_one_shift_over_midnight_is_as_it_was() -> None:
    engineer = make.engineer()
    engineer.shifts.update(starts=time(16), ends=time(2))

    assert planned_shifts(Window(make.at("12:00"), make.at("23:00"))) == [
        (make.at("16:00"), make.at("02:00", day=NEXT_DAY))
    ]


def test_days_around_the_clock_stay_days() -> None:
    make.engineer(starts="00:00", ends=LAST_MINUTE.isoformat())

    whole_days = Window(day_window(NEXT_DAY).start, day_window(NEXT_DAY + timedelta(days=1)).end)
    assert [(end - start).total_seconds() / 3600 for start, end in planned_shifts(whole_days)] == [24, 24]


def test_day_of_whoever_works_at_night_is_gone_on_with_after_midnight() -> None:
    """For somebody who works by day it ends at midnight."""
    night, day = evening_shift(night_until="06:00"), make.engineer()

    ends = [
        request_comparison(occasion=Occasion.ENGINEER_ABSENT, by=make.dispatcher(), engineer=engineer)
        .proposals.first()
        .ends_at
        for engineer in (night, day)
    ]

    assert ends == [make.at("06:00", day=NEXT_DAY), make.at("00:00", day=NEXT_DAY)]
