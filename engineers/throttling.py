"""Limits on expensive requests: how often per user, and how many at the same moment in one web process.

Counted in Django's cache: shared by all processes with Redis, in each process for itself otherwise, so that the limit
of a user is then at most that many times as high. A cache that is away limits nobody.
"""

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Concatenate, ParamSpec

import structlog
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _

from engineers.caching import CACHE_AWAY, guarded_cache
from engineers.permissions import user_of
from monitoring.ip_addresses import plain_address

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
log = structlog.get_logger("throttling")
MINUTE = 60
RETRY_AFTER_SECONDS = 2
LARGE_WAIT_SECONDS = 20
# of an IPv6 address, what a provider gives to one connection (RFC 6177)
NETWORK_BITS = 64


@dataclass(frozen=True)
class RateLimit:
    """`requests` of one user in each full minute; `name` is shared by the views that count together."""

    name: str
    requests: int

    def seconds_to_wait(self, user_id: int | str) -> int:
        """Count one request; 0 when it may go on, otherwise how long to wait."""
        now = timezone.now().timestamp()
        key = f"rate:{self.name}:{user_id}:{int(now // MINUTE)}"
        if self._count(key) <= math.ceil(self.requests * settings.RATE_LIMIT_SCALE):
            return 0
        log.warning("rate limited", limit=self.name, user=user_id)
        return MINUTE - int(now % MINUTE)

    def _count(self, key: str) -> int:
        try:
            with guarded_cache():
                cache.add(key, 0, timeout=2 * MINUTE)
                return int(cache.incr(key))
        except ValueError:
            # the entry was dropped between the two, by a full cache
            return 1
        except CACHE_AWAY as problem:
            log.warning("cache away", limit=self.name, error=type(problem).__name__)
            return 0


def rate_limit_text(seconds: int) -> str:
    return _("Too many requests. Nothing was saved. Try again in %(seconds)d s.") % {"seconds": seconds}


def rate_limited(limit: RateLimit) -> Callable[[View[P]], View[P]]:
    """Answers 429 with `Retry-After` over the limit. Below a mark of engineers.permissions, which knows the user."""
    return _limited(limit, lambda request: user_of(request).pk)


def rate_limited_by_address(limit: RateLimit) -> Callable[[View[P]], View[P]]:
    """The same for a view that nobody signs in for: all who come from one address count together."""
    return _limited(limit, client_address)


def _limited(limit: RateLimit, caller: Callable[[HttpRequest], int | str]) -> Callable[[View[P]], View[P]]:
    def mark(view: View[P]) -> View[P]:
        @wraps(view)
        def limited(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            seconds = limit.seconds_to_wait(caller(request))
            if seconds:
                return _too_many_requests(request, 429, "rate_limited", rate_limit_text(seconds), seconds)
            return view(request, *args, **kwargs)

        return limited

    return mark


_slow_slot = threading.BoundedSemaphore(1)


class Busy(Exception):
    """This web process does something slow already; nothing has been done."""


@contextmanager
def slow_slot() -> Iterator[None]:
    """One slow thing at a time in each web process, whatever it is: its other threads stay free for pages.

    Raises Busy at once instead of waiting in a thread.
    """
    if not _slow_slot.acquire(blocking=False):
        raise Busy
    try:
        yield
    finally:
        _slow_slot.release()


def slow_request(view: View[P]) -> View[P]:
    """The view has the slow slot of its process; a second one is answered 503 with `Retry-After`."""

    @wraps(view)
    def limited(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.method in {"GET", "HEAD"}:
            # the empty form
            return view(request, *args, **kwargs)
        try:
            with slow_slot():
                return view(request, *args, **kwargs)
        except Busy:
            message = _("The server is busy. Nothing was saved. Try again.")
            return _too_many_requests(request, 503, "busy", message, RETRY_AFTER_SECONDS)

    return limited


_large_slot = threading.BoundedSemaphore(1)


def large_response(view: View[P]) -> View[P]:
    """One of these views at a time in each web process; the next one waits. What several need at the same moment stays
    with the process, and building them by turns takes no longer: Python computes in one thread at a time.

    After LARGE_WAIT_SECONDS it goes on while the others are built, so that one that hangs holds up nothing else.
    """

    @wraps(view)
    def waiting(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        has_slot = _large_slot.acquire(timeout=LARGE_WAIT_SECONDS)
        try:
            return view(request, *args, **kwargs)
        finally:
            if has_slot:
                _large_slot.release()

    return waiting


def _too_many_requests(
    request: HttpRequest, status: int, code: str, message: str, seconds: int
) -> HttpResponse:
    if request.headers.get("Accept", "").startswith("application/json"):
        response: HttpResponse = JsonResponse({"error": code, "message": message}, status=status)
    else:
        response = render(request, "try_later.html", {"message": message}, status=status)
    response.headers["Retry-After"] = str(seconds)
    add_never_cache_headers(response)
    return response


def client_address(request: HttpRequest) -> str:
    """Whom limits and locks count together: the caller's IPv4 address, or the first of its IPv6 network of 64 bits. One
    connection has all of those, and could guess a password from another one each time.

    What X-Forwarded-For says counts only from one of TRUSTED_PROXIES.
    Read from its end: each proxy of ours adds who called it, and whatever stands before the first unknown caller was
    written by that caller.
    """
    address = plain_address(str(request.META.get("REMOTE_ADDR", "")))
    forwarded = request.headers.get("X-Forwarded-For", "").split(",")
    while address in settings.TRUSTED_PROXIES and forwarded:
        before = _address(forwarded.pop())
        if not before:
            break
        address = before
    return _counted_together(address)


def _counted_together(address: str) -> str:
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv4Address):
        return address
    return str(IPv6Network((found.packed, NETWORK_BITS), strict=False).network_address)


def _address(text: str) -> str:
    try:
        return plain_address(str(ip_address(text.strip())))
    except ValueError:
        return ""
