"""Pinned visits that break a rule, which a dispatcher overrode or time brought about: no plan mends them, so they are
named beside it."""

from collections.abc import Iterator

from dispatch.models import PlanProposal, Visit
from dispatch.planning.comparisons import assumptions_of
from dispatch.planning.plan_scope import AS_IT_IS, Assumptions
from dispatch.planning.problem_reader import ReadProblem
from dispatch.visit_proposals import VisitProposal
from dispatch.visits import proposal_problems
from engineers.shifts import Window

# the code of availability for whoever does not work then
ABSENT = "outside_shift"


def list_pinned_breaches(proposal: PlanProposal, read: ReadProblem) -> Iterator[dict[str, object]]:
    """As PlanProposal keeps them; a few queries for each pinned visit."""
    assumed = assumptions_of(proposal.comparison) if proposal.comparison else AS_IT_IS
    for visit in read.pinned:
        codes = {problem.code for problem in proposal_problems(_as_proposed(visit))}
        if _is_absent(visit, assumed):
            codes.add(ABSENT)
        if codes:
            yield {"job": visit.job_id, "codes": sorted(codes)}


def _as_proposed(visit: Visit) -> VisitProposal:
    """As if it were asked for now; that its time has come is no breach."""
    span = Window(visit.planned_start, visit.planned_end)
    return VisitProposal(
        visit.job, visit.engineer, span, not_before=visit.planned_start, second_engineer=visit.second_engineer
    )


def _is_absent(visit: Visit, assumed: Assumptions) -> bool:
    leaves_at = [assumed.absent_from(person) for person in visit.people]
    return any(moment is not None and moment < visit.planned_end for moment in leaves_at)
