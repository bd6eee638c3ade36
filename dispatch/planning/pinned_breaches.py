"""Visits that break a rule and stay all the same, because they are pinned or because a dispatcher overrode it: no plan
mends them, so they are named with it."""

from collections.abc import Iterable, Iterator

from dispatch.models import PlanProposal, Visit
from dispatch.planning.comparisons import assumptions_of
from dispatch.planning.problem.overridden_visits import broken_rules
from dispatch.planning.problem.plan_scope import AS_IT_IS, Assumptions
from dispatch.planning.problem.problem_reader import LoadedProblem

# the code of availability for whoever does not work then
ABSENT = "outside_shift"


def list_pinned_breaches(
    proposal: PlanProposal, read: LoadedProblem, others: Iterable[Visit] = ()
) -> Iterator[dict[str, object]]:
    """As PlanProposal keeps them; a few queries for each of these visits. `others`: that the plan leaves as well."""
    assumed = assumptions_of(proposal.comparison) if proposal.comparison else AS_IT_IS
    for visit in (*read.pinned, *others):
        codes = broken_rules(visit, begun=read.begun)
        if _is_absent(visit, assumed):
            codes.add(ABSENT)
        if codes:
            yield {"job": visit.job_id, "codes": sorted(codes)}


def _is_absent(visit: Visit, assumed: Assumptions) -> bool:
    leaves_at = [assumed.absent_from(person) for person in visit.people]
    return any(moment is not None and moment < visit.planned_end for moment in leaves_at)
