"""Links to a map outside: the only place that tells one a position, and only when somebody presses the link."""

from django.conf import settings


def map_link(latitude: float, longitude: float) -> str:
    """The place on a map; empty when none is set."""
    return _filled(settings.MAP_LINK_URL, latitude, longitude)


def navigation_link(latitude: float, longitude: float) -> str:
    """The way there: opens the phone's own navigation; empty when none is set."""
    return _filled(settings.NAVIGATION_URL, latitude, longitude)


def _filled(pattern: str, latitude: float, longitude: float) -> str:
    return pattern.replace("{latitude}", f"{latitude:.6f}").replace("{longitude}", f"{longitude:.6f}")
