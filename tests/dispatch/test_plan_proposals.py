"""From the database to a proposal and back: what is read, what is proposed and why, what is accepted and undone."""

from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.utils import timezone

from dispatch import holds, jobs, pins, visits
from dispatch.job_events import Performer
from dispatch.models import ChangeKind, Job, PlanProposal, ProposalState, Visit
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.routing_problem import Plan, PlanSpan
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.problem.problem_reader import LoadedProblem, read_problem
from dispatch.planning.proposal_acceptance import accept_proposal
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposal_texts import reason_text
from dispatch.planning.proposals import is_overdue, request_proposal, request_stop
from dispatch.planning.reason_codes import ChangeReason, EndedBy
from dispatch.states import Actor, JobState
from engineers import staff
from engineers.models import Absence, Engineer
from engineers.shifts import TimeSpan, day_span
from tests import make

pytestmark = pytest.mark.django_db
EARLY = make.at("06:00")
DAY = PlanScope(day_span(make.DAY))


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(EARLY, tick=True):
        yield


def job_at(latitude: float, **fields: object) -> Job:
    pack = make.pack(**{"duration_minutes": 60, **fields})  # type: ignore[arg-type]
    return jobs.create_job(pack=replace(pack, premises=replace(pack.premises, latitude=latitude))).job


def proposal_of(scope: PlanScope = DAY) -> PlanProposal:
    """Made, with an amount of work that takes no time."""
    requested = request_proposal(scope=scope, by=make.dispatcher(), seconds=15, neighbourhoods=2)
    make_proposal(requested.pk)
    return PlanProposal.objects.get(pk=requested.pk)


def kinds(proposal: PlanProposal) -> dict[int, str]:
    return {change.job_id: change.kind for change in proposal.changes.all()}


def accept(proposal: PlanProposal, **options: object) -> object:
    return accept_proposal(proposal, by=make.office(), now=timezone.now(), **options)  # type: ignore[arg-type]


def engineer_of(job: Job) -> Engineer | None:
    visit = visits.current_visit(job)
    return visit.engineer if visit else None


def read(scope: PlanScope = DAY) -> LoadedProblem:
    found = read_problem(scope, now=timezone.now())
    assert found
    return found


def test_day_is_planned_accepted_and_undone_with_one_press() -> None:
    for name in ("Ann Early", "Lee Late"):
        make.give_break(make.engineer(name=name))
    waiting = [job_at(53.80 + number / 100) for number in range(4)]

    proposal = proposal_of()

    assert proposal.state == ProposalState.READY
    assert proposal.ended_by == EndedBy.WORK
    assert kinds(proposal) == {job.pk: ChangeKind.ASSIGN for job in waiting}
    result = accept(proposal)
    assert result.refusals == []
    assert Visit.objects.current().count() == 4
    assert result.action
    plan_actions.undo(result.action, by=make.office())
    assert Visit.objects.current().count() == 0


def test_planned_starts_are_moments_that_people_say() -> None:
    make.engineer()
    for number in range(3):
        job_at(53.80 + number / 77)

    starts = [change.start_after for change in proposal_of().changes.all() if change.start_after]

    assert [start.minute % 5 + start.second for start in starts] == [0, 0, 0]


def test_redo_marks_the_changes_of_its_own_proposal_only() -> None:
    make.engineer()
    job_at(53.81)
    proposal, other = proposal_of(), proposal_of()
    assert kinds(proposal) == kinds(other)
    action = accept(proposal).action

    plan_actions.undo(action, by=make.office())
    plan_actions.redo(action, by=make.office())

    marks = [made.changes.exclude(accepted_at=None).count() for made in (proposal, other)]
    assert marks == [1, 0]


def test_visits_of_a_suspended_engineer_go_to_somebody_else() -> None:
    gone, erin = make.engineer(name="Gone"), make.engineer(name="Erin")
    job = job_at(53.81)
    visits.assign(job=job, engineer=gone, starts_at=make.at("09:00"), by=make.office())
    staff.suspend(user=gone.user, by=make.dispatcher())

    proposal = proposal_of()

    (change,) = proposal.changes.all()
    assert (change.kind, change.engineer_before, change.engineer_after) == (ChangeKind.REASSIGN, gone, erin)
    assert change.reason == ChangeReason.NOT_WORKING
    assert accept(proposal).refusals == []
    assert engineer_of(job) == erin


