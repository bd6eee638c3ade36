"""Plans and re-plans of a day in which engineers are late: what should have begun may move, and what stays is at the
time at which it will be."""

from datetime import datetime, timedelta

import pytest
import time_machine

from dispatch import visits
from dispatch.models import ChangeKind, Job, Occasion, PlanOption
from dispatch.planning.engine.routing_problem import PlanSpan
from dispatch.planning.problem.plan_scope import PlanScope, job_priority
from dispatch.planning.problem.problem_reader import LoadedProblem, read_problem
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposal_texts import reason_text
from dispatch.planning.proposals import request_proposal
from dispatch.states import JobState, JobType
from engineers.models import Engineer
from engineers.shifts import day_span
from tests import make
from tests.dispatch.day_comparisons import compared, kinds, planned, proposal_of
from tests.dispatch.test_part_times import hours, problem_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def twenty_past_eleven() -> object:
    with time_machine.travel(make.at("11:20"), tick=True):
        yield


def on_site(engineer: Engineer, since: str, **fields: object) -> Job:
    """A visit of an hour at which somebody is since then."""
    job = planned(engineer, since, **fields)
    make.start_travel(job, occurred_at=make.at(since))
    make.arrive(job, occurred_at=make.at(since))
    return job


def read_day() -> LoadedProblem:
    found = read_problem(PlanScope(day_span(make.DAY)), now=make.now())
    assert found
    return found


def fixed_span(read: LoadedProblem, job: Job) -> tuple[datetime, datetime]:
    (span,) = (
        plan_job.fixed.span
        for each, plan_job in zip(read.jobs, read.problem.jobs, strict=True)
        if each == job and plan_job.fixed
    )
    assert isinstance(span, PlanSpan)
    return read.moment(span.start), read.moment(span.end)


def test_visit_that_should_have_begun_goes_to_whoever_is_free() -> None:
    ann = make.engineer(name="Ann")
    long, overdue = on_site(ann, "10:00"), planned(ann, "11:00")
    ben = make.engineer(name="Ben")

    comparison = compared(Occasion.VISIT_LONGER, job=long, longer_minutes=60)

    (change,) = proposal_of(comparison).changes.all()
    assert (change.job_id, change.kind, change.engineer_after_id) == (
        overdue.pk,
        ChangeKind.REASSIGN,
        ben.pk,
    )
    # Ben sets off from home at half past
    assert change.start_after == make.at("11:45")


def test_overdue_visit_that_stays_is_named_with_when_it_will_begin() -> None:
    overdue = planned(make.engineer(name="Ann"), "10:30")
    proposal = request_proposal(scope=PlanScope(day_span(make.DAY)), by=make.dispatcher(), neighbourhoods=1)

    make_proposal(proposal.pk)

    (change,) = proposal.changes.all()
    assert (change.job_id, change.kind, change.start_after) == (
        overdue.pk,
        ChangeKind.STAY_LATE,
        make.at("11:45"),
    )


def test_visit_whose_window_is_over_is_not_called_off() -> None:
    """Its engineer may have called the customer; nobody is sent who would come even later."""
    planned(make.engineer(name="Ann"), "09:00", window=("08:00", "11:00"))

    assert kinds(proposal_of(compared(Occasion.URGENT_JOB, job=make.job()), PlanOption.EVERYBODY)) != {}
    assert not read_day().visits


def test_visit_that_an_absent_engineer_forgot_yesterday_stays() -> None:
    ann, yesterday = make.engineer(name="Ann"), make.DAY - timedelta(days=1)
    forgotten, today = make.job(day=yesterday), planned(ann, "11:00")
    starts_at, by = make.at("12:00", day=yesterday), make.office()
    visits.assign(job=forgotten, engineer=ann, starts_at=starts_at, by=by, override_reason="Agreed by phone")

    comparison = compared(Occasion.ENGINEER_ABSENT, engineer=ann)

    assert list(kinds(proposal_of(comparison))) == [today.pk]


def test_visit_under_way_holds_its_engineer_until_it_will_really_end() -> None:
    """An hour's work that was planned for eight and was begun at half past ten."""
    job = planned(make.engineer(name="Ann"), "08:00")
    make.start_travel(job, occurred_at=make.at("10:20"))
    make.arrive(job, occurred_at=make.at("10:30"))

    assert fixed_span(read_day(), job) == (make.at("10:30"), make.at("11:30"))


