"""What a plan would change in today's, and why, as rows of its proposal."""

from collections.abc import Collection, Iterator, Mapping

from django.db import transaction
from django.utils import timezone

from dispatch.agreed_starts import latest_start
from dispatch.forecast import GRACE
from dispatch.models import ChangeKind, Job, PlanProposal, ProposalState, ProposedChange, Visit
from dispatch.on_time_forecast.day_forecast import read_spreads
from dispatch.on_time_forecast.plan_misses import expected_misses
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.plan_value import plan_value
from dispatch.planning.engine.routing_problem import Plan, PlanVisit
from dispatch.planning.engine.team_jobs import find_seconds
from dispatch.planning.engine.visit_times import with_starts_near
from dispatch.planning.pinned_breaches import list_pinned_breaches
from dispatch.planning.problem.late_visits import HeldDays, keep_late_visits
from dispatch.planning.problem.problem_reader import LoadedProblem
from dispatch.planning.reason_codes import ChangeReason
from dispatch.planning.unassigned_reasons import UnassignedReason, explain_unassigned
from engineers.shifts import TimeSpan

# no index of a job
NO_JOB = -1


def save_plan(
    proposal: PlanProposal,
    read: LoadedProblem | None,
    plan: Plan,
    held: HeldDays | None = None,
    *,
    focus: Collection[int] | None = None,
    concerned: Collection[int] | None = None,
) -> None:
    """The proposal is ready. Today's times are kept where the plan leaves them possible, and visits that are only late
    stay (late_visits). `read`: None when there was nothing to plan. `held`: the days that were left out of it.
    `focus`: the jobs (indices) for which alone somebody was looked for; `concerned`: those that are named where they
    are only late; None is all."""
    if read is None:
        _save(proposal, [], {})
        return
    held = held or HeldDays(read.problem)
    found = keep_late_visits(read.problem, held.completed(plan))
    plan = with_starts_near(read.problem, found.plan, _promised_starts(read))
    after = plan_value(read.problem, plan)
    figures = {
        "value": after.value,
        "travel_seconds": after.travel_seconds,
        "misses": expected_misses(read, plan, read_spreads(), now=timezone.now()),
        "ended_by": plan.ended_by,
        "neighbourhoods_searched": plan.neighbourhoods,
        "pinned_breaches": list(list_pinned_breaches(proposal, read, _remaining_outside(read, plan))),
    }
    changes = list(_changes(proposal, read, plan, focus=focus))
    late = {visit.job: visit.start for visit in (*held.late, *found.late)}
    changes += _late_changes(proposal, read, plan, late, concerned=concerned)
    _save(proposal, changes, figures)


def _remaining_outside(read: LoadedProblem, plan: Plan) -> list[Visit]:
    """Visits that are as they were, outside hours that were changed: nobody else has time, and their engineers would be
    called off otherwise (late_visits)."""
    present, planned = Plan(read.problem.present).by_job, plan.by_job
    return [
        read.visits[read.jobs[number].pk]
        for number in sorted(read.left)
        if not read.problem.jobs[number].is_second
        and number in present
        and planned.get(number) == present[number]
    ]


def _promised_starts(read: LoadedProblem) -> dict[int, int]:
    """By job (index) when today's visit begins, also of one whose engineer is absent."""
    starts = {
        key: round((visit.planned_start - read.origin).total_seconds()) for key, visit in read.visits.items()
    }
    return {number: starts[job.pk] for number, job in enumerate(read.jobs) if job.pk in starts}


def save_start(proposal: PlanProposal, read: LoadedProblem) -> None:
    """What today's plan is worth, before there is another one."""
    today = Plan(read.problem.present)
    before = plan_value(read.problem, today)
    figures = {
        "travel_note": read.travel_note or "",
        "possible_value": before.possible,
        "travel_seconds_before": before.travel_seconds,
        "misses_before": expected_misses(read, today, read_spreads(), now=timezone.now()),
    }
    PlanProposal.objects.filter(pk=proposal.pk).update(**figures)


@transaction.atomic
def _save(proposal: PlanProposal, changes: list[ProposedChange], figures: dict[str, object]) -> None:
    ProposedChange.objects.bulk_create(changes, batch_size=500)
    made = {"state": ProposalState.READY, "made_at": timezone.now(), **figures}
    PlanProposal.objects.filter(pk=proposal.pk).update(**made)


