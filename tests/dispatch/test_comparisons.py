"""Three options to go on with a day: what each proposes for an urgent job, an absence, a longer visit, a
cancellation."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta

import pytest
import time_machine

from dispatch import jobs, pins, visits
from dispatch.job_events import Performer
from dispatch.models import ChangeKind, Job, Occasion, PlanOption, PlanProposal, ProposalState
from dispatch.plan_changes import plan_actions
from dispatch.planning.change_weights import CHANGE_MINUTES, ChangeWeight
from dispatch.planning.comparison_making import make_comparison
from dispatch.planning.comparisons import record_comparison_failure, request_comparison
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_acceptance import accept_proposal
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from dispatch.states import Actor, JobState
from engineers.models import Absence, AuditEntry, Engineer
from engineers.shifts import TimeSpan
from tests import make
from tests.dispatch.day_comparisons import compared, job_at, kinds, planned, proposal_of

pytestmark = pytest.mark.django_db
TEN = make.at("10:00")
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def ten() -> object:
    with time_machine.travel(TEN, tick=True):
        yield


def engineer_of(job: Job) -> Engineer | None:
    visit = visits.current_visit(job)
    return visit.engineer if visit else None


def test_urgent_job_finds_an_engineer_and_the_other_unassigned_ones_wait() -> None:
    make.engineer(name="Erin")
    urgent, other = job_at(53.82), job_at(53.83)

    comparison = compared(Occasion.URGENT_JOB, job=urgent)

    assert kinds(proposal_of(comparison)) == {urgent.pk: ChangeKind.ASSIGN}
    assert kinds(proposal_of(comparison, PlanOption.WIDER)) == {urgent.pk: ChangeKind.ASSIGN}
    everybody = kinds(proposal_of(comparison, PlanOption.EVERYBODY))
    assert everybody == {urgent.pk: ChangeKind.ASSIGN, other.pk: ChangeKind.ASSIGN}
    assert Job.objects.filter(state=JobState.ASSIGNED).count() == 0


def test_option_that_is_accepted_changes_the_plan_and_the_others_are_refused_then() -> None:
    make.engineer(name="Erin")
    urgent = job_at(53.82)
    comparison = compared(Occasion.URGENT_JOB, job=urgent)

    done = accept_proposal(proposal_of(comparison), by=make.office(), now=TEN)
    late = accept_proposal(proposal_of(comparison, PlanOption.EVERYBODY), by=make.office(), now=TEN)

    assert [change.job_id for change in done.accepted] == [urgent.pk]
    assert (late.accepted, len(late.refusals)) == ([], 1)


def test_visits_of_an_absent_engineer_go_to_others_at_the_times_that_were_promised() -> None:
    ann, lee = make.engineer(name="Ann"), make.engineer(name="Lee")
    lost = planned(ann, "11:00")
    remaining = planned(lee, "12:00")

    comparison = compared(Occasion.ENGINEER_ABSENT, engineer=ann)

    (change,) = proposal_of(comparison).changes.all()
    assert (change.job_id, change.kind, change.engineer_after_id) == (lost.pk, ChangeKind.REASSIGN, lee.pk)
    assert change.start_after == make.at("11:00")
    assert remaining.pk not in kinds(proposal_of(comparison))


def test_absence_is_entered_with_the_option_undone_and_redone_with_it() -> None:
    ann, lee = make.engineer(name="Ann"), make.engineer(name="Lee")
    lost, by = planned(ann, "11:00"), make.office()
    comparison = compared(Occasion.ENGINEER_ABSENT, engineer=ann)

    done = accept_proposal(proposal_of(comparison), by=by, now=TEN, absence_reason="flu")

    absence = ann.absences.get()
    assert (absence.starts_at, absence.ends_at) == (comparison.requested_at, make.at("00:00") + DAY)
    assert (absence.reason, done.absent) == ("flu", ann)
    assert "flu" not in str(AuditEntry.objects.values_list("before", "after"))
    assert [engineer_of(lost), done.refusals] == [lee, []]

    assert done.action
    plan_actions.undo(done.action, by=by)
    assert [engineer_of(lost), ann.absences.count()] == [ann, 0]
    plan_actions.redo(done.action, by=by)
    assert [engineer_of(lost), ann.absences.get().reason] == [lee, ""]


def test_absence_is_entered_where_nothing_else_changes_and_only_once() -> None:
    ann, by = make.engineer(name="Ann"), make.office()
    proposals = [proposal_of(compared(Occasion.ENGINEER_ABSENT, engineer=ann)) for _ in range(2)]

    first, second = (accept_proposal(proposal, by=by, now=TEN) for proposal in proposals)

    assert ann.absences.count() == 1
    assert [first.absent, second.absent, second.action] == [ann, None, None]
    assert first.action
    plan_actions.undo(first.action, by=by)
    assert not ann.absences.exists()


def test_absence_that_was_there_before_stays_when_the_way_is_undone() -> None:
    ann, by = make.engineer(name="Ann"), make.office()
    make.engineer(name="Lee")
    planned(ann, "11:00")
    comparison = compared(Occasion.ENGINEER_ABSENT, engineer=ann)
    Absence.objects.create(engineer=ann, starts_at=make.at("09:00"), ends_at=make.at("23:59") + DAY)

    done = accept_proposal(proposal_of(comparison), by=by, now=TEN)

    assert done.action
    plan_actions.undo(done.action, by=by)
    assert ann.absences.count() == 1


def test_absence_is_entered_even_where_every_day_is_refused() -> None:
    ann, lee = make.engineer(name="Ann"), make.engineer(name="Lee")
    lost, by = planned(ann, "11:00"), make.office()
    comparison = compared(Occasion.ENGINEER_ABSENT, engineer=ann)
    planned(lee, "11:00")
    pins.pin_visit(job=lost, is_pinned=True, by=by)

    done = accept_proposal(proposal_of(comparison), by=by, now=TEN)

    assert [done.accepted, done.absent, engineer_of(lost)] == [[], ann, ann]
    assert ann.absences.exists()


def test_job_that_is_cancelled_is_unassigned_with_the_way_and_undone_with_it() -> None:
    ann, by = make.engineer(name="Ann"), make.office()
    make.give_break(ann)
    off, waiting = planned(ann, "10:30"), job_at(53.82)
    comparison = compared(Occasion.JOB_CANCELLED, job=off)

    done = accept_proposal(proposal_of(comparison), by=by, now=TEN)

    assert (done.unassigned, done.refusals) == (off, [])
    assert [engineer_of(off), engineer_of(waiting)] == [None, ann]
    assert done.action
    plan_actions.undo(done.action, by=by)
    assert [engineer_of(off), engineer_of(waiting)] == [ann, None]


def test_job_that_the_seller_has_cancelled_itself_needs_nothing() -> None:
    ann = make.engineer(name="Ann")
    off, waiting = planned(ann, "10:30"), job_at(53.82)
    comparison = compared(Occasion.JOB_CANCELLED, job=off)
    jobs.cancel_job(job=off)

    done = accept_proposal(proposal_of(comparison), by=make.office(), now=TEN)

    assert (done.unassigned, done.refusals) == (None, [])
    assert engineer_of(waiting) == ann


def test_cancelled_job_that_a_colleague_has_assigned_since_stays_with_the_engineer() -> None:
    ann, lee, by = make.engineer(name="Ann"), make.engineer(name="Lee"), make.office()
    off = planned(ann, "10:30")
    nearest, other = (
        proposal_of(compared(Occasion.JOB_CANCELLED, job=off), option)
        for option in (PlanOption.NEAREST, PlanOption.EVERYBODY)
    )
    accept_proposal(nearest, by=by, now=TEN)
    visits.assign(job=off, engineer=lee, starts_at=make.at("11:00"), by=by)

    again = accept_proposal(PlanProposal.objects.get(pk=nearest.pk), by=by, now=TEN)
    done = accept_proposal(other, by=by, now=TEN)

    assert (again.unassigned, again.refusals) == (None, [])
    (refusal,) = done.refusals
    assert "assigned this job to Lee" in refusal.problems[0].message
    assert (done.unassigned, engineer_of(off)) == (None, lee)


def test_cancelled_job_to_which_the_engineer_has_set_off_since_stays() -> None:
    ann = make.engineer(name="Ann")
    off = planned(ann, "10:30")
    option = proposal_of(compared(Occasion.JOB_CANCELLED, job=off))
    make.start_travel(off)

    done = accept_proposal(option, by=make.office(), now=TEN)

    (refusal,) = done.refusals
    assert "Ann reported En route" in refusal.problems[0].message
    assert (done.unassigned, engineer_of(off)) == (None, ann)


def test_option_that_two_accept_in_parts_unassigns_the_cancelled_job_once() -> None:
    ann, lee = make.engineer(name="Ann"), make.engineer(name="Lee")
    dispatchers = [Performer(Actor.DISPATCHER, make.dispatcher()) for _ in range(2)]
    off, _first, _second = planned(ann, "10:30"), job_at(53.82), job_at(53.83)
    option = proposal_of(compared(Occasion.JOB_CANCELLED, job=off), PlanOption.EVERYBODY)
    parts = [[change.pk] for change in option.changes.filter(kind=ChangeKind.ASSIGN)]
    for part, by in zip(parts, dispatchers, strict=True):
        option.refresh_from_db()
        assert accept_proposal(option, by=by, now=TEN, only=part).accepted
    visits.assign(job=off, engineer=lee, starts_at=make.at("11:30"), by=dispatchers[0])
    option.refresh_from_db()

    again = accept_proposal(option, by=dispatchers[0], now=TEN)

    assert (again.unassigned, again.refusals, engineer_of(off)) == (None, [], lee)


def test_undone_option_unassigns_the_cancelled_job_when_it_is_accepted_again() -> None:
    ann, by = make.engineer(name="Ann"), make.office()
    off = planned(ann, "10:30")
    proposal = proposal_of(compared(Occasion.JOB_CANCELLED, job=off))
    first = accept_proposal(proposal, by=by, now=TEN)
    assert first.action
    plan_actions.undo(first.action, by=by)

    done = accept_proposal(PlanProposal.objects.get(pk=proposal.pk), by=by, now=TEN)

    assert (done.unassigned, done.refusals, engineer_of(off)) == (off, [], None)


def test_engineer_who_leaves_later_keeps_what_comes_before() -> None:
    ann = make.engineer(name="Ann")
    # so near that nobody saves half an hour of driving with both
    early, late = planned(ann, "10:30", latitude=53.805), planned(ann, "12:00", latitude=53.805)
    make.engineer(name="Lee")

    comparison = compared(Occasion.ENGINEER_ABSENT, engineer=ann, absent_since=make.at("11:45"))

    assert kinds(proposal_of(comparison)) == {late.pk: ChangeKind.REASSIGN}
    assert early.pk not in kinds(proposal_of(comparison))


def test_visits_after_a_longer_one_begin_later_if_their_window_allows_it() -> None:
    ann = make.engineer(name="Ann")
    long, after = planned(ann, "10:30"), planned(ann, "11:30")

    comparison = compared(Occasion.VISIT_LONGER, job=long, longer_minutes=30)

    (change,) = proposal_of(comparison).changes.all()
    assert (change.job_id, change.kind) == (after.pk, ChangeKind.RESCHEDULE)
    assert change.start_after == make.at("12:00")


def test_time_of_a_cancelled_job_goes_to_one_that_waits() -> None:
    ann = make.engineer(name="Ann")
    make.give_break(ann)
    off = planned(ann, "10:30")

    waiting = job_at(53.82)
    comparison = compared(Occasion.JOB_CANCELLED, job=off)

    assert kinds(proposal_of(comparison)) == {waiting.pk: ChangeKind.ASSIGN}


def test_time_of_a_visit_without_access_goes_to_one_that_waits() -> None:
    """Ann, who should be there until noon, has the hours until her next visit now."""
    ann = make.engineer(name="Ann")
    shut = job_at(53.82, duration_minutes=120)
    visits.assign(job=shut, engineer=ann, starts_at=make.at("10:00"), by=make.office())
    make.start_travel(shut)
    make.arrive(shut)
    planned(ann, "12:00")
    waiting = job_at(53.82)

    comparison = compared(Occasion.NO_ACCESS, job=shut)

    assert kinds(proposal_of(comparison)) == {waiting.pk: ChangeKind.ASSIGN}
    assert proposal_of(comparison).changes.get().engineer_after == ann


def test_each_option_has_the_seconds_that_were_requested() -> None:
    make.engineer()
    comparison = compared(Occasion.URGENT_JOB, job=job_at(53.82), seconds=7)

    assert set(comparison.proposals.values_list("seconds", flat=True)) == {7}


def test_same_request_twice_makes_its_ways_once() -> None:
    make.engineer()
    comparison = compared(Occasion.URGENT_JOB, job=job_at(53.82))
    before = PlanProposal.objects.count(), proposal_of(comparison).changes.count()

    make_comparison(comparison.pk)

    assert (PlanProposal.objects.count(), proposal_of(comparison).changes.count()) == before


def test_failure_is_recorded_with_all_ways_that_are_not_ready_at_once(
    django_assert_num_queries: Callable[[int], AbstractContextManager[object]],
) -> None:
    comparison = request_comparison(occasion=Occasion.URGENT_JOB, by=make.dispatcher(), job=job_at(53.82))
    comparison.proposals.filter(option=PlanOption.NEAREST).update(state=ProposalState.READY)

    with django_assert_num_queries(1):
        record_comparison_failure(comparison.pk, "x" * 400)

    rows = comparison.proposals.values_list("option", "state", "failure")
    found = {option: (state, len(text)) for option, state, text in rows}
    failed = (ProposalState.FAILED, 300)
    assert found == {
        PlanOption.NEAREST: (ProposalState.READY, 0),
        PlanOption.WIDER: failed,
        PlanOption.EVERYBODY: failed,
    }


def test_each_option_says_how_many_windows_it_would_miss() -> None:
    """Ann's visit begins long after its window: it is missed unless an option moves it, and nothing else is."""
    ann = make.engineer(name="Ann")
    long = planned(ann, "10:30")
    late = planned(ann, "12:00")
    late.visits.update(planned_start=make.at("14:00"), planned_end=make.at("15:00"), is_pinned=True)

    comparison = compared(Occasion.VISIT_LONGER, job=long, longer_minutes=30)

    proposal = proposal_of(comparison)
    assert proposal.misses_before == pytest.approx(1.0, abs=0.2)
    assert proposal.misses == pytest.approx(1.0, abs=0.2)


