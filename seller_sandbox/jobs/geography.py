"""Distance between two positions."""

from math import asin, cos, radians, sin, sqrt

EARTH_METRES = 6_371_000


def metres_between(first: tuple[float, float], second: tuple[float, float]) -> float:
    """The great-circle distance of two (latitude, longitude) pairs in degrees."""
    (lat1, lon1), (lat2, lon2) = (tuple(map(radians, position)) for position in (first, second))
    half = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_METRES * asin(min(1, sqrt(half)))
