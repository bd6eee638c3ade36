"""Why a job is in no plan: the engine does not say, so it is found from the problem and the plan."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dispatch.planning.engine.routing_problem import EngineerDay, Plan, PlanJob, PlanSpan, RoutingProblem
from dispatch.planning.engine.team_jobs import find_seconds
from dispatch.planning.reason_codes import UnassignedCode


@dataclass(frozen=True)
class UnassignedReason:
    """`skills`: those that the job needs; `in_reach`: the days of engineers (indices) in which somebody who has them
    could be there in time if nothing else was planned."""

    code: UnassignedCode
    skills: frozenset[str] = frozenset()
    in_reach: frozenset[int] = frozenset()


@dataclass(frozen=True)
class _Stretches:
    """Times of work on free days, without what is fixed or planned in them, one in each row: engineer (index), home,
    whether the drive from there takes of the shift, beginning and end of the stretch, and those of the shift."""

    engineers: NDArray[np.int64]
    homes: NDArray[np.int64]
    is_first_drive_timed: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    shift_starts: NDArray[np.int64]
    shift_ends: NDArray[np.int64]


@dataclass(frozen=True)
class _FreeDays:
    """What the reasons of all jobs are found from, read once: a large region has as many days as jobs. `whole`: with
    the minutes that are kept free. `able`: by needed skills, whether each engineer has them."""

    problem: RoutingProblem
    planned: _Stretches
    whole: _Stretches
    able: Mapping[frozenset[str], NDArray[np.bool_]]


def explain_unassigned(problem: RoutingProblem, plan: Plan) -> dict[int, UnassignedReason]:
    """The reason for each job (index) that is neither fixed nor in the plan."""
    full, teams = _full_engineers(problem, plan), find_seconds(problem)
    days, jobs = _free_days(problem), problem.jobs
    reasons = {number: _reason(days, jobs[number]) for number in plan.unassigned(problem)}
    return {job: _of_full_days(reason, full, is_team=job in teams) for job, reason in reasons.items()}


def _full_engineers(problem: RoutingProblem, plan: Plan) -> set[int]:
    """Indices of those who have as many jobs as they may have."""
    fixed = Counter(job.fixed.engineer for job in problem.jobs if job.fixed)
    jobs = fixed + Counter(visit.engineer for visit in plan.visits)
    return {
        index
        for index, engineer in enumerate(problem.engineers)
        if engineer.max_jobs is not None and jobs[index] >= engineer.max_jobs
    }


def _of_full_days(reason: UnassignedReason, full: set[int], *, is_team: bool) -> UnassignedReason:
    if reason.code == UnassignedCode.CAPACITY and reason.in_reach <= full:
        return replace(reason, code=UnassignedCode.MOST_JOBS)
    if reason.code == UnassignedCode.CAPACITY and is_team:
        return replace(reason, code=UnassignedCode.TEAM)
    return reason


def _free_days(problem: RoutingProblem) -> _FreeDays:
    engineers = problem.engineers
    able = {
        skills: np.array([skills <= engineer.skills for engineer in engineers], dtype=np.bool_)
        for skills in {job.skills for job in problem.jobs}
    }
    whole = map(_whole_day, engineers)
    return _FreeDays(problem, _read_stretches(problem, engineers), _read_stretches(problem, whole), able)


def _read_stretches(problem: RoutingProblem, days: Iterable[EngineerDay]) -> _Stretches:
    rows = [
        (index, day.home, problem.is_first_drive_timed(index), *span, *day.shift)
        for index, day in enumerate(days)
        for span in _stretches(day)
    ]
    return _Stretches(*np.array(rows, dtype=np.int64).reshape(-1, 7).T.copy())


def _reason(days: _FreeDays, job: PlanJob) -> UnassignedReason:
    able = days.able[job.skills]
    if job.engineers is not None:
        able = able & np.isin(np.arange(len(able)), list(job.engineers))
    in_reach = _in_reach(days.problem, days.planned, job, able)
    code = UnassignedCode.CAPACITY if in_reach else _code(days, job, able)
    return UnassignedReason(code, job.skills, in_reach)


def _code(days: _FreeDays, job: PlanJob, able: NDArray[np.bool_]) -> UnassignedCode:
    """Why nobody could be there in time, whatever is planned."""
    if not days.problem.engineers:
        return UnassignedCode.NO_ENGINEERS
    if not job.start_windows:
        return UnassignedCode.NO_WINDOW
    if not able.any():
        return UnassignedCode.SKILL
    lengths = _worked_lengths(days.whole, job, able)
    if not lengths.size:
        return UnassignedCode.SHIFT
    if (lengths < job.length_seconds).all():
        return UnassignedCode.TOO_LONG
    is_in_reserve = _in_reach(days.problem, days.whole, job, able)
    return UnassignedCode.RESERVE if is_in_reserve else UnassignedCode.REACH


def _worked_lengths(stretches: _Stretches, job: PlanJob, able: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Of the stretches in which one of these engineers works at some time of the job's windows, in seconds."""
    starts, ends = stretches.starts, stretches.ends
    opens, closes = job.start_windows[0][0], job.start_windows[-1][1] + job.length_seconds
    is_worked = able[stretches.engineers] & (starts < closes) & (opens < ends)
    return (ends - starts)[is_worked]


def _whole_day(engineer: EngineerDay) -> EngineerDay:
    """With the minutes that are kept free."""
    start, end = engineer.shift
    return replace(engineer, shift=PlanSpan(start, engineer.work_end or end))


def _stretches(engineer: EngineerDay) -> Iterator[PlanSpan]:
    """The shift without absences and without the breaks that have one time; the others may be before or after."""
    start = engineer.shift.start
    for pause in sorted(engineer.breaks):
        if pause.earliest == pause.latest:
            if start < pause.earliest:
                yield PlanSpan(start, min(pause.earliest, engineer.shift.end))
            start = max(start, pause.earliest + pause.length_seconds)
    if start < engineer.shift.end:
        yield PlanSpan(start, engineer.shift.end)


def _in_reach(
    problem: RoutingProblem, stretches: _Stretches, job: PlanJob, able: NDArray[np.bool_]
) -> frozenset[int]:
    """Those of these engineers (indices) who could do the job in one of the stretches."""
    drives, homes = problem.travel_seconds, stretches.homes
    there = drives[homes, job.location].astype(np.int64) * stretches.is_first_drive_timed
    back = drives[job.location, homes].astype(np.int64) * problem.is_commute_in_shift
    # nobody drives home for a break, but in time for the end of the shift
    earliest = np.maximum(stretches.starts, stretches.shift_starts + there)
    latest = np.minimum(stretches.ends, stretches.shift_ends - back) - job.length_seconds
    is_in_reach: NDArray[np.bool_] = np.zeros(len(homes), dtype=np.bool_)
    for first, last in job.start_windows:
        is_in_reach |= np.maximum(earliest, first) <= np.minimum(latest, last)
    return frozenset(stretches.engineers[is_in_reach & able[stretches.engineers]].tolist())
