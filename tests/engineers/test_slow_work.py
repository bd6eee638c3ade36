"""Work of web threads that waits for another machine, or computes for long, has a place in each process: whoever finds
it taken is told so at once, and pages go on."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from closures.photos import image_validation
from dispatch.models import Job
from dispatch.states import JobState
from engineers import throttling
from engineers.models import Role
from tests import make
from tests.board.office import press
from tests.board.test_people import client_of
from tests.board.test_reconcile_page import PAGE, lately
from tests.phone.phone import Phone
from tests.servers import seller

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return client_of(make.dispatcher(role=Role.SUPERVISOR))


def locate_job(client: Client) -> HttpResponse:
    return press(client, make.job(located=False), "geocode")


def find_home(client: Client) -> HttpResponse:
    return client.post("/board/people/new/", {"find": "1", "home_address": "2 Ling Bob"})


def fetch_record(client: Client) -> HttpResponse:
    return client.post(PAGE, {**lately(), "ask": "1"})


@pytest.mark.parametrize("ask", [locate_job, find_home, fetch_record])
def test_geocoder_and_record_are_asked_by_one_thread_only(
    ask: Callable[[Client], HttpResponse], client: Client, settings: Settings
) -> None:
    # nobody listens there
    settings.GEOCODER, settings.GEOCODER_DOMAIN = "nominatim", "127.0.0.1:9"
    settings.SELLER_RECORD_URL = "https://127.0.0.1:9/record"

    with throttling.slow_slot():
        refused = ask(client)
        page = client.get(PAGE)

    assert (refused.status_code, refused.headers["Retry-After"], page.status_code) == (503, "2", 200)
    assert ask(client).status_code != 503


def test_line_is_checked_by_one_thread_only(endpoint: seller.Endpoint, settings: Settings) -> None:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, is_on=True)
    phone = Phone(make.engineer())
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer, day=make.today())
    Job.objects.filter(pk=job.pk).update(service_identifier="FBR100000001")

    with throttling.slow_slot():
        refused = phone.client.post(f"/phone/jobs/{job}/line-check", headers={"Accept": "application/json"})
        day = phone.client.get("/phone/day.json")

    assert (refused.json()["error"], day.status_code) == ("too_many", 200)
    assert endpoint.received == []


def test_label_is_read_by_one_thread_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """While one is read a second one waits, for a time; a third is refused at once."""
    monkeypatch.setattr(image_validation, "QUEUE_TIMEOUT_SECONDS", 0.01)
    phone = Phone(make.engineer())

    def read() -> HttpResponse:
        return phone.client.post("/phone/scan-photo", make.jpeg(), "image/jpeg")

    with image_validation.decoder_slot():
        refused = read()

    assert (refused.status_code, bool(refused.headers["Retry-After"])) == (503, True)
    assert read().status_code == 200
