"""Calls to the company's provider from threads of the web: who asks for a page never waits for one that hangs."""

import copy
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import requests
from django.conf import settings

from engineers.sign_in.company_sign_in import ProviderBusy, ProviderUnavailable
from monitoring.backoff import BackingOff, Backoff

# as long as people who come at the same moment may wait for each other
QUEUE_TIMEOUT_SECONDS = 2
# a provider changes its addresses seldom; its keys are not kept here
METADATA_SECONDS = 300
_running = threading.BoundedSemaphore(1)
# with the one that asks, all threads of this process but one, which is left for pages
_waiting = threading.BoundedSemaphore(max(settings.WEB_THREADS - 2, 0))
# by issuer: until when, and what it says of itself
_cached: dict[str, tuple[float, dict[str, Any]]] = {}


@cache
def _backoff_of(_issuer: str) -> Backoff:
    return Backoff()


@contextmanager
def provider_call(issuer: str) -> Iterator[None]:
    """Round what asks the provider. One at a time in each web process; others wait for it, of WEB_THREADS all but one,
    and a provider that hangs is left alone for a moment. Raises ProviderBusy, ProviderUnavailable."""
    with _slot():
        try:
            with _backoff_of(issuer).around(requests.ConnectionError, requests.Timeout):
                yield
        except BackingOff as problem:
            raise ProviderUnavailable("left alone for a moment") from problem


@contextmanager
def _slot() -> Iterator[None]:
    if not (_running.acquire(blocking=False) or _wait_for_slot()):
        raise ProviderBusy("busy")
    try:
        yield
    finally:
        _running.release()


def _wait_for_slot() -> bool:
    """Whether it is ours now."""
    if not _waiting.acquire(blocking=False):
        return False
    try:
        return _running.acquire(timeout=QUEUE_TIMEOUT_SECONDS)
    finally:
        _waiting.release()


def metadata_of(issuer: str, read: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A copy of what the provider says of itself; `read`, which checks it, is called once in METADATA_SECONDS.

    Raises ProviderBusy, ProviderUnavailable, and what `read` raises.
    """
    until, metadata = _cached.get(issuer, (0.0, {}))
    if time.monotonic() >= until:
        with provider_call(issuer):
            metadata = read()
        _cached[issuer] = (time.monotonic() + METADATA_SECONDS, copy.deepcopy(metadata))
    return copy.deepcopy(metadata)
