"""The drive from home to a first visit: before a shift nobody's working time, in one that has begun its own."""

from datetime import datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from dispatch.models import ChangeKind, Occasion, PlanProposal
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from dispatch.planning.reason_codes import UnassignedCode
from dispatch.slots import slot_suggestions
from engineers.models import Engineer
from engineers.shifts import day_span
from tests import make
from tests.dispatch.day_comparisons import compared, job_at, kinds, planned, proposal_of

pytestmark = pytest.mark.django_db
# about an hour from `make.HERE`
FAR_HOME = 54.4


def engineer_from_afar(name: str = "Ben") -> Engineer:
    engineer = make.engineer(name=name)
    Engineer.objects.filter(pk=engineer.pk).update(home_latitude=FAR_HOME)
    return engineer


def day_plan() -> PlanProposal:
    scope = PlanScope(day_span(make.DAY))
    requested = request_proposal(scope=scope, by=make.dispatcher(), seconds=15, neighbourhoods=2)
    make_proposal(requested.pk)
    return PlanProposal.objects.get(pk=requested.pk)


def test_in_a_shift_that_has_begun_the_first_drive_takes_time() -> None:
    with time_machine.travel(make.at("11:20"), tick=True):
        engineer_from_afar()
        urgent = job_at(53.82, window=("08:00", "12:00"), duration_minutes=30)

        change = proposal_of(compared(Occasion.URGENT_JOB, job=urgent)).changes.get()

    assert (change.kind, change.reason) == (ChangeKind.REMAIN_UNASSIGNED, UnassignedCode.REACH)


def test_whoever_is_out_already_comes_before_somebody_at_a_far_home() -> None:
    with time_machine.travel(make.at("11:20"), tick=True):
        ann = make.engineer(name="Ann")
        engineer_from_afar()
        before = planned(ann, "10:45", duration_minutes=30)
        make.start_travel(before, occurred_at=make.at("10:40"))
        make.arrive(before, occurred_at=make.at("10:45"))
        urgent = job_at(53.82, window=("08:00", "12:15"), duration_minutes=30)

        change = day_plan().changes.get(job=urgent)

    assert change.engineer_after == ann


def test_before_the_shift_the_first_drive_is_made_in_time() -> None:
    with time_machine.travel(make.at("07:00"), tick=True):
        ben = engineer_from_afar()
        job = job_at(53.82, window=("08:00", "08:30"), duration_minutes=30)

        change = day_plan().changes.get()
        slots = slot_suggestions.suggest_slots(job, not_before=timezone.now())

    assert (change.engineer_after, change.start_after) == (ben, make.at("08:00"))
    assert [slot.starts_at for slot in slots] == [make.at("08:00")]


def test_visit_that_nobody_set_off_to_is_late_by_the_drive() -> None:
    with time_machine.travel(make.at("11:20"), tick=True):
        ben = engineer_from_afar()
        overdue = planned(ben, "09:00", window=("08:00", "18:00"), duration_minutes=30)

        proposal = day_plan()
        change = proposal.changes.get()

    assert kinds(proposal) == {overdue.pk: ChangeKind.STAY_LATE}
    assert change.start_after is not None and change.start_after > make.at("12:00")


@pytest.mark.parametrize(("clock", "earliest"), [("11:20", timedelta(minutes=40)), ("07:20", timedelta())])
def test_suggestions_count_the_drive_from_home(clock: str, earliest: timedelta) -> None:
    now: datetime = make.at(clock)
    with time_machine.travel(now):
        engineer_from_afar()
        job = job_at(53.82, window=("08:00", "18:00"), duration_minutes=30)

        (slot,) = slot_suggestions.suggest_slots(job, not_before=now)

    assert timedelta(seconds=slot.travel_seconds) > timedelta(minutes=40)
    assert slot.starts_at >= max(now + earliest, make.at("08:00"))
    assert (slot.starts_at == make.at("08:00")) is (clock == "07:20")


def test_who_worked_before_time_off_is_no_longer_at_home() -> None:
    with time_machine.travel(make.at("09:50"), tick=True):
        engineer = make.give_break(engineer_from_afar(), "12:00", "15:00")
        morning = planned(engineer, "10:00", duration_minutes=60)
        make.start_travel(morning)
        make.arrive(morning)
    morning.visits.update(ended_at=make.at("11:00"))
    with time_machine.travel(make.at("15:29"), tick=True):
        urgent = job_at(53.82, window=("08:00", "18:00"), duration_minutes=30)

        (slot,) = slot_suggestions.suggest_slots(urgent, not_before=timezone.now())
        change = proposal_of(compared(Occasion.URGENT_JOB, job=urgent)).changes.get(job=urgent)

    assert slot.starts_at == change.start_after == make.at("15:30")


@pytest.mark.parametrize(("break_ends", "is_before_shift"), [("15:00", True), ("13:00", False)])
def test_time_off_is_before_a_shift_and_a_break_is_in_it(break_ends: str, *, is_before_shift: bool) -> None:
    with time_machine.travel(make.at("12:29"), tick=True):
        make.give_break(engineer_from_afar(), "12:00", break_ends)
        urgent = job_at(53.82, window=("08:00", "18:00"), duration_minutes=30)

        (slot,) = slot_suggestions.suggest_slots(urgent, not_before=timezone.now())
        change = proposal_of(compared(Occasion.URGENT_JOB, job=urgent)).changes.get(job=urgent)

    assert change.start_after is not None
    assert (slot.starts_at == make.at("15:00")) is is_before_shift
    assert (change.start_after == make.at("15:00")) is is_before_shift
