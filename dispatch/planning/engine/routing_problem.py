"""A planning problem and a plan as plain values: integers, seconds since an origin that the caller knows, indices.

They are sent between processes, so nothing here knows of Django, of the database or of the engine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dispatch.planning.reason_codes import EndedBy

Matrix = NDArray[np.uint32]
HIGHEST_PRIORITY = 100
# of each location to each: above it, a drive is no part of a working day
LONGEST_SECONDS = 7 * 24 * 3600


class InvalidProblem(ValueError):
    """The values of a problem contradict each other; the message says which."""


class PlanSpan(NamedTuple):
    """Seconds since the origin, the end excluded."""

    start: int
    end: int

    def contains(self, other: "PlanSpan") -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: "PlanSpan") -> bool:
        return self.start < other.end and other.start < self.end


class PlanBreak(NamedTuple):
    """Time in which no visit lies: begins at a moment from `earliest` to `latest`, both included."""

    earliest: int
    latest: int
    length_seconds: int


class FixedVisit(NamedTuple):
    """A pinned, begun or ended visit: it stays as it is, whatever rule it breaks. `engineer` is an index."""

    engineer: int
    span: PlanSpan


@dataclass(frozen=True)
class PlanJob:
    """A job to be planned, or one that is fixed.

    `key`: of the job; with a minus, the second engineer's part of it. `location`: index into the matrix.
    `start_windows`: when a visit may begin, both ends included; in order. `late_windows`: when one that is held up
    still begins in time, whenever it ends; none where that is the same. `skills`: all are needed. `priority`: 1 to 100,
    its value when it is assigned. `engineers`: only these (indices); None is everybody.

    A job for a team of two has a part for the second engineer, which begins with the first one's or is not assigned.
    `alone_skills`: what an engineer needs besides to do it without a second one; None: nobody does.
    """

    key: int
    location: int
    length_seconds: int
    start_windows: tuple[tuple[int, int], ...]
    skills: frozenset[str] = frozenset()
    priority: int = 10
    engineers: frozenset[int] | None = None
    fixed: FixedVisit | None = None
    alone_skills: frozenset[str] | None = frozenset()
    late_windows: tuple[tuple[int, int], ...] = ()

    @property
    def is_second(self) -> bool:
        return self.key < 0


@dataclass(frozen=True)
class EngineerDay:
    """One engineer in one day. `home`: index into the matrix. `shift`: one span; what is free between two shifts of
    the day is a break. `max_jobs`: None without a limit. `latest_end`: until when a visit that is held up may
    keep the engineer; None is the shift's end. `absences`: those of the breaks that nothing delays. `work_end`: of the
    shift with the minutes that are kept free; None is the shift's end. `is_at_home`: the shift has begun without a
    visit, so that the drive from home to the first one takes of its time."""

    key: str
    home: int
    shift: PlanSpan
    breaks: tuple[PlanBreak, ...] = ()
    skills: frozenset[str] = frozenset()
    max_jobs: int | None = None
    latest_end: int | None = None
    absences: tuple[PlanSpan, ...] = ()
    work_end: int | None = None
    is_at_home: bool = False


class PlanVisit(NamedTuple):
    """`job` and `engineer` are indices into the problem."""

    job: int
    engineer: int
    start: int


@dataclass(frozen=True)
class RoutingProblem:
    """`travel_seconds[a, b]` is the drive from location a to b. `is_commute_in_shift`: the drives from and to home are
    a part of the working time; otherwise they only count as travel, but see EngineerDay.is_at_home. `present`: today's
    visits of jobs that are not fixed, from which the engine begins where nothing better is found."""

    jobs: tuple[PlanJob, ...]
    engineers: tuple[EngineerDay, ...]
    travel_seconds: Matrix
    is_commute_in_shift: bool = True
    present: tuple[PlanVisit, ...] = ()

    def is_first_drive_timed(self, engineer: int) -> bool:
        """Whether the engineer (index) drives from home to the first visit in working time."""
        return self.is_commute_in_shift or self.engineers[engineer].is_at_home

    def validate(self) -> None:
        """Raises InvalidProblem for the first value that no plan could be made of."""
        rows, columns = self.travel_seconds.shape
        if rows != columns or self.travel_seconds.dtype != np.uint32:
            raise InvalidProblem("the matrix is not square or not of unsigned integers")
        locations = {job.location for job in self.jobs} | {engineer.home for engineer in self.engineers}
        if locations and not 0 <= min(locations) <= max(locations) < rows:
            raise InvalidProblem("a location is outside the matrix")
        if rows and int(self.travel_seconds.max()) > LONGEST_SECONDS:
            raise InvalidProblem("a drive is longer than a week")
        for job in self.jobs:
            _validate_job(job, number_of_engineers=len(self.engineers))
        for engineer in self.engineers:
            _validate_engineer(engineer)
        jobs = {job.key: job for job in self.jobs}
        if len(jobs) < len(self.jobs):
            raise InvalidProblem("two jobs have the same key")
        for job in self.jobs:
            if job.is_second and job.fixed is None:
                _validate_second(job, jobs.get(-job.key))


def _validate_job(job: PlanJob, *, number_of_engineers: int) -> None:
    if job.length_seconds <= 0 or not 1 <= job.priority <= HIGHEST_PRIORITY:
        raise InvalidProblem(f"job {job.key} has no length, or a priority outside 1 to {HIGHEST_PRIORITY}")
    edges = [edge for window in job.start_windows for edge in window]
    if edges != sorted(edges) or (edges and edges[0] < 0):
        raise InvalidProblem(f"the windows of job {job.key} are negative or out of order")
    if job.fixed and not 0 <= job.fixed.engineer < number_of_engineers:
        raise InvalidProblem(f"job {job.key} is fixed to an unknown engineer")
    if job.fixed and not 0 <= job.fixed.span.start < job.fixed.span.end:
        raise InvalidProblem(f"the fixed visit of job {job.key} has no length")


def _validate_second(second: PlanJob, first: PlanJob | None) -> None:
    if first is None or first.fixed is not None:
        raise InvalidProblem(
            f"the second engineer's part of job {-second.key} has no first one to be planned"
        )
    same = (first.location, first.length_seconds, first.start_windows)
    if same != (second.location, second.length_seconds, second.start_windows):
        raise InvalidProblem(f"the two engineers of job {first.key} have another place, length or window")


def _validate_engineer(engineer: EngineerDay) -> None:
    if not 0 <= engineer.shift.start <= engineer.shift.end:
        raise InvalidProblem(f"the shift of engineer {engineer.key} ends before it begins")
    if any(not 0 <= pause.earliest <= pause.latest or pause.length_seconds < 0 for pause in engineer.breaks):
        raise InvalidProblem(f"a break of engineer {engineer.key} is out of order")


@dataclass(frozen=True)
class Plan:
    """The visits of the jobs that are not fixed, in the order of their jobs; every other job is unassigned."""

    visits: tuple[PlanVisit, ...] = ()
    ended_by: EndedBy = EndedBy.WORK
    neighbourhoods: int = 0

    @property
    def by_job(self) -> Mapping[int, PlanVisit]:
        return {visit.job: visit for visit in self.visits}

    def unassigned(self, problem: RoutingProblem) -> list[int]:
        """Indices of the jobs that are neither fixed nor in the plan, one for a team's."""
        assigned = {visit.job for visit in self.visits}
        return [
            number
            for number, job in enumerate(problem.jobs)
            if job.fixed is None and not job.is_second and number not in assigned
        ]


