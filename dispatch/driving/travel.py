"""Where jobs and engineers are, how far apart, and distances in words; how long a drive takes is in drive_times."""

from math import asin, cos, radians, sin, sqrt

from django.utils.formats import number_format

from dispatch.driving.travel_profile import EARTH_METRES
from dispatch.models import Job
from engineers.models import Engineer

Coordinates = tuple[float, float]
# of a position from the premises: more than a large plot and a weak fix explain
FAR_METRES = 500


def distance_metres(start: Coordinates, end: Coordinates) -> float:
    """Great-circle metres between two (latitude, longitude) pairs in WGS 84 degrees, by the haversine formula."""
    (latitude, longitude), (other_latitude, other_longitude) = start, end
    north, east = radians(other_latitude - latitude), radians(other_longitude - longitude)
    parallels = cos(radians(latitude)) * cos(radians(other_latitude))
    haversine = sin(north / 2) ** 2 + parallels * sin(east / 2) ** 2
    return 2 * EARTH_METRES * asin(min(1.0, sqrt(haversine)))


def is_far(metres: float, *, accuracy_metres: float | None) -> bool:
    """Whether a position that lies so many metres from the premises cannot be there, however inexact it is."""
    return metres - (accuracy_metres or 0) > FAR_METRES


def job_coordinates(job: Job) -> Coordinates | None:
    return as_coordinates(job.latitude, job.longitude)


def home_coordinates(engineer: Engineer) -> Coordinates | None:
    return as_coordinates(engineer.home_latitude, engineer.home_longitude)


def as_coordinates(latitude: float | None, longitude: float | None) -> Coordinates | None:
    return None if latitude is None or longitude is None else (latitude, longitude)


def format_distance(metres: float) -> str:
    """`120 m` below a kilometre, `6.2 km` below ten, then `12 km`; with a comma where the language has one."""
    if metres < 1000:
        return f"{round(metres, -1):.0f} m" if metres >= 100 else f"{metres:.0f} m"
    decimals = 1 if metres < 10_000 else 0
    return f"{number_format(f'{metres / 1000:.{decimals}f}', decimals)} km"
