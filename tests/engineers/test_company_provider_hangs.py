"""A company provider that takes connections and says nothing leaves a thread for pages, and is left alone after it."""

import socket
import threading
from collections.abc import Iterator
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.conf import settings as configured
from django.test import Client
from pytest_django import Settings

from config.connections import IdentityProvider
from engineers.sign_in import company_provider, provider_calls
from engineers.sign_in.company_sign_in import ProviderBusy
from engineers.sign_in.provider_calls import provider_call
from tests.servers import identity_provider
from tests.servers.identity_provider import CLIENT_ID, CLIENT_SECRET

START = "/sign-in/company/"
BUSY = "Several people are signing in. Try again."


def use(settings: Settings, issuer: str) -> None:
    provider = IdentityProvider(issuer, CLIENT_ID, CLIENT_SECRET, "Partner Ltd", "", frozenset())
    settings.SIGN_IN = replace(configured.SIGN_IN, provider=provider)


@pytest.fixture
def silent(settings: Settings) -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        use(settings, f"http://127.0.0.1:{server.getsockname()[1]}")
        yield server


def sign_out_address() -> str:
    """Asks for the provider's description, as a start does."""
    return company_provider.sign_out_address(back_to="http://127.0.0.1/login/")


@pytest.mark.django_db
def test_provider_that_hangs_is_asked_by_one_thread(silent: socket.socket) -> None:
    browser = Client()
    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(sign_out_address)
        asked, _address = silent.accept()
        others = [threads.submit(sign_out_address) for _number in range(3)]
        start = browser.get(START)

        assert start.headers["Location"] == "/login/"
        assert BUSY in browser.get("/login/").content.decode()
        assert [done.result() for done in (first, *others)] == [""] * 4
    # nor after the first has given up
    assert sign_out_address() == ""
    asked.close()
    silent.setblocking(False)
    with pytest.raises(BlockingIOError):
        silent.accept()
    browser.get(START)
    assert "sign-in does not answer" in browser.get("/login/").content.decode()


def test_one_thread_of_four_waits_for_no_provider(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three people at once get their turn, one after the other; the fourth is told at once."""
    assert settings.WEB_THREADS == 4
    monkeypatch.setattr(provider_calls, "QUEUE_TIMEOUT_SECONDS", 60)
    held, entered = threading.Event(), threading.Event()

    def sign_in() -> None:
        with provider_call("https://provider.example"):
            entered.set()
            held.wait()

    with ThreadPoolExecutor(4) as threads:
        asking = threads.submit(sign_in)
        entered.wait()
        others = [threads.submit(sign_in) for _number in range(3)]
        (refused,) = futures.wait(others, return_when=futures.FIRST_COMPLETED).done
        held.set()
    assert isinstance(refused.exception(), ProviderBusy)
    assert [done.exception() for done in (asking, *others) if done is not refused] == [None] * 3


@pytest.mark.django_db
def test_person_who_waited_too_long_reads_that_others_sign_in(
    silent: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_calls, "QUEUE_TIMEOUT_SECONDS", 0)
    browser = Client()
    with provider_call("https://provider.example"):
        browser.get(START)

    page = browser.get("/login/").content.decode()
    assert (BUSY in page, "does not answer" in page) == (True, False)


@pytest.mark.django_db
def test_description_is_read_once_for_many_starts(settings: Settings) -> None:
    with identity_provider.running() as provider:
        use(settings, provider.issuer)

        answers = [Client().get(START) for _number in range(3)]

        assert [answer.headers["Location"].startswith(provider.issuer) for answer in answers] == [True] * 3
        assert provider.descriptions_given() == 1