@dataclass(frozen=True)
class PlanLimits:
    """`seconds`: of wall time, kept within half a second. `neighbourhoods`: how many small problems are solved after
    the first plan; None goes on until the time is over. `processes`: how many solve at a time; the plan does not
    depend on it.

    `change_seconds`: of driving that it costs to take a present visit from its engineer or to begin it at another time;
    with it, the search begins with the present plan and changes a part of it.

    `focus`: jobs (indices) that alone are to find somebody, and near which alone the plan is changed; None is all.
    `parts_at_once`: how many parts of shifts are solved together, the nearest ones; None is a fifth of all, a few.
    """

    seconds: float
    neighbourhoods: int | None = None
    seed: int = 1
    processes: int = 2
    change_seconds: int = 0
    focus: frozenset[int] | None = None
    parts_at_once: int | None = None

    @property
    def is_calm(self) -> bool:
        return self.change_seconds > 0


@dataclass(frozen=True)
class EngineRequest:
    """One problem, to be solved within each of these limits in turn, all from the present plan. `started`: when the
    time limit began, by time.monotonic, which all processes of a machine share; None: when the engine begins with it.
    """

    problem: RoutingProblem
    options: tuple[PlanLimits, ...]
    started: float | None = None


@dataclass(frozen=True)
class PlanProgress:
    """The best plan so far. `value` as in plan_value; `seconds` since the engine began. `option`: which of several
    limits it keeps."""

    plan: Plan
    value: int
    travel_seconds: int
    seconds: float
    is_last: bool = False
    option: int = 0
