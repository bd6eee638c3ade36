"""What a comparison only assumed, entered when one of its ways is accepted: the absence of an engineer, and that nobody
goes to a job that is cancelled."""

from dataclasses import dataclass, field

from dispatch import plan_absences, visits
from dispatch.job_events import Performer
from dispatch.models import Job, Occasion, PlanAction, PlanProposal
from dispatch.plan_actions import PlanChange, change_plan, new_action
from dispatch.plan_refusals import JobRefusal, PlanRefused
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import Window

UNASSIGNABLE = frozenset({JobState.ASSIGNED, JobState.EN_ROUTE})
REASON = "Cancelled"


@dataclass
class EnteredAssumption:
    """`absent`: who is marked absent now; `unassigned`: the job that nobody goes to any more."""

    action: PlanAction | None
    absent: Engineer | None = None
    unassigned: Job | None = None
    refusals: list[JobRefusal] = field(default_factory=list)


def is_to_enter(proposal: PlanProposal) -> bool:
    """Whether accepting the proposal would enter anything beside its changes."""
    return _absence_to_enter(proposal) is not None or _job_to_unassign(proposal) is not None


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
    if job:
        try:
            entered.action = change_plan([PlanChange(job)], by=by, reason=REASON, action=action) or action
        except PlanRefused as refused:
            entered.refusals = refused.refusals
        else:
            entered.unassigned = job
    return entered


def _absence_to_enter(proposal: PlanProposal) -> tuple[Engineer, Window] | None:
    """Until the end of what was planned."""
    comparison = proposal.comparison
    if comparison is None or comparison.occasion != Occasion.ENGINEER_ABSENT or comparison.engineer is None:
        return None
    since = comparison.absent_since or comparison.requested_at
    if since >= proposal.ends_at:
        return None
    span = Window(since, proposal.ends_at)
    return None if plan_absences.is_entered(comparison.engineer, span) else (comparison.engineer, span)


def _job_to_unassign(proposal: PlanProposal) -> Job | None:
    """None where the seller has cancelled it meanwhile, or where somebody has been on site."""
    comparison = proposal.comparison
    if comparison is None or comparison.occasion != Occasion.JOB_CANCELLED or comparison.job is None:
        return None
    job = comparison.job
    return job if job.state in UNASSIGNABLE and visits.current_visit(job) else None
