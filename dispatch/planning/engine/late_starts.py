"""When the visits of engineers who are late begin, each as soon as they are there: windows count by when a visit
begins, a shift may end a little later, a break come later, and nobody works through an absence."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from dispatch.planning.engine.plan_check import breaks_left, broken_by_visit
from dispatch.planning.engine.plan_value import visits_by_engineer
from dispatch.planning.engine.routing_problem import (
    EngineerDay,
    Plan,
    PlanBreak,
    PlanSpan,
    PlanVisit,
    RoutingProblem,
)
from dispatch.planning.engine.team_jobs import find_seconds, may_go_alone
from dispatch.planning.engine.visit_times import MOST_ROUNDS

# after the moment at which a break should begin
MOST_BREAK_DELAY_SECONDS = 3600
DayVisits = Sequence[tuple[PlanSpan, int]]


class NotInTime(Exception):
    """A break, an absence or a fixed visit leaves no time for these visits."""


class LateDays:
    """The days of a problem, as they may be when their engineers are late."""

    def __init__(self, problem: RoutingProblem) -> None:
        self.problem = problem
        self.looser = _loosened(problem)

    @cached_property
    def seconds(self) -> Mapping[int, int]:
        """By the job (index) the second engineer's part of it."""
        return find_seconds(self.problem)

    @cached_property
    def _fixed_days(self) -> list[list[tuple[PlanSpan, int]]]:
        return visits_by_engineer(self.problem, Plan())

    def with_partners(self, visits: Iterable[PlanVisit], people: Collection[int]) -> set[int]:
        """These engineers, whoever is in a team with them in these visits, and so on."""
        engineers = {visit.job: visit.engineer for visit in visits}
        teams = [
            {engineers[first], engineers[second]}
            for first, second in self.seconds.items()
            if first in engineers and second in engineers
        ]
        found = {*people}
        while more := {other for team in teams if team & found for other in team} - found:
            found |= more
        return found

    def expected(self, visits: Sequence[PlanVisit]) -> tuple[PlanVisit, ...] | None:
        """When all visits that are not fixed of some engineers begin, none earlier than here; None where they cannot do
        all of it. A break is had before a visit that it would cut in two, where it cannot be had after it."""
        jobs = {visit.job for visit in visits}
        if any(self._lacks_partner(visit, jobs) for visit in visits):
            return None
        for rests_first in (False, True):
            try:
                starts = self._starts(visits, rests_first=rests_first)
            except NotInTime:
                continue
            timed = tuple(visit._replace(start=starts[visit.job]) for visit in visits)
            if not any(self._is_broken(visit) for visit in timed):
                return timed
        return None

    def _starts(self, visits: Sequence[PlanVisit], *, rests_first: bool) -> dict[int, int]:
        """By job. Whoever is there first waits for the other of the team. Raises NotInTime."""
        starts = {visit.job: visit.start for visit in visits}
        days = self._days(visits)
        for _ in range(MOST_ROUNDS):
            for engineer, own in days.items():
                starts.update(self._starts_of_day(engineer, own, starts, rests_first=rests_first))
            together = {
                part: max(starts[first], starts[second])
                for first, second in self.seconds.items()
                if first in starts and second in starts
                for part in (first, second)
            }
            if all(starts[part] == start for part, start in together.items()):
                return starts
            starts.update(together)
        raise NotInTime

    def _days(self, visits: Iterable[PlanVisit]) -> dict[int, DayVisits]:
        """By engineer the visits of a day in order, the fixed ones among them."""
        days: dict[int, list[tuple[PlanSpan, int]]] = {}
        for visit in visits:
            span = PlanSpan(visit.start, visit.start + self.problem.jobs[visit.job].length_seconds)
            days.setdefault(visit.engineer, [*self._fixed_days[visit.engineer]]).append((span, visit.job))
        return {engineer: sorted(own) for engineer, own in days.items()}

    def _starts_of_day(
        self, engineer: int, visits: DayVisits, not_before: Mapping[int, int], *, rests_first: bool
    ) -> Iterator[tuple[int, int]]:
        """Job and start of each visit that is not fixed. Raises NotInTime."""
        problem, day = self.looser, self.looser.engineers[engineer]
        pauses = breaks_left(self.problem, engineer, visits)
        free_at, is_placed = day.shift.start, False
        location = day.home if problem.is_first_drive_timed(engineer) else None
        for span, number in visits:
            job = problem.jobs[number]
            drive = 0 if location is None else int(problem.travel_seconds[location, job.location])
            location = job.location
            if job.fixed:
                if is_placed and free_at + drive > span.start:
                    raise NotInTime
                while pauses and _after(pauses[0], free_at, drive) + drive <= span.start:
                    free_at = _after(pauses.pop(0), free_at, drive)
                free_at, is_placed = max(free_at, span.end), False
                continue
            earliest = max(not_before[number], job.start_windows[0][0] if job.start_windows else span.start)
            start = max(earliest, free_at + drive)
            while pauses and _comes_first(day, pauses[0], start, job.length_seconds, rests_first=rests_first):
                pause = pauses.pop(0)
                if max(free_at, pause.earliest) > _latest(day, pause):
                    raise NotInTime
                free_at = _after(pause, free_at, drive)
                start = max(earliest, free_at + drive)
            yield number, start
            free_at, is_placed = start + job.length_seconds, True

    def _lacks_partner(self, visit: PlanVisit, jobs: Collection[int]) -> bool:
        """Whether the other engineer of a team is not among those who do these jobs (indices)."""
        job, second = self.problem.jobs[visit.job], self.seconds.get(visit.job)
        if job.is_second:
            return not any(second == visit.job and first in jobs for first, second in self.seconds.items())
        is_alone = second is not None and second not in jobs
        return is_alone and not may_go_alone(job, self.problem.engineers[visit.engineer])

    def _is_broken(self, visit: PlanVisit) -> bool:
        span = PlanSpan(visit.start, visit.start + self.problem.jobs[visit.job].length_seconds)
        absences = self.problem.engineers[visit.engineer].absences
        return any(broken_by_visit(self.looser, visit)) or any(absence.overlaps(span) for absence in absences)


def _after(pause: PlanBreak, free_at: int, drive: int) -> int:
    """When whoever is free then can set off after the break, which may interrupt the drive."""
    return max(free_at, pause.earliest - drive) + pause.length_seconds


def _comes_first(
    day: EngineerDay, pause: PlanBreak, start: int, length_seconds: int, *, rests_first: bool
) -> bool:
    """Whether the break, or absence, comes before a visit that could begin then."""
    counts_end = rests_first or _is_absence(day, pause)
    return start + (length_seconds if counts_end else 0) > pause.earliest


def _latest(day: EngineerDay, pause: PlanBreak) -> int:
    return pause.earliest if _is_absence(day, pause) else pause.latest + MOST_BREAK_DELAY_SECONDS


def _is_absence(day: EngineerDay, pause: PlanBreak) -> bool:
    return any(absence.start == pause.earliest for absence in day.absences)


def _loosened(problem: RoutingProblem) -> RoutingProblem:
    jobs = (replace(job, start_windows=job.late_windows or job.start_windows) for job in problem.jobs)
    return replace(problem, jobs=tuple(jobs), engineers=tuple(map(_longer, problem.engineers)))


def _longer(day: EngineerDay) -> EngineerDay:
    return replace(day, shift=day.shift._replace(end=day.latest_end or day.shift.end))
