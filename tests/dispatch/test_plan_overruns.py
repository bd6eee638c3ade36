"""That a visit takes longer is known once an option of going on with it was accepted, and forgotten with an undo."""

from datetime import datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from dispatch import pins, visits
from dispatch.models import ChangeKind, Job, Occasion, PlanProposal
from dispatch.on_time_forecast.day_forecast import update_forecast
from dispatch.on_time_forecast.stored_forecast import read_on_time_forecast
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.planning.proposal_acceptance import Acceptance, accept_proposal
from dispatch.slots import slot_suggestions
from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.dispatch.day_comparisons import compared, job_at, planned, proposal_of

pytestmark = pytest.mark.django_db
LONGER = timedelta(minutes=120)


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("10:20"), tick=True):
        yield


def visit_on_site(engineer: Engineer) -> Job:
    job = planned(engineer, "10:00", window=("08:00", "18:00"))
    make.start_travel(job, occurred_at=make.at("09:50"))
    make.arrive(job, occurred_at=make.at("10:00"))
    return job


def longer(job: Job) -> PlanProposal:
    return proposal_of(compared(Occasion.VISIT_LONGER, job=job, longer_minutes=120))


def accept(proposal: PlanProposal) -> Acceptance:
    return accept_proposal(proposal, by=make.office(), now=timezone.now())


def start_of_urgent_job() -> datetime | None:
    urgent = job_at(53.82, window=("10:00", "13:00"))
    start: datetime | None = (
        proposal_of(compared(Occasion.URGENT_JOB, job=urgent)).changes.get(job=urgent).start_after
    )
    return start


def test_accepted_option_keeps_the_time_of_the_longer_visit() -> None:
    job = visit_on_site(make.engineer(name="Ann"))
    proposal = longer(job)

    result = accept(proposal)

    assert result.longer == job
    assert job.visits.get().overrun == LONGER
    assert start_of_urgent_job() is None
    assert slot_suggestions.suggest_slots(job_at(53.82), not_before=timezone.now()) == []


def test_forecast_and_finish_follow() -> None:
    ann = make.engineer(name="Ann")
    accept(longer(visit_on_site(ann)))

    update_forecast(timezone.now())

    finish = read_on_time_forecast(make.DAY, now=timezone.now()).finish_of(ann.pk)
    assert finish and finish > make.at("12:00")


def test_undo_takes_it_back_and_redo_enters_it_again() -> None:
    job = visit_on_site(make.engineer(name="Ann"))
    action = accept(longer(job)).action
    assert action and action.user
    by = make.office()

    plan_actions.undo(action, by=by)
    assert job.visits.get().overrun == timedelta()
    plan_actions.redo(action, by=by)

    assert job.visits.get().overrun == LONGER


def test_second_option_or_second_press_enters_it_once() -> None:
    job = visit_on_site(make.engineer(name="Ann"))
    planned(job.visits.get().engineer, "11:15", window=("08:00", "18:00"))
    proposal = longer(job)

    options = PlanProposal.objects.filter(comparison=proposal.comparison)
    results = [accept(option) for option in (proposal, proposal, *options)]

    assert [result.longer for result in results[1:]] == [None] * (len(results) - 1)
    assert job.visits.get().overrun == LONGER


def test_more_time_is_added_to_what_is_expected() -> None:
    job = visit_on_site(make.engineer(name="Ann"))
    accept(longer(job))

    accept(longer(job))

    assert job.visits.get().overrun == 2 * LONGER


def test_what_two_say_before_either_is_accepted_counts_once() -> None:
    job = visit_on_site(make.engineer(name="Ann"))
    first, second = longer(job), longer(job)

    results = [accept(first), accept(second)]

    assert [result.longer for result in results] == [job, None]
    assert job.visits.get().overrun == LONGER


def test_visit_that_nobody_has_begun_is_planned_with_its_length() -> None:
    ann = make.engineer(name="Ann")
    job = planned(ann, "11:00", window=("08:00", "18:00"))
    following = planned(ann, "12:30", window=("08:00", "18:00"))

    result = accept(longer(job))

    assert job.visits.current().get().overrun == LONGER
    assert following.visits.current().get().planned_start >= make.at("14:00")
    assert [change.kind for change in result.accepted] == [ChangeKind.RESCHEDULE]
    assert Job.objects.filter(state=JobState.ASSIGNED).count() == 2


def current_overrun(job: Job) -> timedelta:
    return job.visits.current().get().overrun


def test_job_that_the_option_hands_over_takes_longer_there_too() -> None:
    ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben")
    job = planned(ann, "11:00", window=("11:00", "12:30"))
    following = planned(ann, "12:15", window=("12:00", "18:00"))
    pins.pin_visit(job=following, is_pinned=True, by=make.office())
    action = accept(longer(job)).action
    assert action
    handed_over = job.visits.current().get()
    by = make.office()

    plan_actions.undo(action, by=by)
    undone = job.visits.current().get()
    plan_actions.redo(action, by=by)

    assert (handed_over.engineer, handed_over.overrun) == (ben, LONGER)
    assert (undone.engineer, undone.overrun) == (ann, timedelta())
    assert current_overrun(job) == LONGER


def test_dispatcher_who_hands_the_longer_job_over_does_not_shorten_it() -> None:
    ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben")
    job = planned(ann, "11:00", window=("08:00", "18:00"), second=make.engineer(name="Cleo"))
    accept(longer(job))
    starts_at, by = make.at("11:00"), make.office()

    visits.assign(job=job, engineer=ann, starts_at=starts_at, by=by, second_engineer=None)
    alone = current_overrun(job)
    visits.assign(job=job, engineer=ben, starts_at=starts_at, by=by)

    assert (alone, current_overrun(job)) == (LONGER, LONGER)


def test_unassigned_job_still_takes_longer_when_it_is_assigned_again() -> None:
    ann, by = make.engineer(name="Ann"), make.office()
    job = planned(ann, "11:00", window=("08:00", "18:00"))
    accept(longer(job))

    action = plan_actions.change_plan([AssignmentChange(job)], by=by)
    assert action
    plan_actions.undo(action, by=by)

    assert current_overrun(job) == LONGER


def test_whoever_takes_over_on_site_begins_anew() -> None:
    job = visit_on_site(make.engineer(name="Ann"))
    accept(longer(job))

    visits.assign(job=job, engineer=make.engineer(name="Ben"), starts_at=make.at("11:00"), by=make.office())

    assert current_overrun(job) == timedelta()


def test_longer_pinned_visit_of_tomorrow_holds_its_time() -> None:
    with time_machine.travel(make.at("10:20") - timedelta(days=1), tick=True):
        ann = make.engineer(name="Ann")
        job = planned(ann, "11:00", window=("08:00", "18:00"))
        pins.pin_visit(job=job, is_pinned=True, by=make.office())
        following = planned(ann, "12:30", window=("08:00", "18:00"))
        proposal = longer(job)
        options = PlanProposal.objects.filter(comparison=proposal.comparison)
        starts = [option.changes.get(job=following).start_after for option in options]
        accept(proposal)
        slot, *_later = slot_suggestions.suggest_slots(job_at(53.82, window=("11:00", "18:00")))

    assert all(start and start >= make.at("14:00") for start in starts)
    assert slot.starts_at >= make.at("14:00")
