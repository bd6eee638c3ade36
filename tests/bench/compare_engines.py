"""Runs in an environment of its own (BENCH_COMPARE_PYTHON) with PyVRP or OR-Tools, which are no part of the product.

Reads a problem as JSON from standard input and writes the routes, in jobs, as JSON; called with the engine and its
seconds. Knows nothing of our code. What an engine cannot say stays out: PyVRP knows no breaks, so each shift is shorter
by its break, and whoever checks the plan says what that costs.
"""

import json
import resource
import sys
import time
from typing import Any

# of a job's priority against a second of driving: no drive is worth a job
VALUE = 100_000
OUT_OF_REACH = 10**7


def solve_pyvrp(problem: dict[str, Any], seconds: float) -> list[list[int]]:
    """By the interface of PyVRP 0.14."""
    from pyvrp import Model  # noqa: PLC0415
    from pyvrp.stop import MaxRuntime  # noqa: PLC0415

    model, jobs, engineers = Model(), problem["jobs"], problem["engineers"]
    all_skills = {skill for job in jobs for skill in job["skills"]}
    premises = [model.add_location(x=0, y=0) for _job in jobs]
    homes = [model.add_location(x=0, y=0) for _engineer in engineers]
    for job, location in zip(jobs, premises, strict=True):
        model.add_client(
            location,
            delivery=1,
            service_duration=job["length"],
            tw_early=job["first"],
            tw_late=job["last"],
            prize=job["priority"] * VALUE,
            required=False,
        )
    profiles: dict[frozenset[str], Any] = {}
    for engineer, home in zip(engineers, homes, strict=True):
        held = frozenset(engineer["skills"]) & all_skills
        profiles.setdefault(held, None)
        profiles[held] = profiles[held] or model.add_profile()
        depot = model.add_depot(home)
        start, end = engineer["shift"]
        model.add_vehicle_type(
            capacity=engineer["max_jobs"],
            start_depot=depot,
            end_depot=depot,
            tw_early=start,
            tw_late=end,
            shift_duration=end - start - engineer["break"],
            profile=profiles[held],
        )
    _add_edges(model, problem, [*premises, *homes], profiles)
    found = model.solve(stop=MaxRuntime(seconds), display=False, seed=1).best
    routes: list[list[int]] = [[] for _engineer in engineers]
    for route in found.routes() if found.is_feasible() else ():
        routes[route.vehicle_type()] = [visit.idx for visit in route if visit.is_client()]
    return routes


def _add_edges(
    model: Any, problem: dict[str, Any], locations: list[Any], profiles: dict[frozenset[str], Any]
) -> None:
    """A job that an engineer cannot do is out of reach by the profile of these skills."""
    matrix = problem["travel_seconds"]
    rows = [(job["location"], frozenset(job["skills"])) for job in problem["jobs"]]
    rows += [(engineer["home"], frozenset()) for engineer in problem["engineers"]]
    for start, (here, _skills) in zip(locations, rows, strict=True):
        for end, (there, needed) in zip(locations, rows, strict=True):
            if start is end:
                continue
            drive = matrix[here][there]
            model.add_edge(start, end, distance=drive, duration=drive)
            for held, profile in profiles.items():
                if not needed <= held:
                    model.add_edge(start, end, distance=OUT_OF_REACH, duration=OUT_OF_REACH, profile=profile)


def solve_ortools(problem: dict[str, Any], seconds: float) -> list[list[int]]:
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2  # noqa: PLC0415

    jobs, engineers, matrix = problem["jobs"], problem["engineers"], problem["travel_seconds"]
    number = len(jobs)
    nodes = [job["location"] for job in jobs] + [engineer["home"] for engineer in engineers]
    ends = list(range(number, number + len(engineers)))
    manager = pywrapcp.RoutingIndexManager(len(nodes), len(engineers), ends, ends)
    routing = pywrapcp.RoutingModel(manager)
    lengths = [job["length"] for job in jobs] + [0] * len(engineers)
    drives = routing.RegisterTransitMatrix([[matrix[here][there] for there in nodes] for here in nodes])
    times = [[matrix[here][there] + lengths[row] for there in nodes] for row, here in enumerate(nodes)]
    time_callback = routing.RegisterTransitMatrix(times)
    routing.SetArcCostEvaluatorOfAllVehicles(drives)
    routing.AddDimension(time_callback, 86400, 86400, False, "time")
    clock = routing.GetDimensionOrDie("time")
    counts = routing.RegisterUnaryTransitVector([1] * number + [0] * len(engineers))
    most = [engineer["max_jobs"] for engineer in engineers]
    routing.AddDimensionWithVehicleCapacity(counts, 0, most, True, "jobs")
    for job_number, job in enumerate(jobs):
        index = manager.NodeToIndex(job_number)
        clock.CumulVar(index).SetRange(job["first"], job["last"])
        routing.AddDisjunction([index], job["priority"] * VALUE)
        able = [v for v, engineer in enumerate(engineers) if set(job["skills"]) <= set(engineer["skills"])]
        routing.VehicleVar(index).SetValues([-1, *able])
    solver = routing.solver()
    visit_lengths = [lengths[manager.IndexToNode(index)] for index in range(routing.Size())]
    for vehicle, engineer in enumerate(engineers):
        start, end = engineer["shift"]
        clock.CumulVar(routing.Start(vehicle)).SetRange(start, end)
        clock.CumulVar(routing.End(vehicle)).SetRange(start, end)
        first, last = engineer["break_starts"]
        pause = solver.FixedDurationIntervalVar(first, last, engineer["break"], False, "")
        clock.SetBreakIntervalsOfVehicle([pause], vehicle, visit_lengths)
    options = pywrapcp.DefaultRoutingSearchParameters()
    options.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PARALLEL_CHEAPEST_INSERTION
    options.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    options.time_limit.FromMilliseconds(round(seconds * 1000))
    found = routing.SolveWithParameters(options)
    routes: list[list[int]] = [[] for _engineer in engineers]
    for vehicle in range(len(engineers) if found else 0):
        index = found.Value(routing.NextVar(routing.Start(vehicle)))
        while not routing.IsEnd(index):
            routes[vehicle].append(manager.IndexToNode(index))
            index = found.Value(routing.NextVar(index))
    return routes


ENGINES = {"pyvrp": solve_pyvrp, "ortools": solve_ortools}


def main() -> None:
    engine, seconds = sys.argv[1], float(sys.argv[2])
    problem = json.load(sys.stdin)
    started = time.monotonic()
    routes = ENGINES[engine](problem, seconds)
    used = time.monotonic() - started
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    json.dump({"routes": routes, "seconds": used, "megabytes": megabytes}, sys.stdout)


if __name__ == "__main__":
    main()
