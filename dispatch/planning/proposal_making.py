"""Makes a proposal: reads the problem, runs the engine, and writes down what would change and why.

Loads numpy and holds the drives of a whole region, so it runs in a process of its own (the command
make_plan_proposal), which neither web processes nor the worker are.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import structlog
from django.db import transaction
from django.utils import timezone

from dispatch.models import ChangeKind, Job, PlanProposal, ProposalState, ProposedChange, Visit
from dispatch.plan_versions import plan_version
from dispatch.planning.plan_check import list_breaches
from dispatch.planning.plan_problem import Plan, PlanLimits, PlanProblem, PlanProgress, PlanVisit
from dispatch.planning.plan_runner import EngineFailed, run_engine
from dispatch.planning.plan_value import plan_value, visits_by_engineer
from dispatch.planning.problem_reader import ReadProblem, read_problem
from dispatch.planning.proposals import read_scope, record_failure
from dispatch.planning.reason_codes import ChangeReason
from dispatch.planning.unassigned_reasons import UnassignedReason, explain_unassigned

log = structlog.get_logger("dispatch.planning.proposal_making")
LOOK_SECONDS = 0.5


def make_proposal(proposal_id: int) -> None:
    """May run twice: a proposal that is made, or that another process makes, stays as it is."""
    waiting = PlanProposal.objects.filter(pk=proposal_id, state=ProposalState.REQUESTED)
    if not waiting.update(state=ProposalState.PLANNING, started_at=timezone.now()):
        return
    proposal = PlanProposal.objects.get(pk=proposal_id)
    try:
        _make(proposal)
    except EngineFailed as failed:
        log.error("planner failed", proposal=proposal_id, reason=str(failed))
        record_failure(proposal_id, str(failed))
    except Exception as problem:
        # whoever waits for it is shown that it failed
        record_failure(proposal_id, type(problem).__name__)
        raise


def _make(proposal: PlanProposal) -> None:
    read = read_problem(read_scope(proposal), now=timezone.now())
    if read is None:
        _save(proposal, [], {})
        return
    before = plan_value(read.problem, Plan(read.problem.present))
    figures = {"possible_value": before.possible, "travel_seconds_before": before.travel_seconds}
    PlanProposal.objects.filter(pk=proposal.pk).update(**figures)
    limits = PlanLimits(
        proposal.seconds,
        neighbourhoods=proposal.neighbourhoods,
        seed=proposal.seed,
        change_seconds=proposal.change_minutes * 60,
    )
    plan = run_engine(
        read.problem, limits, on_progress=_recorder(proposal), should_stop=_stop_check(proposal)
    )
    plan = keep_present_starts(read.problem, plan)
    after = plan_value(read.problem, plan)
    _save(
        proposal,
        list(_changes(proposal, read, plan)),
        {"value": after.value, "travel_seconds": after.travel_seconds, "ended_by": plan.ended_by},
    )


@transaction.atomic
def _save(proposal: PlanProposal, changes: list[ProposedChange], figures: dict[str, object]) -> None:
    ProposedChange.objects.bulk_create(changes, batch_size=500)
    made = {"state": ProposalState.READY, "made_at": timezone.now(), **figures}
    PlanProposal.objects.filter(pk=proposal.pk).update(**made)


@dataclass
class _Interval:
    """Whether it is time again, at most twice a second."""

    due_at: float = field(default=0.0)

    def is_due(self) -> bool:
        now = time.monotonic()
        if now < self.due_at:
            return False
        self.due_at = now + LOOK_SECONDS
        return True


def _recorder(proposal: PlanProposal) -> Callable[[PlanProgress], None]:
    interval = _Interval()

    def record(progress: PlanProgress) -> None:
        if interval.is_due():
            figures = {"value": progress.value, "travel_seconds": progress.travel_seconds}
            PlanProposal.objects.filter(pk=proposal.pk).update(**figures)

    return record


def _stop_check(proposal: PlanProposal) -> Callable[[], bool]:
    interval = _Interval()

    def should_stop() -> bool:
        requested = PlanProposal.objects.filter(pk=proposal.pk, stop_requested_at__isnull=False)
        return interval.is_due() and requested.exists()

    return should_stop


def keep_present_starts(problem: PlanProblem, plan: Plan) -> Plan:
    """Whoever has the same jobs in the same order as today keeps today's times, if they break no rule."""
    present = Plan(problem.present)
    broken = {breach.engineer for breach in list_breaches(problem, present)}
    today, planned = visits_by_engineer(problem, present), visits_by_engineer(problem, plan)
    same = {
        number
        for number, day in enumerate(planned)
        if number not in broken and [job for _span, job in day] == [job for _span, job in today[number]]
    }
    present_of = present.by_job
    visits = [present_of[visit.job] if visit.engineer in same else visit for visit in plan.visits]
    return replace(plan, visits=tuple(visits))


def _changes(proposal: PlanProposal, read: ReadProblem, plan: Plan) -> Iterator[ProposedChange]:
    """What differs from today, and every job that stays unassigned."""
    reasons, planned = explain_unassigned(read.problem, plan), plan.by_job
    today = Plan(read.problem.present)
    broken = {breach.engineer for breach in list_breaches(read.problem, today)}
    present = today.by_job
    for number, job in enumerate(read.jobs):
        if read.problem.jobs[number].fixed is not None:
            continue
        visit, after = read.visits.get(job.pk), planned.get(number)
        if after is None:
            yield _unassigned(proposal, job, visit, _parameters(reasons[number]), code=reasons[number].code)
        elif visit is None or after != present.get(number):
            is_broken = number in present and present[number].engineer in broken
            reason = _reason(visit, is_broken=is_broken, is_at_work=number in present)
            yield _assigned(proposal, read, visit, after, reason=reason)
    for job, code in read.excluded:
        yield _unassigned(proposal, job, None, {}, code=code)


def _reason(visit: Visit | None, *, is_broken: bool, is_at_work: bool) -> ChangeReason:
    if visit is None:
        return ChangeReason.FREE_ENGINEER
    if not is_at_work:
        return ChangeReason.NOT_WORKING
    return ChangeReason.RULE_BROKEN if is_broken else ChangeReason.BETTER_ROUTE


def _parameters(reason: UnassignedReason) -> dict[str, object]:
    return {
        "skills": sorted(reason.skills),
        "able": reason.able,
        "at_work": reason.at_work,
        "in_reach": reason.in_reach,
    }


def _unassigned(
    proposal: PlanProposal, job: Job, visit: Visit | None, parameters: dict[str, object], *, code: str
) -> ProposedChange:
    return ProposedChange(
        proposal=proposal,
        job=job,
        kind=ChangeKind.UNASSIGN if visit else ChangeKind.REMAIN_UNASSIGNED,
        engineer_before=visit.engineer if visit else None,
        start_before=visit.planned_start if visit else None,
        version=plan_version(visit),
        reason=code,
        parameters=parameters,
    )


def _assigned(
    proposal: PlanProposal, read: ReadProblem, visit: Visit | None, after: PlanVisit, *, reason: ChangeReason
) -> ProposedChange:
    engineer = read.days[after.engineer].engineer
    kind = ChangeKind.ASSIGN
    if visit:
        kind = ChangeKind.RESCHEDULE if visit.engineer_id == engineer.pk else ChangeKind.REASSIGN
    return ProposedChange(
        proposal=proposal,
        job=read.jobs[after.job],
        kind=kind,
        engineer_before=visit.engineer if visit else None,
        start_before=visit.planned_start if visit else None,
        engineer_after=engineer,
        start_after=read.moment(after.start),
        version=plan_version(visit),
        reason=reason,
    )
