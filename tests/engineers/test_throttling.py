"""Limits on expensive requests: per user and minute, and how many slow ones run at once in a process."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.conf import settings as configured
from django.core.cache import cache, caches
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from pytest_django import Settings

from config.connections import cache_settings
from engineers import throttling
from engineers.throttling import RateLimit
from tests import make
from tests.board.office import JSON, press, signed_in
from tests.phone.phone import Phone

START = datetime(2026, 11, 23, 9, 0, 5, tzinfo=UTC)
REDIS = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": configured.REDIS_URL}
LIMIT = RateLimit("test", 3)


@pytest.fixture(params=["locmem", "redis"])
def backend(request: pytest.FixtureRequest, settings: Settings) -> None:
    if request.param == "redis":
        settings.CACHES = {
            **settings.CACHES,
            "default": {**REDIS, "KEY_PREFIX": f"test-throttling-{os.getpid()}"},
        }
        caches["default"].delete_many([f"rate:test:{user}:{minute()}" for user in (1, 2)])


def minute() -> int:
    return int(START.timestamp() // 60)


@time_machine.travel(START, tick=False)
def test_over_the_limit_waits_until_the_next_minute(backend: None) -> None:
    assert [LIMIT.seconds_to_wait(1) for _ in range(5)] == [0, 0, 0, 55, 55]
    assert LIMIT.seconds_to_wait(2) == 0


def test_next_minute_starts_a_new_count(backend: None) -> None:
    with time_machine.travel(START, tick=False) as clock:
        for _ in range(4):
            LIMIT.seconds_to_wait(1)
        clock.move_to(START + timedelta(minutes=1))
        cache.delete(f"rate:test:1:{minute() + 1}")

        assert LIMIT.seconds_to_wait(1) == 0


def test_scale_multiplies_the_limit(settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 2

    with time_machine.travel(START, tick=False):
        assert [LIMIT.seconds_to_wait(1) for _ in range(7)] == [0] * 6 + [55]


def test_cache_that_is_away_limits_nobody(settings: Settings) -> None:
    settings.CACHES = {**settings.CACHES, "default": {**REDIS, "LOCATION": "redis://127.0.0.1:1/0"}}

    assert [LIMIT.seconds_to_wait(1) for _ in range(5)] == [0] * 5


@pytest.fixture
def silent(settings: Settings) -> Iterator[socket.socket]:
    """A Redis that was frozen: it takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as server:
        server.setblocking(False)
        address = f"redis://127.0.0.1:{server.getsockname()[1]}/0?socket_timeout=9"
        settings.CACHES = cache_settings(broker="redis", redis_url=address)
        yield server


def connections(server: socket.socket) -> int:
    """How often somebody came and waited."""
    with suppress(BlockingIOError):
        server.accept()[0].close()
        return 1 + connections(server)
    return 0


def test_frozen_cache_is_asked_once_and_limits_nobody(silent: socket.socket) -> None:
    assert [LIMIT.seconds_to_wait(1) for _ in range(20)] == [0] * 20
    assert connections(silent) == 1


@pytest.mark.django_db
def test_frozen_cache_stops_no_page(silent: socket.socket) -> None:
    client, phone = signed_in(), Phone(make.engineer())

    pages = [client.get(path).status_code for path in ("/board/", "/board/search?q=LS6", "/board/messages/")]
    days = [phone.client.get("/phone/day.json").status_code for _ in range(3)]

    assert (pages, days) == ([200] * 3, [200] * 3)
    assert connections(silent) == 1


def test_cache_has_short_limits_of_its_own(silent: socket.socket) -> None:
    limits = parse_qs(urlsplit(configured.CACHES["default"]["LOCATION"]).query)

    assert limits == {"socket_connect_timeout": ["0.2"], "socket_timeout": ["0.2"]}


@pytest.mark.django_db
@time_machine.travel(START, tick=False)
def test_user_over_the_limit_gets_429_and_others_do_not(settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 0.01
    client = signed_in()

    answers = [client.get("/board/search?q=LS6", headers=JSON) for _ in range(3)]
    page = client.get("/board/search?q=LS6")
    other = signed_in().get("/board/search?q=LS6")

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].headers["Retry-After"] == "55"
    assert answers[2].json()["error"] == "rate_limited"
    assert (page.status_code, "Try again in 55 s." in page.content.decode()) == (429, True)
    assert other.status_code == 200


@pytest.mark.django_db
@time_machine.travel(START, tick=False)
def test_sixty_engineers_behind_one_address_are_not_limited() -> None:
    phones = [Phone(make.engineer()) for _ in range(60)]

    answers = [phone.client.get("/phone/day.json").status_code for phone in phones for _ in range(6)]

    assert set(answers) == {200}


@pytest.mark.django_db(transaction=True)
def test_second_slow_request_is_answered_at_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one waits for the geocoder; pages and forms go on."""
    arrived, answer = threading.Event(), threading.Event()

    class Geocoder(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            arrived.set()
            answer.wait(30)
            self.send_response(503)
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Geocoder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.GEOCODER, settings.GEOCODER_DOMAIN = "nominatim", f"127.0.0.1:{server.server_port}"
    monkeypatch.setattr("geopy.geocoders.options.default_scheme", "http")
    job, client = make.job(located=False), signed_in()
    first = threading.Thread(target=press, args=(_twin(client), job, "geocode"))
    first.start()
    try:
        assert arrived.wait(10)
        second = press(client, job, "geocode")
        form = client.get("/board/reconcile/")
    finally:
        answer.set()
        first.join()
        server.shutdown()

    assert (second.status_code, second.json()["error"]) == (503, "busy")
    assert second.headers["Retry-After"] == "2"
    assert form.status_code == 200
    assert press(client, job, "geocode").status_code == 409


def _twin(client: Client) -> Client:
    twin = Client()
    twin.cookies = client.cookies
    return twin


@pytest.fixture
def slot(monkeypatch: pytest.MonkeyPatch) -> threading.BoundedSemaphore:
    """Of large responses; nobody waits for it."""
    monkeypatch.setattr(throttling, "LARGE_WAIT_SECONDS", 0)
    return throttling._large_slot


def test_large_responses_are_built_one_at_a_time(slot: threading.BoundedSemaphore) -> None:
    was_free: list[bool] = []

    @throttling.large_response
    def view(_request: HttpRequest) -> HttpResponse:
        was_free.append(slot.acquire(blocking=False))
        raise LookupError

    for _ in range(2):
        with pytest.raises(LookupError):
            view(HttpRequest())

    assert was_free == [False, False]
    assert slot.acquire(blocking=False)
    slot.release()


def test_large_response_that_hangs_holds_up_no_other(slot: threading.BoundedSemaphore) -> None:
    view = throttling.large_response(lambda _request: HttpResponse("built"))

    with slot:
        assert view(HttpRequest()).content == b"built"
        assert not slot.acquire(blocking=False)


@pytest.mark.parametrize("page", ["", "jobs/{}/", "jobs/{}/suggestions.json"])
@pytest.mark.django_db
def test_page_over_all_engineers_is_a_large_response(page: str) -> None:
    job, client = make.job(), signed_in()
    is_held: list[bool] = []

    def look(execute: Callable[..., Any], *statement: Any) -> Any:
        has_got_it = throttling._large_slot.acquire(blocking=False)
        if has_got_it:
            throttling._large_slot.release()
        is_held.append(not has_got_it)
        return execute(*statement)

    with connection.execute_wrapper(look):
        assert client.get(f"/board/{page.format(job)}").status_code == 200

    # who asks is read before it
    assert (is_held[0], is_held[-1]) == (False, True)
