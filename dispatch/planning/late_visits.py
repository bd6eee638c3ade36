"""Today's visits for which a plan has no place by the rules, but which their engineers still reach inside the windows:
where an earlier visit takes longer, one ends after the customer's window or after the shift, or the break comes later.
They stay as they are: a customer who waits a little longer is better off than one who is called off."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dispatch.planning.plan_check import breaks_left, list_breaches
from dispatch.planning.plan_problem import (
    EngineerDay,
    FixedVisit,
    Plan,
    PlanBreak,
    PlanProblem,
    PlanVisit,
    TimeSpan,
)
from dispatch.planning.plan_value import visits_by_engineer
from dispatch.planning.team_jobs import find_seconds
from dispatch.planning.visit_times import delayed_problem

# after the moment at which a break should begin
MOST_BREAK_DELAY_SECONDS = 3600
# a team that waits can make another one wait
MOST_ROUNDS = 10


class NotInTime(Exception):
    """A break or an absence cannot be had with these visits."""


@dataclass(frozen=True)
class LatePlan:
    """`plan` has late visits at the times that they have today; `late`: when each of them will begin."""

    plan: Plan
    late: tuple[PlanVisit, ...] = ()


@dataclass(frozen=True)
class HeldDays:
    """`problem` without the days of engineers who are late: they are fixed as they will be, and nothing is added.
    `visits`: theirs, at the times of today; `late`: when those begin that begin later."""

    problem: PlanProblem
    visits: tuple[PlanVisit, ...] = ()
    late: tuple[PlanVisit, ...] = ()

    def completed(self, plan: Plan) -> Plan:
        """A plan of this problem with the days that were left out of it."""
        return replace(plan, visits=tuple(sorted([*plan.visits, *self.visits])))


def hold_late_days(problem: PlanProblem, *, free: Collection[int] = ()) -> HeldDays:
    """Else the engine would give somebody else's job the time of a visit that only ends too late. `free`: jobs
    (indices) for whose engineers somebody else is looked for first."""
    delayed = delayed_problem(problem).present
    broken = {breach.engineer for breach in list_breaches(problem, Plan(delayed))}
    broken -= _with_partners(problem, delayed, {visit.engineer for visit in delayed if visit.job in free})
    people = _with_partners(problem, delayed, broken)
    others = tuple(visit for visit in problem.present if visit.engineer not in people)
    found = keep_late_visits(problem, Plan(others))
    visits = tuple(visit for visit in found.plan.visits if visit.engineer in people)
    engaged = {visit.engineer for visit in visits}
    starts = {visit.job: visit.start for visit in (*visits, *found.late)}
    jobs = list(problem.jobs)
    for visit in visits:
        span = TimeSpan(starts[visit.job], starts[visit.job] + jobs[visit.job].length_seconds)
        jobs[visit.job] = replace(jobs[visit.job], fixed=FixedVisit(visit.engineer, span))
    engineers = [
        replace(day, max_jobs=0) if number in engaged else day for number, day in enumerate(problem.engineers)
    ]
    present = tuple(visit for visit in problem.present if visit not in visits)
    return HeldDays(
        replace(problem, jobs=tuple(jobs), engineers=tuple(engineers), present=present), visits, found.late
    )


def keep_late_visits(problem: PlanProblem, plan: Plan) -> LatePlan:
    """The plan with such visits. All visits of their engineers have the times that they have today; an engineer who
    gets anything new keeps none."""
    looser = _loosened(problem)
    today = {visit.job: visit for visit in problem.present}
    found = LatePlan(plan)
    for parts in _called_off(problem, plan):
        visits = [*found.plan.visits, *parts]
        people = _with_partners(problem, visits, {part.engineer for part in parts})
        own = [visit for visit in visits if visit.engineer in people]
        if any(visit.job not in today or today[visit.job].engineer != visit.engineer for visit in own):
            continue
        as_today = [today[visit.job] for visit in own]
        expected = _expected(looser, Plan(tuple(as_today)), people)
        if expected is not None:
            others = [visit for visit in found.plan.visits if visit.engineer not in people]
            late = [visit for visit in found.late if visit.engineer not in people]
            late += [visit for visit in expected if visit.start > today[visit.job].start]
            found = LatePlan(replace(plan, visits=tuple(sorted([*others, *as_today]))), tuple(sorted(late)))
    return found


def _called_off(problem: PlanProblem, plan: Plan) -> Iterator[tuple[PlanVisit, ...]]:
    """Today's visits that are not in the plan, the first ones first; a team's two together."""
    assigned, firsts = plan.by_job, {second: first for first, second in find_seconds(problem).items()}
    found: dict[int, tuple[PlanVisit, ...]] = {}
    for visit in sorted(problem.present, key=lambda visit: (visit.start, visit.job)):
        if visit.job not in assigned:
            job = firsts.get(visit.job, visit.job)
            found[job] = (*found.get(job, ()), visit)
    yield from found.values()


def _with_partners(problem: PlanProblem, visits: Sequence[PlanVisit], people: Collection[int]) -> set[int]:
    """These engineers, whoever is in a team with them, and so on."""
    engineers = {visit.job: visit.engineer for visit in visits}
    teams = [
        {engineers[first], engineers[second]}
        for first, second in find_seconds(problem).items()
        if first in engineers and second in engineers
    ]
    found = {*people}
    while more := {other for team in teams if team & found for other in team} - found:
        found |= more
    return found


def _expected(looser: PlanProblem, plan: Plan, people: Collection[int]) -> tuple[PlanVisit, ...] | None:
    """When the visits of a plan for these engineers alone begin, each as soon as they are there and none earlier than
    in the plan; None where they cannot do all of it."""
    days, seconds = visits_by_engineer(looser, plan), find_seconds(looser)
    starts: dict[int, int] = {visit.job: visit.start for visit in plan.visits}
    for _ in range(MOST_ROUNDS):
        try:
            for engineer in people:
                starts.update(_starts(looser, engineer, days[engineer], starts))
        except NotInTime:
            return None
        together = {
            part: max(starts[first], starts[second])
            for first, second in seconds.items()
            if first in starts and second in starts
            for part in (first, second)
        }
        if all(starts[part] == start for part, start in together.items()):
            break
        starts.update(together)
    timed = tuple(visit._replace(start=starts[visit.job]) for visit in plan.visits)
    is_broken = list_breaches(_without_breaks(looser), Plan(timed))
    return None if is_broken or any(_is_in_absence(looser, visit) for visit in timed) else timed


def _starts(
    problem: PlanProblem,
    engineer: int,
    visits: Sequence[tuple[TimeSpan, int]],
    not_before: Mapping[int, int],
) -> Iterator[tuple[int, int]]:
    """Job and start of each visit that is not fixed, with the breaks where they are due or as soon as they can be had.
    Raises NotInTime."""
    day, pauses = problem.engineers[engineer], breaks_left(problem, engineer, visits)
    free_at, location = day.shift.start, day.home if problem.is_commute_in_shift else None
    for span, number in visits:
        job = problem.jobs[number]
        drive = 0 if location is None else int(problem.travel_seconds[location, job.location])
        location = job.location
        if job.fixed:
            free_at = max(free_at, span.end)
            continue
        earliest = max(not_before[number], job.start_windows[0][0] if job.start_windows else span.start)
        start = max(earliest, free_at + drive)
        while pauses and _comes_first(day, pauses[0], start, job.length_seconds):
            pause = pauses.pop(0)
            if max(free_at, pause.earliest) > _latest(day, pause):
                raise NotInTime
            free_at = max(free_at, pause.earliest - drive) + pause.length_seconds
            start = max(earliest, free_at + drive)
        yield number, start
        free_at = start + job.length_seconds


def _comes_first(day: EngineerDay, pause: PlanBreak, start: int, length_seconds: int) -> bool:
    """Whether the break, or absence, comes before a visit that could begin then."""
    return start + (length_seconds if _is_absence(day, pause) else 0) > pause.earliest


def _latest(day: EngineerDay, pause: PlanBreak) -> int:
    return pause.earliest if _is_absence(day, pause) else pause.latest + MOST_BREAK_DELAY_SECONDS


def _is_absence(day: EngineerDay, pause: PlanBreak) -> bool:
    return any(absence.holds(TimeSpan(pause.earliest, pause.earliest)) for absence in day.absences)


def _is_in_absence(problem: PlanProblem, visit: PlanVisit) -> bool:
    span = TimeSpan(visit.start, visit.start + problem.jobs[visit.job].length_seconds)
    return any(absence.touches(span) for absence in problem.engineers[visit.engineer].absences)


def _loosened(problem: PlanProblem) -> PlanProblem:
    jobs = (replace(job, start_windows=job.late_windows or job.start_windows) for job in problem.jobs)
    return replace(problem, jobs=tuple(jobs), engineers=tuple(map(_longer, problem.engineers)))


def _longer(day: EngineerDay) -> EngineerDay:
    return replace(day, shift=day.shift._replace(end=day.latest_end or day.shift.end))


def _without_breaks(problem: PlanProblem) -> PlanProblem:
    """For a check of all else: `_starts` has placed them."""
    return replace(problem, engineers=tuple(replace(day, breaks=()) for day in problem.engineers))
