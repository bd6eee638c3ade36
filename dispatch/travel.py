"""Where jobs and engineers are, and how far apart; how long a drive takes is in drive_times."""

from math import asin, cos, radians, sin, sqrt

from dispatch.models import Job
from dispatch.travel_profile import EARTH_METRES
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