def test_part_of_a_proposal_is_accepted_and_the_rest_later() -> None:
    make.engineer()
    first, second = job_at(53.81), job_at(53.82)
    proposal = proposal_of()
    change = proposal.changes.get(job=second)

    accept(proposal, only=[change.pk])

    assert [engineer_of(first), engineer_of(second)] == [None, change.engineer_after]
    accept(PlanProposal.objects.get(pk=proposal.pk))
    assert engineer_of(first) is not None


def test_second_part_is_undone_by_itself_where_something_else_came_between() -> None:
    engineer, dana = make.engineer(), make.office()
    first, second, between = job_at(53.81), job_at(53.82), job_at(53.81, window=("14:00", "18:00"))
    scope = replace(DAY, jobs=frozenset({first.pk, second.pk}))
    proposal = proposal_of(scope)
    accept(proposal, only=[proposal.changes.get(job=first).pk])
    plan_actions.change_plan([AssignmentChange(between, engineer, make.at("16:00"))], by=dana)
    accept(PlanProposal.objects.get(pk=proposal.pk))

    found = []
    for _press in range(3):
        last = plan_actions.last_action(dana.user)  # type: ignore[arg-type]
        assert last
        plan_actions.undo(last, by=dana)
        accepted = {change.job_id for change in proposal.changes.exclude(accepted_at=None)}
        found.append(([engineer_of(job) is not None for job in (first, second, between)], accepted))

    assert found == [
        ([True, False, True], {first.pk}),
        ([True, False, False], {first.pk}),
        ([False, False, False], set()),
    ]


def test_colleague_who_accepts_the_rest_can_undo_it() -> None:
    make.engineer()
    first, second = job_at(53.81), job_at(53.82)
    proposal, colleague = proposal_of(), Performer(Actor.DISPATCHER, make.dispatcher(username="colleague"))
    accept(proposal, only=[proposal.changes.get(job=first).pk])

    result = accept_proposal(PlanProposal.objects.get(pk=proposal.pk), by=colleague, now=timezone.now())

    assert result.action
    assert result.action == plan_actions.last_action(colleague.user)  # type: ignore[arg-type]
    plan_actions.undo(result.action, by=colleague)
    assert [engineer_of(first) is None, engineer_of(second)] == [False, None]


def test_day_that_has_changed_is_refused_as_a_whole_and_others_are_accepted() -> None:
    ann, lee = make.engineer(name="Ann Early"), make.engineer(name="Lee Late")
    waiting = [job_at(53.80 + number / 100) for number in range(7)]
    proposal = proposal_of()
    of_ann = list(proposal.changes.filter(engineer_after=ann))
    third = make.engineer(name="Una Unasked")
    visits.assign(job=of_ann[0].job, engineer=third, starts_at=make.at("11:00"), by=make.office())

    result = accept(proposal)

    assert [refusal.job for refusal in result.refusals] == [of_ann[0].job]
    assert "assigned this job to Una Unasked" in result.refusals[0].problems[0].message
    assert [engineer_of(change.job) for change in of_ann[1:]] == [None] * (len(of_ann) - 1)
    assert {change.engineer_after for change in result.accepted} == {lee}
    assert len(result.accepted) + len(of_ann) == len(waiting)


@pytest.mark.parametrize("has_arrived", [False, True])
def test_job_whose_engineer_has_set_off_since_is_refused(has_arrived: bool) -> None:
    away, other = make.engineer(name="Away Today"), make.engineer(name="Ann Early")
    job = make.job(at_state=JobState.ASSIGNED, to=away)
    Absence.objects.create(engineer=away, starts_at=make.at("00:00"), ends_at=make.at("23:00"))
    proposal = proposal_of()
    assert proposal.changes.get().engineer_after == other
    make.start_travel(job)
    if has_arrived:
        make.arrive(job)

    result = accept(proposal)

    ((message,),) = [[problem.message for problem in each.problems] for each in result.refusals]
    assert message.startswith(f"Away Today reported {'On site' if has_arrived else 'En route'} at ")
    assert [engineer_of(job), result.accepted] == [away, []]


