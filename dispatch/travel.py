"""How long an engineer drives between two places: a careful guess until a road network is asked."""

from datetime import timedelta
from math import asin, cos, radians, sin, sqrt

from dispatch.models import Job
from dispatch.travel_profile import DEFAULT_PROFILE, EARTH_METRES
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


def travel_seconds(start: Coordinates | None, end: Coordinates | None) -> int:
    """A careful guess of the drive; 0 when a place is not known, is none on earth, or both are the same."""
    if start is None or end is None or start == end or not (_is_on_earth(start) and _is_on_earth(end)):
        return 0
    return round(DEFAULT_PROFILE.drive_seconds(distance_metres(start, end)))


def _is_on_earth(coordinates: Coordinates) -> bool:
    latitude, longitude = coordinates
    return abs(latitude) <= 90 and abs(longitude) <= 180


def travel_time(start: Coordinates | None, end: Coordinates | None) -> timedelta:
    return timedelta(seconds=travel_seconds(start, end))


def job_coordinates(job: Job) -> Coordinates | None:
    if job.latitude is None or job.longitude is None:
        return None
    return job.latitude, job.longitude


def home_coordinates(engineer: Engineer) -> Coordinates | None:
    if engineer.home_latitude is None or engineer.home_longitude is None:
        return None
    return engineer.home_latitude, engineer.home_longitude