def test_option_keeps_what_was_agreed_after_the_window() -> None:
    """No plan puts it back into a window that the customer gave up, and it counts as no missed window."""
    ann = make.engineer(name="Ann")
    long = planned(ann, "10:30")
    agreed = planned(ann, "12:00")
    agreed.visits.update(planned_start=make.at("14:00"), planned_end=make.at("15:00"), is_start_agreed=True)

    comparison = compared(Occasion.VISIT_LONGER, job=long, longer_minutes=30)

    proposal = proposal_of(comparison)
    assert not proposal.changes.filter(job=agreed).exists()
    assert proposal.misses == pytest.approx(0.0, abs=0.2)


@pytest.mark.parametrize(("weight", "moved"), [(ChangeWeight.FEW, 0), (ChangeWeight.AS_NEEDED, 1)])
def test_weight_decides_whether_a_visit_changes_its_engineer(weight: ChangeWeight, moved: int) -> None:
    """Lee is near the second visit anyway: with Ann it costs ten minutes of driving there and ten back."""
    ann, lee = make.engineer(name="Ann"), make.engineer(name="Lee")
    Engineer.objects.filter(pk=lee.pk).update(home_latitude=53.81)
    planned(lee, "10:30", latitude=53.81)
    planned(ann, "10:30", latitude=53.80)
    second = planned(ann, "12:00", latitude=53.81)
    scope = PlanScope(TimeSpan(TEN, make.at("18:00")))
    proposal = request_proposal(
        scope=scope, by=make.dispatcher(), neighbourhoods=4, change_minutes=CHANGE_MINUTES[weight]
    )

    make_proposal(proposal.pk)

    changed = [job for job, kind in kinds(proposal).items() if kind == ChangeKind.REASSIGN]
    assert changed == [second.pk] * moved
