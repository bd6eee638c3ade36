"""Proposals of the planner as a test wants them, without the planner."""

from dispatch import visits
from dispatch.models import ChangeKind, Job, PlanProposal, ProposalState
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposals import request_proposal
from engineers.models import Engineer
from engineers.shifts import day_span
from tests import make


def planned(engineer: Engineer, clock: str) -> Job:
    job = make.job(duration_minutes=60)
    visits.assign(job=job, engineer=engineer, starts_at=make.at(clock), by=make.office())
    return job


def proposal_of(*changes: tuple[Job, Engineer | None, str]) -> PlanProposal:
    """Ready, with each of these jobs at its new place."""
    proposal = request_proposal(scope=PlanScope(day_span(make.DAY)), by=make.office().user)  # type: ignore[arg-type]
    for job, engineer, clock in changes:
        visit = visits.current_visit(job)
        before = visit.engineer if visit else None
        kind = ChangeKind.RESCHEDULE if engineer == before else ChangeKind.REASSIGN
        proposal.changes.create(
            job=job,
            kind=(kind if before else ChangeKind.ASSIGN) if engineer else ChangeKind.UNASSIGN,
            engineer_before=before,
            start_before=visit.planned_start if visit else None,
            engineer_after=engineer,
            start_after=make.at(clock) if engineer else None,
            version=plan_version(visit),
            reason="better_route" if engineer else "capacity",
        )
    PlanProposal.objects.update(state=ProposalState.READY)
    return proposal
