"""Asks the geopy geocoder that GEOCODER names. It loads every geocoder and aiohttp, so geocoding.py loads it late."""

from typing import Any

from django.conf import settings
from geopy.exc import GeopyError
from geopy.geocoders import get_geocoder_for_service

from dispatch.geocoding import GeocoderUnavailable

TIMEOUT_SECONDS = 8


def find_position(address: str) -> tuple[float, float] | None:
    """Latitude and longitude, or None if the geocoder does not know the address. Raises GeocoderUnavailable."""
    try:
        match: Any = _geocoder().geocode(address, timeout=TIMEOUT_SECONDS)
    except GeopyError as problem:
        raise GeocoderUnavailable(type(problem).__name__) from problem
    return (float(match.latitude), float(match.longitude)) if match else None


def _geocoder() -> Any:
    options = {"user_agent": settings.GEOCODER_USER_AGENT}
    if settings.GEOCODER_DOMAIN:
        options["domain"] = settings.GEOCODER_DOMAIN
    return get_geocoder_for_service(settings.GEOCODER)(**options)
