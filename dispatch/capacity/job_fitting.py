"""Which waiting jobs still fit into the engineers' free time: each takes a piece that no other takes. Pure.

No plan, but an answer to "is there somebody at all": jobs that few can do come first, an engineer with few skills goes
before one with many, and planned visits stay where they are.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from dispatch.capacity.half_days import Horizon, MinuteSpan
from dispatch.capacity.workload import AreaKey, OfferedTime, WaitingJob, Workload


@dataclass(frozen=True)
class CountedJob:
    """Where a waiting job counts, drive included; without an engineer nobody has time, and `lacking` is the skill that
    is the reason, empty where time itself is missing or the lead time is not over. `second`:
    the other engineer of a team of two."""

    job: WaitingJob
    span: MinuteSpan
    engineer: int | None = None
    second: int | None = None
    lacking: str = ""

    @property
    def starts(self) -> int:
        """In the half day in which it counts; what nobody has time for has no drive that could lie before."""
        return self.span[0] + (0 if self.engineer is None else self.job.drive)


class FreeTime:
    """What is left of the engineers' time, piece by piece."""

    def __init__(self, horizon: Horizon, workload: Workload) -> None:
        self.horizon = horizon
        busy: dict[int, list[MinuteSpan]] = {}
        for visit in workload.planned:
            for engineer in visit.engineers:
                busy.setdefault(engineer, []).append(visit.span)
        self.pieces = {
            person.engineer: _without(person.worked, busy.get(person.engineer, ()))
            for person in workload.offered
        }
        self.by_area: dict[AreaKey, list[int]] = {}
        for person in workload.offered:
            total = self.by_area.setdefault(person.area, [0] * len(horizon.half_days))
            for piece in self.pieces[person.engineer]:
                for index, (start, end) in horizon.parts(piece):
                    total[index] += end - start

    def find(self, engineer: int, bounds: MinuteSpan, minutes: int) -> MinuteSpan | None:
        """The first so many minutes in one piece inside the bounds."""
        found = next(self.pieces_inside(engineer, bounds, minutes), None)
        return (found[0], found[0] + minutes) if found else None

    def pieces_inside(self, engineer: int, bounds: MinuteSpan, minutes: int) -> Iterator[MinuteSpan]:
        """What of each piece lies inside the bounds, where it is at least so long."""
        pieces = self.pieces[engineer]
        at = max(bisect_left(pieces, bounds) - 1, 0)
        while at < len(pieces) and pieces[at][0] < bounds[1]:
            start, end = max(pieces[at][0], bounds[0]), min(pieces[at][1], bounds[1])
            if end - start >= minutes:
                yield start, end
            at += 1

    def take(self, person: OfferedTime, span: MinuteSpan) -> None:
        """A part of one piece, as `find` gave it."""
        pieces = self.pieces[person.engineer]
        at = bisect_left(pieces, (span[0] + 1,)) - 1
        start, end = pieces[at]
        rest = [(start, span[0]), (span[1], end)]
        pieces[at : at + 1] = [piece for piece in rest if piece[0] < piece[1]]
        for index, (start, end) in self.horizon.parts(span):
            self.by_area[person.area][index] -= end - start


def _without(worked: Iterable[MinuteSpan], cuts: Iterable[MinuteSpan]) -> list[MinuteSpan]:
    """What the cuts leave of spans that are in order and do not overlap."""
    free, cuts = [], sorted(cuts)
    for start, end in worked:
        at = start
        for cut_start, cut_end in cuts:
            if cut_end <= at or cut_start >= end:
                continue
            if cut_start > at:
                free.append((at, cut_start))
            at = cut_end
        if at < end:
            free.append((at, end))
    return free


