"""Makes the proposals of a comparison: reads the problem once, and runs the engine once for all options."""

import structlog
from django.utils import timezone

from dispatch.models import Occasion, PlanComparison, PlanOption, PlanProposal, ProposalState, Visit
from dispatch.planning.comparisons import FREES_TIME, assumptions_of, record_comparison_failure
from dispatch.planning.engine.routing_problem import Plan
from dispatch.planning.plan_options import plan_options
from dispatch.planning.plan_runner import EngineFailed, EngineProcess, run_options
from dispatch.planning.problem.late_visits import hold_late_days
from dispatch.planning.problem.problem_reader import LoadedProblem, read_problem
from dispatch.planning.proposal_changes import save_plan, save_start
from dispatch.planning.proposals import read_scope
from dispatch.visits import current_visit

log = structlog.get_logger("dispatch.planning.comparison_making")


def make_comparison(comparison_id: int) -> None:
    """May run twice: a comparison that is made, or that another process makes, stays as it is."""
    requested = PlanProposal.objects.filter(comparison=comparison_id, state=ProposalState.REQUESTED)
    if not requested.update(state=ProposalState.PLANNING, started_at=timezone.now()):
        return
    comparison = PlanComparison.objects.get(pk=comparison_id)
    try:
        _make(comparison)
    except EngineFailed as failed:
        log.error("planner failed", comparison=comparison_id, reason=str(failed))
        record_comparison_failure(comparison_id, str(failed))
    except Exception as problem:
        # whoever waits for it is shown that it failed
        record_comparison_failure(comparison_id, type(problem).__name__)
        raise


def _make(comparison: PlanComparison) -> None:
    by_option = {proposal.option: proposal for proposal in comparison.proposals.all()}
    proposals = [by_option[option] for option in PlanOption.values]
    # it starts while the problem is read
    with EngineProcess() as engine:
        assumptions = assumptions_of(comparison)
        read = read_problem(read_scope(proposals[0]), now=timezone.now(), assumptions=assumptions)
        if read is None:
            for proposal in proposals:
                save_plan(proposal, None, Plan())
            return
        nearest, wider, everybody = (proposal.change_minutes for proposal in proposals)
        minutes, seconds = (nearest, wider, everybody), proposals[0].seconds
        focus = find_focus(comparison, read)
        held = hold_late_days(read.problem, free=read.left.union(focus))
        options = plan_options(focus, minutes, seconds=seconds)
        plans = run_options(held.problem, options, engine=engine)
    for proposal, limits, plan in zip(proposals, options, plans, strict=True):
        save_start(proposal, read)
        save_plan(proposal, read, plan, held, focus=limits.focus, concerned=focus)


def find_focus(comparison: PlanComparison, read: LoadedProblem) -> list[int]:
    """The jobs (indices) that need an engineer: the urgent one, those whose visit somebody attends whom it concerns, or
    all unassigned ones where an engineer has time now."""
    free = [number for number, job in enumerate(read.problem.jobs) if job.fixed is None]
    if comparison.occasion == Occasion.URGENT_JOB:
        return [number for number in free if read.jobs[number].pk == comparison.job_id]
    if comparison.occasion in FREES_TIME:
        return [number for number in free if read.jobs[number].pk not in read.visits]
    concerned = _people_concerned(comparison)
    return [number for number in free if concerned & _people_of(read.visits.get(read.jobs[number].pk))]


def _people_concerned(comparison: PlanComparison) -> set[int]:
    """Who is absent, or attends the visit that takes longer (keys)."""
    if comparison.engineer_id:
        return {comparison.engineer_id}
    return _people_of(current_visit(comparison.job) if comparison.job else None)


def _people_of(visit: Visit | None) -> set[int]:
    return {person.pk for person in visit.people} if visit else set()