def _changes(
    proposal: PlanProposal, read: LoadedProblem, plan: Plan, *, focus: Collection[int] | None
) -> Iterator[ProposedChange]:
    """What differs from today, and every job that stays unassigned although somebody was looked for."""
    reasons, planned, seconds = (
        explain_unassigned(read.problem, plan),
        plan.by_job,
        find_seconds(read.problem),
    )
    today = Plan(read.problem.present)
    broken = {breach.engineer for breach in list_breaches(read.problem, today)}
    present = today.by_job
    for number, job in enumerate(read.jobs):
        if read.problem.jobs[number].fixed is not None or read.problem.jobs[number].is_second:
            continue
        visit, after = read.visits.get(job.pk), planned.get(number)
        second = seconds.get(number, NO_JOB)
        if after is None and visit is None and focus is not None and number not in focus:
            continue
        if after is None:
            yield _unassigned(
                proposal, job, visit, _parameters(read, reasons[number]), code=reasons[number].code
            )
        elif visit is None or not _are_same(planned, present, number, second):
            today_visits = [present[part] for part in (number, second) if part in present]
            is_broken = any(part.engineer in broken for part in today_visits)
            is_at_work = len(today_visits) == (len(visit.people) if visit else 0)
            reason = _reason(visit, is_broken=is_broken, is_at_work=is_at_work)
            yield _assigned(proposal, read, visit, (after, planned.get(second)), reason=reason)
    for job, code in read.excluded if focus is None else []:
        yield _unassigned(proposal, job, None, {}, code=code)


def _are_same(after: Mapping[int, PlanVisit], before: Mapping[int, PlanVisit], *parts: int) -> bool:
    return all(after.get(part) == before.get(part) for part in parts)


def _reason(visit: Visit | None, *, is_broken: bool, is_at_work: bool) -> ChangeReason:
    if visit is None:
        return ChangeReason.FREE_ENGINEER
    if not is_at_work:
        return ChangeReason.NOT_WORKING
    return ChangeReason.RULE_BROKEN if is_broken else ChangeReason.BETTER_ROUTE


def _parameters(read: LoadedProblem, reason: UnassignedReason) -> dict[str, object]:
    """An engineer who could be there on several days is one."""
    in_reach = {read.days[day].engineer.pk for day in reason.in_reach}
    return {"skills": sorted(reason.skills), "in_reach": len(in_reach)}


def _unassigned(
    proposal: PlanProposal, job: Job, visit: Visit | None, parameters: dict[str, object], *, code: str
) -> ProposedChange:
    return ProposedChange(
        proposal=proposal,
        job=job,
        kind=ChangeKind.UNASSIGN if visit else ChangeKind.REMAIN_UNASSIGNED,
        engineer_before=visit.engineer if visit else None,
        second_before=visit.second_engineer if visit else None,
        start_before=visit.planned_start if visit else None,
        version=plan_version(visit),
        reason=code,
        parameters=parameters,
    )


def _assigned(
    proposal: PlanProposal,
    read: LoadedProblem,
    visit: Visit | None,
    parts: tuple[PlanVisit, PlanVisit | None],
    *,
    reason: ChangeReason,
) -> ProposedChange:
    after, second = parts
    people = [read.days[part.engineer].engineer for part in parts if part]
    kind = ChangeKind.ASSIGN
    if visit:
        kind = ChangeKind.RESCHEDULE if visit.people == people else ChangeKind.REASSIGN
    return ProposedChange(
        proposal=proposal,
        job=read.jobs[after.job],
        kind=kind,
        engineer_before=visit.engineer if visit else None,
        second_before=visit.second_engineer if visit else None,
        start_before=visit.planned_start if visit else None,
        engineer_after=people[0],
        second_after=people[1] if second else None,
        start_after=read.moment(after.start),
        version=plan_version(visit),
        reason=reason,
    )


def _late_changes(
    proposal: PlanProposal,
    read: LoadedProblem,
    plan: Plan,
    late: Mapping[int, int],
    *,
    concerned: Collection[int] | None,
) -> Iterator[ProposedChange]:
    """Visits that stay although they begin later. `late`: by job (index) when, of those that no rule allows."""
    today = Plan(read.problem.present)
    planned, present, seconds = plan.by_job, today.by_job, find_seconds(read.problem)
    for visit in today.visits:
        number, job = visit.job, read.problem.jobs[visit.job]
        same = _are_same(planned, present, number, seconds.get(number, NO_JOB))
        if job.is_second or not same or (concerned is not None and number not in concerned):
            continue
        start = late.get(number, visit.start)
        window = TimeSpan(read.moment(start), read.moment(start + job.length_seconds))
        if window.start - read.visits[job.key].planned_start > GRACE:
            yield _late(proposal, read, read.visits[job.key], window)
    for held_up in read.held_up:
        yield _late(proposal, read, held_up.visit, held_up.span)


def _late_reason(read: LoadedProblem, visit: Visit, window: TimeSpan) -> ChangeReason:
    if window.start < latest_start(visit.job, visit):
        return ChangeReason.STILL_IN_WINDOW
    return ChangeReason.WINDOW_KEPT if visit.job_id in read.begun else ChangeReason.AFTER_WINDOW


def _late(proposal: PlanProposal, read: LoadedProblem, visit: Visit, window: TimeSpan) -> ProposedChange:
    return ProposedChange(
        proposal=proposal,
        job=visit.job,
        kind=ChangeKind.STAY_LATE,
        engineer_before=visit.engineer,
        second_before=visit.second_engineer,
        start_before=visit.planned_start,
        engineer_after=visit.engineer,
        second_after=visit.second_engineer,
        start_after=window.start,
        version=plan_version(visit),
        reason=_late_reason(read, visit, window),
        parameters={"ends_at": window.end.isoformat()},
    )
