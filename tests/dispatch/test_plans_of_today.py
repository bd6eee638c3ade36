"""What a plan of the present day proposes can be accepted: it knows who is at home and who is held up as the check
does."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dispatch import jobs, pins
from dispatch.models import PlanProposal, ProposalState
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_acceptance import accept_proposal
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from engineers.models import Engineer
from engineers.shifts import TimeSpan
from tests import make
from tests.dispatch.day_comparisons import job_at, planned
from tests.rolled_back import rolled_back

pytestmark = pytest.mark.django_db
ALL_DAY = ("08:00", "18:00")
NOW = "10:10"
# what an engineer has done by then: nothing, set off, arrived late, ended early, or lost the visit on the way
MORNINGS = ("at home", "not set off", "en route", "on site late", "ended", "cancelled", "ended and cancelled")


def hire(number: int, morning: str, *, latitude: float) -> Engineer:
    engineer = make.engineer(name=f"Engineer {number}")
    Engineer.objects.filter(pk=engineer.pk).update(home_latitude=latitude)
    if morning == "at home":
        return engineer
    if "cancelled" in morning:
        lose_on_the_way(engineer, after_one="ended" in morning)
        return engineer
    away = 54.0 if morning == "ended" else 53.82
    job = planned(engineer, "09:00", latitude=away, window=ALL_DAY, duration_minutes=60)
    # behind it, so that what is late pushes it
    planned(engineer, "10:15", window=ALL_DAY, duration_minutes=45)
    if morning != "not set off":
        make.start_travel(job, occurred_at=make.at("09:40"))
    if morning in {"on site late", "ended"}:
        make.arrive(job, occurred_at=make.at("09:55"))
    if morning == "ended":
        job.visits.update(ended_at=make.at("10:05"))
    return engineer


def lose_on_the_way(engineer: Engineer, *, after_one: bool) -> None:
    """The customer cancels at 10:05, far from the others."""
    if after_one:
        first = planned(engineer, "08:15", window=ALL_DAY, duration_minutes=60)
        make.start_travel(first, occurred_at=make.at("08:10"))
        make.arrive(first, occurred_at=make.at("08:15"))
        first.visits.update(ended_at=make.at("09:15"))
    lost = planned(engineer, "10:00", window=ALL_DAY, latitude=54.3, duration_minutes=60)
    make.start_travel(lost, occurred_at=make.at("09:20"))
    with time_machine.travel(make.at("10:05")):
        jobs.cancel_job(job=lost)


def proposal_from(start: str) -> PlanProposal:
    scope = PlanScope(TimeSpan(make.at(start), make.at("18:00")))
    requested = request_proposal(scope=scope, by=make.dispatcher(), seconds=15, neighbourhoods=2)
    make_proposal(requested.pk)
    proposal = PlanProposal.objects.get(pk=requested.pk)
    assert (proposal.state, proposal.failure) == (ProposalState.READY, "")
    return proposal


@settings(max_examples=8, suppress_health_check=[*HealthCheck])
@given(
    st.lists(
        st.tuples(st.sampled_from(MORNINGS), st.sampled_from([53.8, 53.95, 54.4])), min_size=1, max_size=3
    ),
    st.lists(st.tuples(st.sampled_from([53.81, 54.0]), st.sampled_from([15, 60])), min_size=1, max_size=4),
    st.sampled_from(["00:00", "11:00"]),
)
def test_plan_of_a_day_under_way_is_accepted_as_it_is(
    mornings: list[tuple[str, float]], waiting: list[tuple[float, int]], start: str
) -> None:
    with rolled_back(), time_machine.travel(make.at(NOW), tick=True):
        for number, (morning, latitude) in enumerate(mornings):
            hire(number, morning, latitude=latitude)
        for latitude, minutes in waiting:
            job_at(latitude, window=ALL_DAY, duration_minutes=minutes)

        proposal = proposal_from(start)
        result = accept_proposal(proposal, by=make.office(), now=timezone.now())

        assert [refusal.problems for refusal in result.refusals] == []


def test_plan_of_the_afternoon_waits_for_a_visit_that_is_held_up() -> None:
    with time_machine.travel(make.at("12:50"), tick=True):
        engineer = make.engineer()
        held_up = planned(engineer, "10:00", window=ALL_DAY, duration_minutes=120)
        make.start_travel(held_up, occurred_at=make.at("12:00"))
        make.arrive(held_up, occurred_at=make.at("12:40"))
        job = job_at(53.82, window=ALL_DAY, duration_minutes=30)

        change = proposal_from("13:30").changes.get(job=job)

    assert change.start_after is not None
    assert change.start_after >= make.at("12:40") + timedelta(hours=2)


def test_break_that_a_visit_that_is_held_up_has_begun_is_planned_over_by_nothing_else() -> None:
    with time_machine.travel(make.at("11:10"), tick=True):
        engineer = make.give_break(make.engineer())
        held_up = planned(engineer, "08:15", window=("08:00", "13:00"), duration_minutes=60)
        pins.pin_visit(job=held_up, is_pinned=True, by=make.office())
        job = job_at(53.82, window=("08:00", "13:00"), duration_minutes=15)

        proposal = proposal_from("00:00")
        result = accept_proposal(proposal, by=make.office(), now=timezone.now())

    assert [refusal.problems for refusal in result.refusals] == []
    assert job.visits.current().get().planned_start >= make.at("12:30")


@pytest.mark.parametrize("morning", ["cancelled", "ended and cancelled"])
def test_plan_lets_whoever_lost_a_visit_on_the_way_leave_from_there(morning: str) -> None:
    """Home, and the visit before, are next to the job; the cancelled one is almost two hours away."""
    with time_machine.travel(make.at(NOW), tick=True):
        hire(1, morning, latitude=53.82)
        job = job_at(53.82, window=ALL_DAY, duration_minutes=30)

        proposal = proposal_from("00:00")
        change = proposal.changes.get(job=job)
        result = accept_proposal(proposal, by=make.office(), now=timezone.now())

    assert change.start_after is not None
    assert make.at("11:30") < change.start_after < make.at("13:00")
    assert [refusal.problems for refusal in result.refusals] == []