def test_absent_engineers_jobs_go_to_somebody_else() -> None:
    away = make.engineer(name="Away Today")
    job = make.job(at_state=JobState.ASSIGNED, to=away)
    Absence.objects.create(engineer=away, starts_at=make.at("00:00"), ends_at=make.at("23:00"))
    other = make.engineer(name="Ann Early")

    proposal = proposal_of()

    change = proposal.changes.get()
    assert (change.kind, change.engineer_after) == (ChangeKind.REASSIGN, other)
    assert reason_text(change) == "The engineer who has the job isn't working then."
    accept(proposal)
    assert engineer_of(job) == other


def test_customer_who_expects_an_engineer_comes_before_one_who_does_not() -> None:
    """Lee has time for one of two, and lives next to the one who expects nobody."""
    away = make.engineer(name="Away Today")
    expected, other = job_at(53.90, duration_minutes=240), job_at(53.80, duration_minutes=240)
    visits.assign(job=expected, engineer=away, starts_at=make.at("08:00"), by=make.office())
    Absence.objects.create(engineer=away, starts_at=make.at("00:00"), ends_at=make.at("23:00"))
    make.engineer(name="Lee Late")

    found = kinds(proposal_of())

    assert found == {expected.pk: ChangeKind.REASSIGN, other.pk: ChangeKind.REMAIN_UNASSIGNED}


def test_engineers_who_exchange_jobs_are_one_transaction() -> None:
    """One of them is refused, so neither changes."""
    ann, lee = make.engineer(name="Ann Early"), make.engineer(name="Lee Late")
    first = make.job(at_state=JobState.ASSIGNED, to=ann)
    second = make.job(at_state=JobState.ASSIGNED, to=lee)
    proposal = request_proposal(scope=DAY, by=make.dispatcher())
    for job, before, after in ((first, ann, lee), (second, lee, ann)):
        visit = visits.current_visit(job)
        assert visit
        proposal.changes.create(
            job=job,
            kind=ChangeKind.REASSIGN,
            engineer_before=before,
            start_before=visit.planned_start,
            engineer_after=after,
            start_after=visit.planned_start,
            version=f"{visit.pk}-{visit.planned_start.timestamp():.0f}",
            reason="better_route",
        )
    pins.pin_visit(job=second, is_pinned=True, by=make.office())

    assert [refusal.job for refusal in accept(proposal).refusals] == [second]
    assert [engineer_of(first), engineer_of(second)] == [ann, lee]

    pins.pin_visit(job=second, is_pinned=False, by=make.office())
    assert accept(proposal).refusals == []
    assert [engineer_of(first), engineer_of(second)] == [lee, ann]


def test_pinned_begun_and_held_visits_stay() -> None:
    engineer = make.engineer()
    pinned = job_at(53.80)
    visits.assign(job=pinned, engineer=engineer, starts_at=make.at("11:00"), by=make.office())
    pins.pin_visit(job=pinned, is_pinned=True, by=make.office())
    begun = make.job(at_state=JobState.ON_SITE, to=engineer)
    held = job_at(53.80)
    holds.hold_job(job=held, by=make.office(), reason="Fault at the node")

    found = read()

    fixed = {
        job.pk: plan_job.fixed.span if plan_job.fixed else None
        for job, plan_job in zip(found.jobs, found.problem.jobs, strict=True)
    }
    assert {key: span is not None for key, span in fixed.items()} == {pinned.pk: True, begun.pk: True}
    assert fixed[pinned.pk] == PlanSpan(
        *(int((make.at(clock) - found.origin).total_seconds()) for clock in ("11:00", "12:00"))
    )
    assert found.excluded == [(held, "on_hold")]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"flags": ("CHP",)}, "No engineer here is qualified for Cherry picker."),
        ({"located": False}, "The job has no location yet. Set the location first."),
        ({"flags": ("SUR",)}, "The premises must be surveyed first."),
        ({"window": ("18:00", "21:00")}, "No engineer is working 18:00–21:00."),
        ({"duration_minutes": 240}, "No engineer is free 08:00–13:00 (1 within reach)."),
    ],
)
def test_unassigned_job_has_its_reason(fields: dict[str, object], reason: str) -> None:
    busy = make.engineer(skills=())
    visits.assign(
        job=make.job(duration_minutes=180), engineer=busy, starts_at=make.at("09:00"), by=make.office()
    )
    pins.pin_visit(job=Job.objects.get(), is_pinned=True, by=make.office())
    job = make.job(**fields)

    change = proposal_of().changes.get(job=job)

    assert change.kind == ChangeKind.REMAIN_UNASSIGNED
    assert reason_text(change) == reason


