"""The coordinates of an address, by the geopy geocoder that GEOCODER names."""

from typing import Any

from django.conf import settings
from geopy.exc import GeopyError
from geopy.geocoders import get_geocoder_for_service

from dispatch.models import Job

TIMEOUT_SECONDS = 8


class GeocoderUnavailable(Exception):
    """The geocoder did not answer; nothing has changed, try again or place the pin by hand."""


def geocode(job: Job) -> tuple[float, float] | None:
    """Latitude and longitude of the job's address, or None if the geocoder does not know it.

    Asks another machine: never call it inside a transaction. Raises GeocoderUnavailable.
    """
    for address in (job.address, job.postcode):
        if address:
            found = geocode_address(address)
            if found:
                return found
    return None


def geocode_address(address: str) -> tuple[float, float] | None:
    """The same for an address as text. Raises GeocoderUnavailable."""
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
