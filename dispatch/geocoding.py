"""The coordinates of an address, by the geopy geocoder that GEOCODER names."""

from django.utils.module_loading import import_string

from dispatch.models import Job

# by name, as Django's own backends: most installations have no geocoder, and geopy with aiohttp costs a process 0.4 s
# and 32 MB at its start (tests/config/test_start.py keeps it out)
CLIENT = "dispatch.geopy_client.find_position"


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
    position: tuple[float, float] | None = import_string(CLIENT)(address)
    return position
