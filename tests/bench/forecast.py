"""The rest of a day forecast for 60 engineers: how long it takes, and whether its forecasts come true."""

import statistics
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from board.reports.figures import CALIBRATION_GROUPS, CalibrationGroup, build_group
from dispatch.on_time_forecast.day_simulation import VisitAhead, simulate_day
from dispatch.on_time_forecast.spreads import NO_ACCESS_LENGTH, JobKind, Spreads, spread_of
from dispatch.planning.engine.routing_problem import PlanLimits, RoutingProblem
from dispatch.planning.plan_runner import run_engine
from tests.bench.plan_instances import HOUR, make_instance
from tests.bench.rows import Row

SIX = 6 * HOUR
GOAL_SECONDS, GOAL_POINTS = 1, 5
TIMES = 5
# fewer forecasts of one probability say nothing about it
FEWEST = 100
NO_ACCESS = 0.07
# real work and drives differ from the default spreads, and have to be learned
WORK_SHAPE, DRIVE_SHAPE = (0.05, 0.35), (0.1, 0.3)
# of the jobs one in five has a flag, and takes longer than its planned length says
KINDS = (JobKind("PD", flags=frozenset({"MDU"})), *[JobKind("PD")] * 4)
LONGER = 1.25


def measure(_folder: Path, *, engineers: int = 60, jobs: int = 300, days: int = 40) -> Iterator[Row]:
    visits = planned_day(engineers, jobs)
    seconds = []
    for _ in range(TIMES):
        started = time.monotonic()
        simulate_day(visits, Spreads(), now=SIX)
        seconds.append(time.monotonic() - started)
    value = statistics.median(seconds)
    yield Row(
        name="forecast_60x300",
        value=round(value, 3),
        unit=f"s for 1,000 simulated days of {len(visits)} visits, median of {TIMES}; longest {max(seconds):.2f} s",
        compared_with="",
        ratio=None,
        goal=f"at most {GOAL_SECONDS} s",
        is_within_limit=value <= GOAL_SECONDS,
    )
    groups = calibration(visits, days=days)
    worst = max(abs(group.difference) for group in groups)
    yield Row(
        name="forecast_calibration",
        value=round(worst, 1),
        unit=f"points between forecast and what happened, the worst of {len(groups)} groups of probabilities with at "
        f"least {FEWEST} forecasts, over {days} days that differ from the default spreads: {_group_texts(groups)}",
        compared_with="",
        ratio=None,
        goal=f"at most {GOAL_POINTS} points",
        is_within_limit=worst <= GOAL_POINTS,
    )


def _group_texts(groups: list[CalibrationGroup]) -> str:
    return ", ".join(f"{group.forecast:.0f} % → {group.happened:.0f} % ({group.number})" for group in groups)


def planned_day(engineers: int, jobs: int) -> list[VisitAhead]:
    """As the planner makes it, with windows that end so soon after the planned start that some are missed."""
    problem = make_instance(engineers, jobs, seed=1)
    # by work: at a time limit a busy machine has no plan yet
    plan = run_engine(problem, PlanLimits(60, neighbourhoods=60))
    random = np.random.default_rng(5)
    by_engineer = sorted(plan.visits, key=lambda visit: (visit.engineer, visit.start))
    found = []
    for engineer, group in groupby(by_engineer, key=lambda visit: visit.engineer):
        start = problem.engineers[engineer].home
        for visit in group:
            job = problem.jobs[visit.job]
            found.append(
                VisitAhead(
                    key=visit.job,
                    engineer=engineer,
                    kind=KINDS[visit.job % len(KINDS)],
                    planned_start=visit.start,
                    length_seconds=job.length_seconds,
                    travel_seconds=_drive(problem, start, job.location),
                    window_end=visit.start + int(random.integers(1, 12)) * 600,
                )
            )
            start = job.location
    return found


def _drive(problem: RoutingProblem, start: int, end: int) -> int:
    return int(problem.travel_seconds[start, end])


def calibration(visits: list[VisitAhead], *, days: int) -> list[CalibrationGroup]:
    """Forecasts of days that really happen otherwise than the default spreads say: learn, forecast at six, look."""
    random = np.random.default_rng(7)
    work, drives = _real_ratios(random, 4000, WORK_SHAPE), _real_ratios(random, 4000, DRIVE_SHAPE)
    learned = Spreads(
        travel=spread_of(drives.tolist()),
        lengths={
            ("PD", "", ""): spread_of(work.tolist()),
            ("PD", "", "MDU"): spread_of((work * LONGER).tolist()),
        },
        no_access={"PD": NO_ACCESS},
    )
    # by group, as board.reports.figures.calibration_groups counts those of the database
    forecasts: list[list[tuple[float, bool]]] = [[] for _ in range(CALIBRATION_GROUPS)]
    outcome = simulate_day(visits, learned, now=SIX)
    for _ in range(days):
        starts = _real_day(visits, random)
        for visit in visits:
            probability = outcome.visits[visit.key].probability
            assert probability is not None
            group = forecasts[min(int(probability * CALIBRATION_GROUPS), CALIBRATION_GROUPS - 1)]
            group.append((probability, starts[visit.key] <= visit.window_end))
    return [
        build_group(
            number, len(group), sum(probability for probability, _ in group), sum(came for _, came in group)
        )
        for number, group in enumerate(forecasts)
        if len(group) >= FEWEST
    ]


def _real_ratios(random: np.random.Generator, number: int, shape: tuple[float, float]) -> NDArray[np.float64]:
    return random.lognormal(*shape, number)


def _real_day(visits: list[VisitAhead], random: np.random.Generator) -> dict[int, float]:
    """When each visit begins, by a walk of its own through the day."""
    starts: dict[int, float] = {}
    for _engineer, group in groupby(visits, key=lambda visit: visit.engineer):
        free = float(SIX)
        for visit in group:
            drive = visit.travel_seconds * float(_real_ratios(random, 1, DRIVE_SHAPE)[0])
            starts[visit.key] = max(float(visit.planned_start), free + drive)
            work = (
                NO_ACCESS_LENGTH
                if random.random() < NO_ACCESS
                else float(_real_ratios(random, 1, WORK_SHAPE)[0])
            )
            work *= LONGER if visit.kind.flags and work != NO_ACCESS_LENGTH else 1
            free = starts[visit.key] + work * visit.length_seconds
    return starts
