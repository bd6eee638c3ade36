"""Why a job is in no plan: the engine does not say, so it is found from the problem and the plan."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from dispatch.planning.engine_model import EngineModel, build_model
from dispatch.planning.plan_problem import Plan, PlanProblem, TimeSpan
from dispatch.planning.reason_codes import UnassignedCode


@dataclass(frozen=True)
class UnassignedReason:
    """`skills`: those that the job needs; `able`: how many engineers have them, `at_work` how many of those work while
    the visit would have to be, `in_reach` how many of those could be there in time on a free day."""

    code: UnassignedCode
    skills: frozenset[str] = frozenset()
    able: int = 0
    at_work: int = 0
    in_reach: int = 0


def explain_unassigned(problem: PlanProblem, plan: Plan) -> dict[int, UnassignedReason]:
    """The reason for each job (index) that is neither fixed nor in the plan."""
    # `in_reach` is about a free day, without what is fixed in it
    model = build_model(replace(problem, jobs=tuple(replace(job, fixed=None) for job in problem.jobs)))
    full = _full_engineers(problem, plan)
    return {job: _reason(model, job, full) for job in plan.unassigned(problem)}


def _full_engineers(problem: PlanProblem, plan: Plan) -> set[int]:
    """Indices of those who have as many jobs as they may have."""
    fixed = Counter(job.fixed.engineer for job in problem.jobs if job.fixed)
    jobs = fixed + Counter(visit.engineer for visit in plan.visits)
    return {
        index
        for index, engineer in enumerate(problem.engineers)
        if engineer.max_jobs is not None and jobs[index] >= engineer.max_jobs
    }


def _reason(model: EngineModel, number: int, full: set[int]) -> UnassignedReason:
    job, engineers = model.problem.jobs[number], model.problem.engineers
    able = {
        index
        for index, engineer in enumerate(engineers)
        if job.skills <= engineer.skills and (job.engineers is None or index in job.engineers)
    }
    starts = job.start_windows
    during = TimeSpan(starts[0][0], starts[-1][1] + job.length_seconds) if starts else None
    at_work = {index for index in able if during and engineers[index].shift.touches(during)}
    in_reach = {model.parts[part].engineer for part in np.flatnonzero(model.reach[:, number])}
    code = _code(
        has_engineers=bool(engineers),
        has_window=during is not None,
        numbers=(len(able), len(at_work), len(in_reach)),
    )
    if code == UnassignedCode.CAPACITY and in_reach <= full:
        code = UnassignedCode.MOST_JOBS
    elif code == UnassignedCode.CAPACITY and number in model.seconds:
        code = UnassignedCode.TEAM
    return UnassignedReason(code, job.skills, len(able), len(at_work), len(in_reach))


def _code(*, has_engineers: bool, has_window: bool, numbers: tuple[int, int, int]) -> UnassignedCode:
    if not has_engineers:
        return UnassignedCode.NO_ENGINEERS
    if not has_window:
        return UnassignedCode.NO_WINDOW
    codes = (UnassignedCode.SKILL, UnassignedCode.SHIFT, UnassignedCode.REACH)
    for code, number in zip(codes, numbers, strict=True):
        if not number:
            return code
    return UnassignedCode.CAPACITY
