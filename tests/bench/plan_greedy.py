"""What a slot finder does: the most important jobs first, each into the route where it costs least travel."""

from collections.abc import Iterator, Sequence

from dispatch.planning.engine.routing_problem import Plan, PlanVisit, RoutingProblem

# engineers who are asked for a job: the nearest
MOST_ASKED = 160


def greedy_plan(problem: RoutingProblem) -> Plan:
    """For instances of plan_instances: one break a day, home to home, no fixed visits."""
    routes: list[list[int]] = [[] for _ in problem.engineers]
    for job in sorted(range(len(problem.jobs)), key=lambda number: _importance(problem, number)):
        best = min(_insertions(problem, routes, job), default=None)
        if best:
            _cost, engineer, position = best
            routes[engineer].insert(position, job)
    visits = [
        PlanVisit(job, engineer, start)
        for engineer, route in enumerate(routes)
        for job, start in zip(route, starts_of(problem, engineer, route) or (), strict=True)
    ]
    return Plan(tuple(sorted(visits)))


def _importance(problem: RoutingProblem, number: int) -> tuple[int, int, int]:
    job = problem.jobs[number]
    first, last = job.start_windows[0]
    return -job.priority, last - first, number


def _insertions(
    problem: RoutingProblem, routes: Sequence[Sequence[int]], job: int
) -> Iterator[tuple[int, int, int]]:
    """Cost, engineer and position of each insertion that is cheaper than those before and fits."""
    matrix, location = problem.travel_seconds, problem.jobs[job].location
    cheapest: int | None = None
    for engineer in _nearest(problem, routes, job):
        if not problem.jobs[job].skills <= problem.engineers[engineer].skills:
            continue
        home = problem.engineers[engineer].home
        stops = [home, *(problem.jobs[other].location for other in routes[engineer]), home]
        for position in range(len(stops) - 1):
            before, after = stops[position], stops[position + 1]
            cost = int(matrix[before, location]) + int(matrix[location, after]) - int(matrix[before, after])
            route = [*routes[engineer][:position], job, *routes[engineer][position:]]
            if (cheapest is None or cost < cheapest) and starts_of(problem, engineer, route):
                cheapest = cost
                yield cost, engineer, position


def _nearest(problem: RoutingProblem, routes: Sequence[Sequence[int]], job: int) -> list[int]:
    drives = problem.travel_seconds[:, problem.jobs[job].location]
    near = [
        min(int(drives[engineer.home]), *(int(drives[problem.jobs[other].location]) for other in route))
        if route
        else int(drives[engineer.home])
        for engineer, route in zip(problem.engineers, routes, strict=True)
    ]
    return sorted(range(len(routes)), key=near.__getitem__)[:MOST_ASKED]


def starts_of(problem: RoutingProblem, number: int, route: Sequence[int]) -> list[int] | None:
    """The earliest start of each job in this order, the break taken as soon as that helps; None when it cannot be."""
    engineer = problem.engineers[number]
    if engineer.max_jobs is not None and len(route) > engineer.max_jobs:
        return None
    for break_before in range(len(route), -1, -1):
        starts = _starts(problem, number, route, break_before=break_before)
        if starts is not None:
            return starts
    return None


def _starts(
    problem: RoutingProblem, number: int, route: Sequence[int], *, break_before: int
) -> list[int] | None:
    """With the break on the way to the job at this position, or on the way home."""
    engineer, (pause,) = problem.engineers[number], problem.engineers[number].breaks
    now, location, starts = engineer.shift.start, engineer.home, list[int]()
    for position, job_number in enumerate([*route, None]):
        job = None if job_number is None else problem.jobs[job_number]
        drive = int(problem.travel_seconds[location, job.location if job else engineer.home])
        if position == break_before:
            begins = max(now, pause.earliest)
            if begins > pause.latest:
                return None
            now = max(now + drive, begins) + pause.length_seconds
        else:
            now += drive
        if job is None:
            return starts if now <= engineer.shift.end else None
        first, last = job.start_windows[0]
        now = max(now, first)
        if now > last:
            return None
        starts.append(now)
        now, location = now + job.length_seconds, job.location
    return starts
