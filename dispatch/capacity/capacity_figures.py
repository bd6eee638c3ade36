"""The figures of each half day: offered, booked, spare and short, by area and by skill. Pure.

A row without a skill counts every engineer and every job once. A row of a skill counts who holds it that day and the
jobs that need it: a job that needs two skills stands in both rows, and no total is made from rows of skills.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dispatch.capacity.half_days import Horizon, MinuteSpan
from dispatch.capacity.job_fitting import CountedJob, JobFitting
from dispatch.capacity.workload import AreaKey, AssignedVisit, OfferedTime, Workload

# an area and a skill code, which is empty in the row of all work
RowKey = tuple[AreaKey, str]


@dataclass(frozen=True)
class HalfDayFigures:
    """Minutes, and numbers of jobs. `booked`: planned visits and waiting jobs with their drives; `short`: of the jobs
    for which nobody has time, `spare`: what nobody needs, in which `spare_jobs` of the usual length fit."""

    offered: int = 0
    booked: int = 0
    spare: int = 0
    short: int = 0
    jobs: int = 0
    waiting_jobs: int = 0
    short_jobs: int = 0
    spare_jobs: int = 0

    def __add__(self, other: "HalfDayFigures") -> "HalfDayFigures":
        return HalfDayFigures(*(getattr(self, name) + getattr(other, name) for name in NAMES))

    @property
    def is_short(self) -> bool:
        return self.short_jobs > 0

    @property
    def is_empty(self) -> bool:
        return not (self.offered or self.booked)


NAMES = tuple(HalfDayFigures.__dataclass_fields__)
NOTHING = HalfDayFigures()


@dataclass(frozen=True)
class CapacityFigures:
    """`rows`: a figure for each half day; `unfitted`: the jobs for which nobody has time."""

    rows: Mapping[RowKey, list[HalfDayFigures]]
    unfitted: list[CountedJob]

    def row(self, area: AreaKey, skill: str = "") -> list[HalfDayFigures] | None:
        return self.rows.get((area, skill))

    def whole(self, skill: str = "") -> list[HalfDayFigures]:
        """Of all areas."""
        own = [row for (_area, code), row in self.rows.items() if code == skill]
        return [sum(column, NOTHING) for column in zip(*own, strict=True)]

    def skills_of(self, area: AreaKey) -> list[str]:
        return sorted(code for key, code in self.rows if key == area and code)


class _Counts:
    """The rows while they are counted: a list for each figure, with a number for each half day."""

    def __init__(self, horizon: Horizon, usual_minutes: int) -> None:
        self.horizon = horizon
        self.usual_minutes = usual_minutes
        self._rows: dict[RowKey, dict[str, list[int]]] = {}
        # (minutes, number) of all jobs of a row
        self._needed: dict[RowKey, tuple[int, int]] = {}

    def add(self, key: RowKey, figure: str, index: int, number: int = 1) -> None:
        if key not in self._rows:
            self._rows[key] = {name: [0] * len(self.horizon.half_days) for name in NAMES}
        self._rows[key][figure][index] += number

    def add_minutes(self, keys: Iterable[RowKey], figure: str, span: MinuteSpan) -> None:
        parts = list(self.horizon.parts(span))
        for key in keys:
            for index, (start, end) in parts:
                self.add(key, figure, index, end - start)

    def add_job(self, keys: Sequence[RowKey], *, starts: int, minutes: int, figures: Iterable[str]) -> None:
        if not 0 <= starts < self.horizon.end:
            return
        index = self.horizon.index_at(starts)
        for key in keys:
            total, number = self._needed.get(key, (0, 0))
            self._needed[key] = total + minutes, number + 1
            for figure in figures:
                self.add(key, figure, index)

    def usual(self, key: RowKey) -> int:
        """Minutes of the row's mean job."""
        total, number = self._needed.get(key, (0, 0))
        return max(1, total // number) if number else self.usual_minutes

    def rows(self) -> dict[RowKey, list[HalfDayFigures]]:
        return {
            key: [HalfDayFigures(*numbers) for numbers in zip(*row.values(), strict=True)]
            for key, row in self._rows.items()
        }


def count_capacity(workload: Workload, *, horizon: Horizon, usual_minutes: int) -> CapacityFigures:
    """`usual_minutes`: of a job with its drive, in a row without jobs."""
    counts, fitting = _Counts(horizon, usual_minutes), JobFitting(horizon, workload)
    people = {person.engineer: person for person in workload.offered}
    for visit in workload.planned:
        _count_visit(counts, visit, people)
    counted = fitting.count(workload.waiting)
    for job in counted:
        _count_job(counts, job)
    for person in workload.offered:
        _count_person(counts, person, fitting.free.pieces[person.engineer])
    return CapacityFigures(counts.rows(), [job for job in counted if job.engineer is None])


def _row_keys(area: AreaKey, skills: Iterable[str]) -> list[RowKey]:
    return [(area, ""), *((area, code) for code in skills)]


def _count_visit(counts: _Counts, visit: AssignedVisit, people: Mapping[int, OfferedTime]) -> None:
    """In the area of who makes it: that is whose time it takes. Time counts for each engineer, the job once."""
    minutes = visit.span[1] - visit.span[0]
    for position, engineer in enumerate(visit.engineers):
        keys = _row_keys(people[engineer].area, visit.needs)
        counts.add_minutes(keys, "booked", visit.span)
        if position == 0:
            counts.add_job(keys, starts=visit.starts, minutes=minutes, figures=["jobs"])


def _count_job(counts: _Counts, job: CountedJob) -> None:
    keys = _row_keys(job.job.area, job.job.needs if job.second is None else job.job.skills)
    figures = ["jobs", "waiting_jobs"]
    counts.add_minutes(keys, "booked", job.span)
    if job.second is not None:
        # who accompanies needs no skill
        counts.add_minutes(_row_keys(job.job.area, ()), "booked", job.span)
    if job.engineer is None:
        counts.add_minutes(keys, "short", job.span)
        figures.append("short_jobs")
    counts.add_job(keys, starts=job.starts, minutes=job.job.minutes, figures=figures)


def _count_person(counts: _Counts, person: OfferedTime, pieces: Iterable[MinuteSpan]) -> None:
    for index, key, minutes in _by_half_day(counts.horizon, person, person.worked):
        counts.add(key, "offered", index, minutes)
    for index, key, minutes in _by_half_day(counts.horizon, person, pieces):
        counts.add(key, "spare", index, minutes)
        counts.add(key, "spare_jobs", index, minutes // counts.usual(key))


def _by_half_day(
    horizon: Horizon, person: OfferedTime, spans: Iterable[MinuteSpan]
) -> Iterator[tuple[int, RowKey, int]]:
    """(half day, row, minutes) of each part of the spans, for each skill that counts that day."""
    for span in spans:
        for index, (start, end) in horizon.parts(span):
            day = horizon.half_days[index].day
            skills = (code for code in person.skills if person.counts_on(code, day))
            for key in _row_keys(person.area, skills):
                yield index, key, end - start
