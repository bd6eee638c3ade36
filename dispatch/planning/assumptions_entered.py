"""What a comparison only assumed, entered when one of its options is accepted: the absence of an engineer, that nobody
goes to a job that is cancelled, and that a visit takes longer."""

from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import Q

from dispatch import visits
from dispatch.job_events import Performer
from dispatch.models import Job, Occasion, OverrunStep, PlanAction, PlanProposal, PlanStep, Visit
from dispatch.plan_changes import plan_absences, plan_overruns
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.plan_changes.plan_actions import change_plan, new_action
from dispatch.plan_changes.plan_refusals import JobRefusal, PlanRefused
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import TimeSpan
from monitoring.coded_texts import coded_text

UNASSIGNABLE = frozenset({JobState.ASSIGNED, JobState.EN_ROUTE})
REASON = coded_text("job_cancelled")


@dataclass
class EnteredAssumption:
    """`absent`: who is marked absent now; `unassigned`: the job that nobody goes to any more; `longer`: the job that
    takes longer."""

    action: PlanAction | None
    absent: Engineer | None = None
    unassigned: Job | None = None
    longer: Job | None = None
    refusals: list[JobRefusal] = field(default_factory=list)


def is_to_enter(proposal: PlanProposal) -> bool:
    """Whether accepting the proposal would enter anything beside its changes."""
    found = (_absence_to_enter(proposal), _job_to_unassign(proposal), _overrun_to_enter(proposal))
    return any(assumed is not None for assumed in found)


def enter_assumption(
    proposal: PlanProposal, *, by: Performer, reason: str, action: PlanAction | None
) -> EnteredAssumption:
    """As a part of `action`, in the transaction of the caller; nothing where it is so already. `reason`: of an absence,
    private."""
    entered = EnteredAssumption(action)
    absence, job = _absence_to_enter(proposal), _job_to_unassign(proposal)
    if absence:
        assert by.user, "only a person accepts a proposal"
        engineer, span = absence
        entered.action = action or new_action(by.user)
        plan_absences.enter_absence(entered.action, engineer=engineer, span=span, reason=reason, by=by.user)
        entered.absent = engineer
    if overrun := _overrun_to_enter(proposal):
        assert by.user, "only a person accepts a proposal"
        visit, length = overrun
        entered.action = entered.action or new_action(by.user)
        plan_overruns.enter_overrun(entered.action, visit=visit, overrun=length)
        entered.longer = visit.job
    if job and proposal.comparison:
        change = AssignmentChange(job, seen=proposal.comparison.version)
        try:
            entered.action = change_plan([change], by=by, reason=REASON, action=action) or action
        except PlanRefused as refused:
            entered.refusals = refused.refusals
        else:
            entered.unassigned = job
    return entered


def _absence_to_enter(proposal: PlanProposal) -> tuple[Engineer, TimeSpan] | None:
    """Until the end of what was planned."""
    comparison = proposal.comparison
    if comparison is None or comparison.occasion != Occasion.ENGINEER_ABSENT or comparison.engineer is None:
        return None
    since = comparison.absent_since or comparison.requested_at
    if since >= proposal.ends_at:
        return None
    span = TimeSpan(since, proposal.ends_at)
    return None if plan_absences.is_entered(comparison.engineer, span) else (comparison.engineer, span)


def _job_to_unassign(proposal: PlanProposal) -> Job | None:
    """None where the seller has cancelled it meanwhile, or where somebody has been on site; nor again where this
    proposal has unassigned it: whoever assigned it since meant it."""
    comparison = proposal.comparison
    if comparison is None or comparison.occasion != Occasion.JOB_CANCELLED or comparison.job is None:
        return None
    job = comparison.job
    if job.state not in UNASSIGNABLE or visits.current_visit(job) is None:
        return None
    is_entered = PlanStep.objects.filter(_accepted(proposal), action__undone_at=None, job=job).exists()
    return None if is_entered else job


def _overrun_to_enter(proposal: PlanProposal) -> tuple[Visit, timedelta] | None:
    """None where nobody goes there any more, where one of the options has entered it, or where the visit is expected to
    take as long already: two comparisons that were requested before either was accepted say the same."""
    comparison = proposal.comparison
    if comparison is None or comparison.occasion != Occasion.VISIT_LONGER or comparison.job is None:
        return None
    visit = visits.current_visit(comparison.job)
    if visit is None or any(map(_has_entered_overrun, comparison.proposals.all())):
        return None
    return (visit, comparison.overrun) if visit.overrun < comparison.overrun else None


def _has_entered_overrun(proposal: PlanProposal) -> bool:
    return OverrunStep.objects.filter(_accepted(proposal), action__undone_at=None).exists()


def _accepted(proposal: PlanProposal) -> Q:
    """Steps of its actions: accepted in parts, it has several, and knows the last one only."""
    return Q(action=proposal.action_id) | Q(action__in=proposal.changes.values("action"))
