"""Shifts over midnight, for the planner: written as one or as two that meet there, they are the same."""

from dataclasses import replace
from datetime import datetime, time, timedelta

import pytest
import time_machine

from dispatch import jobs, visits
from dispatch.models import ChangeKind, Occasion, PlanProposal, ProposedChange
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.planning.comparisons import request_comparison
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.problem.problem_reader import read_problem
from dispatch.planning.proposal_acceptance import accept_proposal, groups_of_days
from dispatch.planning.proposals import request_proposal
from engineers.models import Engineer, Shift
from engineers.shifts import LAST_MINUTE, TimeSpan, day_span, local_time
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


def planned_shifts(span: TimeSpan) -> list[tuple[datetime, datetime]]:
    found = read_problem(PlanScope(span), now=make.now())
    assert found
    return [(found.moment(day.shift.start), found.moment(day.shift.end)) for day in found.problem.engineers]


def test_two_shifts_that_meet_at_midnight_are_one() -> None:
    evening_shift(night_until="02:00")

    whole_days = TimeSpan(day_span(make.DAY).start, day_span(NEXT_DAY).end)
    day_after = NEXT_DAY + timedelta(days=1)
    assert planned_shifts(whole_days) == [
        (make.at("16:00"), make.at("02:00", day=NEXT_DAY)),
        (make.at("16:00", day=NEXT_DAY), make.at("02:00", day=day_after)),
    ]


def test_one_shift_over_midnight_is_as_it_was() -> None:
    engineer = make.engineer()
    engineer.shifts.update(starts=time(16), ends=time(2))

    assert planned_shifts(TimeSpan(make.at("12:00"), make.at("23:00"))) == [
        (make.at("16:00"), make.at("02:00", day=NEXT_DAY))
    ]


def test_days_around_the_clock_stay_days() -> None:
    make.engineer(starts="00:00", ends=LAST_MINUTE.isoformat())

    whole_days = TimeSpan(day_span(NEXT_DAY).start, day_span(NEXT_DAY + timedelta(days=1)).end)
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


def reschedule(
    proposal: PlanProposal, engineer: Engineer, *, latitude: float, starts_at: datetime, minutes: int
) -> ProposedChange:
    """A visit that the proposal begins a quarter of an hour later."""
    pack = make.pack(day=local_time(starts_at).date(), window=("00:00", "23:59"), duration_minutes=minutes)
    premises = replace(pack.premises, latitude=latitude)
    pack = replace(pack, premises=premises, window_end=pack.window_end + timedelta(hours=6))
    job = jobs.create_job(pack=pack).job
    visit = visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=make.office())
    return proposal.changes.create(
        job=job,
        kind=ChangeKind.RESCHEDULE,
        engineer_before=engineer,
        start_before=starts_at,
        engineer_after=engineer,
        start_after=starts_at + timedelta(minutes=15),
        version=plan_version(visit),
        reason="better_route",
    )


def test_changes_of_a_night_are_accepted_together() -> None:
    """The evening's visit alone would leave no time for the drive to the one after midnight."""
    night = make.engineer(starts="22:00", ends="06:00")
    proposal = request_proposal(scope=PlanScope(day_span(make.DAY)), by=make.dispatcher())
    evening, following = make.at("23:00"), make.at("00:45", day=NEXT_DAY)
    first = reschedule(proposal, night, latitude=53.81, starts_at=evening, minutes=90)
    second = reschedule(proposal, night, latitude=53.83, starts_at=following, minutes=60)

    result = accept_proposal(proposal, by=make.office(), now=make.now())

    assert (result.refusals, result.accepted) == ([], [first, second])


def test_next_night_is_accepted_for_itself() -> None:
    night = make.engineer(starts="22:00", ends="06:00")
    proposal = request_proposal(scope=PlanScope(day_span(make.DAY)), by=make.dispatcher())
    nights = [
        reschedule(proposal, night, latitude=53.81, starts_at=make.at("23:00", day=day), minutes=60)
        for day in (make.DAY, NEXT_DAY)
    ]

    assert groups_of_days(nights) == [[change] for change in nights]


def test_visit_after_midnight_waits_for_the_evening_that_it_follows() -> None:
    """The evening's visit goes to Lee first: only then Ann is free for what comes earlier."""
    ann, lee = (make.engineer(starts="22:00", ends="06:00") for _ in range(2))
    proposal = request_proposal(scope=PlanScope(day_span(make.DAY)), by=make.dispatcher())
    following = make.at("00:45", day=NEXT_DAY)
    second = reschedule(proposal, ann, latitude=53.83, starts_at=following, minutes=60)
    first = reschedule(proposal, ann, latitude=53.81, starts_at=make.at("23:00"), minutes=90)
    proposal.changes.filter(pk=first.pk).update(engineer_after=lee)
    first.refresh_from_db()

    assert groups_of_days([second, first]) == [[first], [second]]