def test_empty_day_and_a_time_that_has_passed() -> None:
    assert proposal_of().changes.count() == 0
    past = PlanScope(TimeSpan(EARLY - timedelta(days=2), EARLY - timedelta(days=1)))
    assert proposal_of(past).state == ProposalState.READY


def test_selected_jobs_and_engineers_only() -> None:
    ann, lee = make.engineer(name="Ann Early"), make.engineer(name="Lee Late")
    job, other = job_at(53.81), job_at(53.81)

    found = read(PlanScope(DAY.span, jobs=frozenset({job.pk}), engineers=frozenset({ann.pk})))

    assert [own.pk for own in found.jobs] == [job.pk]
    assert [day.engineer for day in found.days] == [ann]
    assert lee != ann
    assert other != job


def test_night_shift_and_the_day_on_which_the_clocks_change() -> None:
    """From 22:00 to 06:00 on the night of 29 March 2026, one hour of which there is not: seven hours of work."""
    night = make.DAY.replace(month=3, day=28)
    make.engineer(starts="22:00", ends="06:00")
    span = TimeSpan(make.at("18:00", day=night), make.at("12:00", day=night + timedelta(days=1)))
    with time_machine.travel(make.at("12:00", day=night)):
        job = make.job(day=night, window=("22:00", "23:59"), duration_minutes=60)
        found = read(PlanScope(span))

        assert [day.shift.end - day.shift.start for day in found.problem.engineers] == [7 * 3600]
        assert accept(proposal_of(PlanScope(span))).refusals == []
        assert engineer_of(job) is not None


def test_plan_that_is_as_good_as_any_stays() -> None:
    engineer = make.give_break(make.engineer())
    for clock in ("08:20", "10:40"):
        visits.assign(job=job_at(53.82), engineer=engineer, starts_at=make.at(clock), by=make.office())

    found = read()

    assert len(found.problem.present) == 2
    assert list_breaches(found.problem, Plan(found.problem.present)) == []
    assert kinds(proposal_of()) == {}


def test_proposal_is_made_once_and_stopped_on_request() -> None:
    proposal = request_proposal(scope=DAY, by=make.dispatcher(), seconds=9999)
    assert proposal.seconds == settings.PLAN_SECONDS

    assert request_stop(proposal)
    assert not request_stop(proposal)
    make_proposal(proposal.pk)
    make_proposal(proposal.pk)

    proposal.refresh_from_db()
    assert proposal.state == ProposalState.READY
    assert not is_overdue(proposal, now=timezone.now() + timedelta(days=1))


def test_calm_proposal_moves_only_what_the_absence_needs() -> None:
    """A new plan would put all visits with as few engineers as possible."""
    away = make.engineer(name="Away Today")
    others = [make.engineer(name=f"Number {number}") for number in range(3)]
    for number, engineer in enumerate([away, *others]):
        job = job_at(53.80 + number / 100)
        visits.assign(job=job, engineer=engineer, starts_at=make.at("09:00"), by=make.office())
    Absence.objects.create(engineer=away, starts_at=make.at("00:00"), ends_at=make.at("23:00"))

    requested = request_proposal(
        scope=DAY, by=make.dispatcher(), seconds=15, neighbourhoods=4, change_minutes=30
    )
    make_proposal(requested.pk)

    reassigned = requested.changes.exclude(kind=ChangeKind.RESCHEDULE)
    assert [change.engineer_before for change in reassigned] == [away]