def test_visit_that_was_begun_early_holds_its_engineer_now() -> None:
    job = planned(make.engineer(name="Ann"), "12:00")
    make.start_travel(job, occurred_at=make.at("10:50"))
    make.arrive(job, occurred_at=make.at("11:00"))

    assert fixed_span(read_day(), job) == (make.at("11:00"), make.at("12:00"))


def test_longer_counts_from_when_the_visit_will_really_end() -> None:
    job = planned(make.engineer(name="Ann"), "08:00")
    make.start_travel(job, occurred_at=make.at("10:20"))
    make.arrive(job, occurred_at=make.at("10:30"))
    following = planned(Engineer.objects.get(), "12:00")

    (change,) = proposal_of(compared(Occasion.VISIT_LONGER, job=job, longer_minutes=60)).changes.all()

    assert (change.job_id, change.kind, change.start_after) == (
        following.pk,
        ChangeKind.STAY_LATE,
        make.at("12:30"),
    )


@pytest.mark.parametrize(
    ("longer_minutes", "text"),
    [
        (80, "The engineer still comes inside the window."),
        (180, "The engineer comes after the window. Call the customer."),
    ],
)
def test_pinned_visit_that_is_held_up_is_named(longer_minutes: int, text: str) -> None:
    ann = make.engineer(name="Ann")
    long, pinned = on_site(ann, "10:30"), planned(ann, "12:00")
    pinned.visits.update(is_pinned=True)

    (change,) = proposal_of(
        compared(Occasion.VISIT_LONGER, job=long, longer_minutes=longer_minutes)
    ).changes.all()

    assert (change.job_id, change.kind, reason_text(change)) == (pinned.pk, ChangeKind.STAY_LATE, text)
    assert change.start_after
    assert change.start_after >= make.at("11:30") + make.minutes(longer_minutes)


def test_begun_job_that_was_handed_over_is_no_miss_and_nobody_is_called() -> None:
    ann = make.engineer(name="Ann")
    long, begun = on_site(ann, "10:30"), on_site(make.engineer(name="Ben"), "08:00")
    visits.assign(job=begun, engineer=ann, starts_at=make.at("14:00"), by=make.office())

    proposal = proposal_of(compared(Occasion.VISIT_LONGER, job=long, longer_minutes=240))

    (change,) = proposal.changes.all()
    assert (change.job_id, change.kind) == (begun.pk, ChangeKind.STAY_LATE)
    text = "An engineer has already been on site, so the customer's window no longer counts."
    assert reason_text(change) == text
    assert (proposal.misses_before, proposal.misses) == (0, 0)


def test_agreed_start_that_is_held_up_is_a_miss() -> None:
    ann = make.engineer(name="Ann")
    long, agreed = on_site(ann, "10:30"), planned(ann, "12:00")
    agreed.visits.update(planned_start=make.at("14:00"), planned_end=make.at("15:00"), is_start_agreed=True)

    proposal = proposal_of(compared(Occasion.VISIT_LONGER, job=long, longer_minutes=240))

    (change,) = proposal.changes.all()
    assert reason_text(change) == "The engineer comes after the window. Call the customer."
    assert (proposal.misses_before, proposal.misses) == (1, 1)


@pytest.mark.parametrize("job_type", JobType)
def test_customer_who_expects_an_engineer_outweighs_any_team_of_others(job_type: JobType) -> None:
    assigned = Job(state=JobState.ASSIGNED, job_type=JobType.INSTALLATION)
    waiting = Job(state=JobState.UNASSIGNED, job_type=job_type)

    assert job_priority(assigned, is_begun=False) > 2 * job_priority(waiting, is_begun=False)
    assert job_priority(assigned, is_begun=False) > 2 * job_priority(waiting, is_begun=True)


@pytest.mark.parametrize(
    ("starts", "number"), [([], 0), ([1, 2, 3], 3), ([3, 1, 2], 2), ([2, 2, 1], 1), ([4, 1, 3, 2], 2)]
)
def test_what_is_out_of_order_counts_as_changed(starts: list[float], number: int) -> None:
    begins = hours(problem_of(len(starts)), dict(enumerate(starts)))

    assert sum(now == before for now, before in zip(begins, starts, strict=True)) == number
