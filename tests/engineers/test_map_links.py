"""The links that give an external map a position: one place, two settings, none where none is wanted."""

import pytest
from pytest_django import Settings

from engineers.location_history import map_link, navigation_link
from phone.job_details import navigate_url
from tests import make
from tests.conventions.sources import OURS, python


def test_links_hold_the_place(settings: Settings) -> None:
    assert map_link(53.8, -1.55) == "https://www.google.com/maps/search/?api=1&query=53.800000,-1.550000"
    assert navigation_link(53.8, -1.55).endswith("&destination=53.800000,-1.550000")

    settings.MAP_LINK_URL = "https://maps.example.org/?mlat={latitude}&mlon={longitude}"
    assert map_link(53.8, -1.55) == "https://maps.example.org/?mlat=53.800000&mlon=-1.550000"


@pytest.mark.django_db
def test_without_a_service_nothing_leads_there(settings: Settings) -> None:
    settings.MAP_LINK_URL = settings.NAVIGATION_URL = ""

    assert (map_link(53.8, -1.55), navigate_url(make.job())) == ("", "")


def test_no_other_module_names_the_service() -> None:
    named = {source.path for source in python(*OURS) if "google.com/maps" in source.text}

    assert named == {"config/environment.py"}
