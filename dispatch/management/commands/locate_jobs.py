"""Find a place for every open job that came without one, by the configured geocoder."""

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dispatch import geocoding, locations
from dispatch.geocoding import GeocoderUnavailable
from dispatch.job_events import SYSTEM, IllegalEvent
from dispatch.models import Job


class Command(BaseCommand):
    help = "Locate open jobs without coordinates from their addresses (needs GEOCODER)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        # public geocoders ask for no more than one question a second
        parser.add_argument("--pause", type=float, default=1.0, help="seconds between two requests")

    def handle(self, *_args: Any, pause: float, **_options: Any) -> None:
        if not settings.GEOCODER:
            raise CommandError("GEOCODER is not set. Dispatchers must set the locations manually.")
        for number, job in enumerate(Job.objects.needing_location()):
            if number:
                time.sleep(pause)
            try:
                self.stdout.write(f"{job}: {locate(job)}")
            except GeocoderUnavailable as problem:
                raise CommandError(
                    f"The geocoder does not respond ({problem}). Run the command again later."
                ) from problem


def locate(job: Job) -> str:
    """The result as text."""
    position = geocoding.geocode(job)
    if position is None:
        return "address not found, a dispatcher must place it"
    latitude, longitude = position
    try:
        locations.set_location(
            job=job, latitude=latitude, longitude=longitude, by=SYSTEM, found_by="geocoder"
        )
    except IllegalEvent:
        return "closed or cancelled meanwhile"
    return f"located at {latitude:.5f}, {longitude:.5f}"