class JobFitting:
    """The waiting jobs of a workload, one after the other."""

    def __init__(self, horizon: Horizon, workload: Workload) -> None:
        self.horizon = horizon
        self.free = FreeTime(horizon, workload)
        self._people: dict[AreaKey, list[OfferedTime]] = {}
        # who has few skills goes first, so that rare ones stay free
        for person in sorted(workload.offered, key=lambda person: (len(person.skills), person.engineer)):
            self._people.setdefault(person.area, []).append(person)
        self._able: dict[tuple[AreaKey, frozenset[str]], list[OfferedTime]] = {}
        # fewest minutes for which nobody had time: free time only shrinks
        self._refused: dict[tuple[AreaKey, frozenset[str], MinuteSpan], int] = {}
        # the same of two engineers
        self._refused_teams: dict[tuple[AreaKey, frozenset[str], MinuteSpan], int] = {}

    def count(self, waiting: Iterable[WaitingJob]) -> list[CountedJob]:
        """Each job once."""
        return [self._count(job) for job in sorted(waiting, key=self._order)]

    def _order(self, job: WaitingJob) -> tuple[int, int, int, int]:
        half_days = sum(1 for _part in self.horizon.parts(job.window))
        return len(self._able_to(job.area, job.needs)), half_days, -job.minutes, job.key

    def _able_to(self, area: AreaKey, needs: frozenset[str]) -> list[OfferedTime]:
        """Who has these skills, on whatever day."""
        if (area, needs) not in self._able:
            people = self._people.get(area, [])
            self._able[area, needs] = [person for person in people if needs <= person.skills.keys()]
        return self._able[area, needs]

    def _count(self, job: WaitingJob) -> CountedJob:
        bounds_in_order = self._bounds(job)
        if job.is_too_early:
            return _unfitted(job, bounds_in_order[0])
        for bounds in bounds_in_order:
            found = self._find(job, bounds, needs=job.needs)
            if found:
                person, span = found
                self.free.take(person, span)
                return CountedJob(job, span, engineer=person.engineer)
        for bounds in bounds_in_order if job.team else ():
            team = self._find_team(job, bounds)
            if team:
                first, second, span = team
                self.free.take(first, span)
                self.free.take(second, span)
                return CountedJob(job, span, engineer=first.engineer, second=second.engineer)
        return _unfitted(job, bounds_in_order[0], lacking=self._lacking_skill(job, bounds_in_order[0]))

    def _bounds(self, job: WaitingJob) -> list[MinuteSpan]:
        """For each half day in which its window has room for the visit, or else that with most room, from when to when
        it may take somebody's time: that with most free time first. The drive may lie before the window."""
        parts = list(self.horizon.parts(job.window))
        roomy = [part for part in parts if part[1][1] - part[1][0] >= job.length]
        free = self.free.by_area.get(job.area, [0] * len(self.horizon.half_days))
        found = roomy or [max(parts, key=lambda part: part[1][1] - part[1][0])]
        return [
            # what is longer than its half day can only begin in it
            (start - job.drive, end if end - start >= job.length else max(job.window[1], start + job.length))
            for _index, (start, end) in sorted(found, key=lambda part: -free[part[0]])
        ]

    def _find(
        self, job: WaitingJob, bounds: MinuteSpan, *, needs: frozenset[str]
    ) -> tuple[OfferedTime, MinuteSpan] | None:
        asked = (job.area, needs, bounds)
        if job.minutes >= self._refused.get(asked, job.minutes + 1):
            return None
        for person, span in self._free_people(job, bounds, needs=needs):
            return person, span
        self._refused[asked] = job.minutes
        return None

    def _free_people(
        self, job: WaitingJob, bounds: MinuteSpan, *, needs: frozenset[str]
    ) -> Iterator[tuple[OfferedTime, MinuteSpan]]:
        for person in self._able_to(job.area, needs):
            span = self.free.find(person.engineer, bounds, job.minutes)
            if span and person.has_skills(needs, self._day(span[1] - 1)):
                yield person, span

    def _find_team(
        self, job: WaitingJob, bounds: MinuteSpan
    ) -> tuple[OfferedTime, OfferedTime, MinuteSpan] | None:
        """Two engineers with a common piece, the first with the skills."""
        asked = (job.area, job.skills, bounds)
        if job.minutes >= self._refused_teams.get(asked, job.minutes + 1):
            return None
        for first in self._able_to(job.area, job.skills):
            for piece in self.free.pieces_inside(first.engineer, bounds, job.minutes):
                for second in self._people[job.area]:
                    span = self.free.find(second.engineer, piece, job.minutes)
                    if span and second is not first and first.has_skills(job.skills, self._day(span[1] - 1)):
                        return first, second, span
        self._refused_teams[asked] = job.minutes
        return None

    def _day(self, minute: int) -> date:
        return self.horizon.half_days[self.horizon.index_at(minute)].day

    def _lacking_skill(self, job: WaitingJob, bounds: MinuteSpan) -> str:
        """The rarest of its skills that half day, where somebody without them would have time or nobody at work has
        them all. Where two engineers are at work, the skill of one who comes with a second person is none of them."""
        day, people = self._day(bounds[0] + job.drive), self._people.get(job.area, [])
        at_work = [person for person in people if _works(person, bounds)]
        needs = job.skills if job.team and len(at_work) > 1 else job.needs
        is_held = any(person.has_skills(needs, day) for person in at_work)
        # who has them and has time lacks a second engineer, who needs none
        if not needs or self._find(job, bounds, needs=needs):
            return ""
        if is_held and self._find(job, bounds, needs=frozenset()) is None:
            return ""
        return min(sorted(needs), key=lambda code: sum(person.has_skills({code}, day) for person in at_work))


def _unfitted(job: WaitingJob, bounds: MinuteSpan, *, lacking: str = "") -> CountedJob:
    start = bounds[0] + job.drive
    return CountedJob(job, (start, start + job.minutes), lacking=lacking)


def _works(person: OfferedTime, bounds: MinuteSpan) -> bool:
    return any(start < bounds[1] and bounds[0] < end for start, end in person.worked)
