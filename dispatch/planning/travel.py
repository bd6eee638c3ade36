"""Distances and driving times between places: pure."""

from geopy.distance import great_circle

Place = tuple[float, float]

# a van in a city and its outskirts, and roads that are not straight lines
METRES_PER_SECOND = 9.0
DETOUR = 1.3
MINUTES_TO_PARK = 4


def distance_metres(start: Place, end: Place) -> float:
    """Great-circle metres between two (latitude, longitude) pairs in WGS 84 degrees."""
    return float(great_circle(start, end).meters)


def travel_seconds(start: Place | None, end: Place | None) -> int:
    """A careful guess of the drive; 0 when a place is not known."""
    if start is None or end is None:
        return 0
    return round(distance_metres(start, end) * DETOUR / METRES_PER_SECOND) + MINUTES_TO_PARK * 60
