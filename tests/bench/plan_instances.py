"""Days with more work than they hold, made from a seed: cities with clusters of premises, half-day windows, skills."""

import math

import numpy as np
from numpy.typing import NDArray

from dispatch.driving.travel_profile import TravelProfile
from dispatch.planning.engine.routing_problem import EngineerDay, PlanBreak, PlanJob, PlanSpan, RoutingProblem
from dispatch.planning.engine.travel_matrix import travel_matrix

HOUR = 3600
SHIFT = PlanSpan(8 * HOUR, 18 * HOUR)
PAUSE = PlanBreak(int(11.5 * HOUR), 14 * HOUR, HOUR // 2)
WINDOWS = ((8 * HOUR, 13 * HOUR), (13 * HOUR, 18 * HOUR), (8 * HOUR, 18 * HOUR))
SKILL_SHARES = (0.15, 0.35, 0.40)
MAX_JOBS = 7
PROFILE = TravelProfile(metres_per_second=35 / 3.6, detour=1.35, parking_seconds=120)
KILOMETRES_OF_DEGREE = 111.2
HUBS, CITY_RADIUS, COUNTRY_RADIUS = 12, 15, 18
JOBS_OF_CITY = 400


def make_instance(engineers: int, jobs: int, *, seed: int) -> RoutingProblem:
    """The same for the same arguments."""
    random = np.random.default_rng(seed)
    cities = max(1, round(jobs / JOBS_OF_CITY))
    centres = [(53.8 + 0.5 * (city // 3), -1.55 + 0.8 * (city % 3)) for city in range(cities)]
    premises = _points(random, jobs, centres, is_clustered=True)
    homes = _points(random, engineers, centres, is_clustered=False)
    lengths = (random.integers(4, 11, jobs) * 900).tolist()
    windows = [WINDOWS[number] for number in random.choice(3, jobs, p=[0.45, 0.45, 0.10])]
    skills = [{f"skill{random.integers(3)}"} if random.random() < 0.15 else set() for _ in range(jobs)]
    priorities = random.choice([10, 20, 40], jobs, p=[0.7, 0.2, 0.1]).tolist()
    held = [
        {f"skill{number}" for number, share in enumerate(SKILL_SHARES) if random.random() < share}
        for _ in range(engineers)
    ]
    return RoutingProblem(
        jobs=tuple(
            PlanJob(
                key=number,
                location=number,
                length_seconds=lengths[number],
                start_windows=(windows[number],),
                skills=frozenset(skills[number]),
                priority=priorities[number],
            )
            for number in range(jobs)
        ),
        engineers=tuple(
            EngineerDay(str(number), jobs + number, SHIFT, (PAUSE,), frozenset(own), MAX_JOBS)
            for number, own in enumerate(held)
        ),
        travel_seconds=travel_matrix([*premises, *homes], profile=PROFILE),
    )


def _points(
    random: np.random.Generator, number: int, centres: list[tuple[float, float]], *, is_clustered: bool
) -> list[tuple[float, float]]:
    """Latitudes and longitudes on a grid as coarse as postcodes, by turns in each city."""
    hubs = [random.normal(0, 6, (HUBS, 2)) for _ in centres]
    found = []
    for point in range(number):
        city = point % len(centres)
        x, y = np.round(_offset(random, hubs[city], is_clustered=is_clustered) / 0.15) * 0.15
        latitude, longitude = centres[city]
        width = KILOMETRES_OF_DEGREE * math.cos(math.radians(latitude))
        found.append((float(latitude + y / KILOMETRES_OF_DEGREE), float(longitude + x / width)))
    return found


def _offset(
    random: np.random.Generator, hubs: NDArray[np.float64], *, is_clustered: bool
) -> NDArray[np.float64]:
    """Kilometres east and north of the centre."""
    while True:
        if is_clustered and random.random() < 0.8:
            offset: NDArray[np.float64] = hubs[random.integers(HUBS)] + random.normal(0, 1.3, 2)
        else:
            offset = random.uniform(-18, 18, 2)
        if np.hypot(*offset) <= (CITY_RADIUS if is_clustered else COUNTRY_RADIUS):
            return offset
