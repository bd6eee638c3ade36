"""A place from an address: asked of a real HTTP server that speaks like a geocoder."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from dispatch import geocoding
from dispatch.geocoding import GeocoderUnavailable
from tests import make

pytestmark = pytest.mark.django_db


@dataclass
class Gazetteer:
    """What the server knows, what it was asked, and the status that it answers with."""

    positions: dict[str, tuple[float, float]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    status: int = 200


def handler_of(gazetteer: Gazetteer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)["q"][0]
            gazetteer.asked.append(query)
            position = gazetteer.positions.get(query)
            found = (
                [{"lat": str(position[0]), "lon": str(position[1]), "display_name": query}]
                if position
                else []
            )
            self.send_response(gazetteer.status)
            self.end_headers()
            self.wfile.write(json.dumps(found).encode())

        def log_message(self, *_args: object) -> None:
            """Quiet."""

    return Handler


@pytest.fixture
def gazetteer(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gazetteer]:
    known = Gazetteer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(known))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.GEOCODER = "nominatim"
    settings.GEOCODER_DOMAIN = f"127.0.0.1:{server.server_address[1]}"
    monkeypatch.setattr("geopy.geocoders.options.default_scheme", "http")
    yield known
    server.shutdown()
    server.server_close()


def test_address_is_found(gazetteer: Gazetteer) -> None:
    job = make.job(located=False)
    gazetteer.positions[job.address] = (53.8, -1.5)

    assert geocoding.geocode(job) == (53.8, -1.5)


def test_postcode_is_asked_when_the_address_is_unknown(gazetteer: Gazetteer) -> None:
    job = make.job(located=False)
    gazetteer.positions["LS6 3AB"] = (53.82, -1.57)

    assert geocoding.geocode(job) == (53.82, -1.57)
    assert gazetteer.asked == [job.address, "LS6 3AB"]


def test_unknown_address_has_no_place(gazetteer: Gazetteer) -> None:
    assert geocoding.geocode(make.job(located=False)) is None


def test_silent_geocoder_is_a_refusal_of_its_own(gazetteer: Gazetteer) -> None:
    gazetteer.status = 503

    with pytest.raises(GeocoderUnavailable):
        geocoding.geocode(make.job(located=False))


def test_command_locates_every_job_that_waits(
    gazetteer: Gazetteer, capsys: pytest.CaptureFixture[str]
) -> None:
    job = make.job(located=False)
    gazetteer.positions["LS6 3AB"] = (53.82, -1.57)

    call_command("locate_jobs", pause=0)

    job.refresh_from_db()
    assert (job.latitude, job.longitude) == (53.82, -1.57)
    assert job.events.last().facts["found_by"] == "geocoder"
    assert capsys.readouterr().out == f"{job}: located at 53.82000, -1.57000\n"


def test_command_without_a_geocoder_says_who_does_it(settings: Settings) -> None:
    settings.GEOCODER = ""

    with pytest.raises(CommandError, match="Dispatchers must set the locations manually"):
        call_command("locate_jobs")
