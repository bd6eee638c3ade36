"""All drives between many locations at once: dispatch.driving.drive_times for one drive, vectorised."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dispatch.driving.travel_profile import DEFAULT_PROFILE, EARTH_METRES, TravelProfile
from dispatch.planning.engine.routing_problem import LONGEST_SECONDS, Matrix

# a matrix of 3,000 locations is 36 MB, and would be 300 on the way
ROWS_AT_ONCE = 256
Coordinates = tuple[float, float]
# from each location to each, without parking; NaN where a drive is to be estimated
RoadSeconds = NDArray[np.float64]


def travel_matrix(
    locations: Sequence[Coordinates | None],
    *,
    profile: TravelProfile = DEFAULT_PROFILE,
    road_seconds: RoadSeconds | None = None,
    estimate_factor: float = 1.0,
    road_factor: float = 1.0,
    round_up_to_seconds: int = 1,
) -> Matrix:
    """Seconds from each location (latitude, longitude; WGS 84 degrees) to each; 0 from and to one that is not known
    or none on earth, and between the same two. `road_seconds`: of a travel server, without parking; what is NaN there
    is estimated. The factors: how many times longer than usual. Rounded up to whole multiples of
    `round_up_to_seconds`, so that the starts of a plan are moments that people read."""
    points, is_known = _points(locations)
    matrix = np.zeros((len(points), len(points)), dtype=np.uint32)
    for first in range(0, len(points), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        seconds = profile.drive_seconds(distance_matrix(points[rows], points)) * estimate_factor
        if road_seconds is not None:
            over_roads = (road_seconds[rows] + profile.parking_seconds) * road_factor
            seconds = np.where(np.isnan(over_roads), seconds, over_roads)
        seconds = np.ceil(np.round(seconds) / round_up_to_seconds) * round_up_to_seconds
        is_same = (points[rows, None] == points[None]).all(axis=2)
        seconds[is_same | ~is_known[rows, None] | ~is_known[None]] = 0
        matrix[rows] = np.minimum(seconds, LONGEST_SECONDS)
    return matrix


def _points(locations: Sequence[Coordinates | None]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Rows of latitude and longitude, zeros where they are not known, and which are known."""
    points = np.array([location or (np.nan, np.nan) for location in locations], dtype=np.float64)
    points = points.reshape(-1, 2)
    is_known = (np.abs(points[:, 0]) <= 90) & (np.abs(points[:, 1]) <= 180)
    points[~is_known] = 0
    return points, is_known


def distance_matrix(starts: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Great-circle metres from points to points (rows of latitude and longitude in degrees)."""
    latitudes, longitudes = np.radians(starts).T
    to_latitudes, to_longitudes = np.radians(ends).T
    half = np.cos(latitudes)[:, None] * np.cos(to_latitudes)
    half *= np.sin((longitudes[:, None] - to_longitudes) / 2) ** 2
    half += np.sin((latitudes[:, None] - to_latitudes) / 2) ** 2
    metres: NDArray[np.float64] = 2 * EARTH_METRES * np.arcsin(np.sqrt(np.minimum(half, 1)))
    return metres
