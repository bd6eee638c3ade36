"""What stands round every request of the web processes: 503 with Retry-After, not 500, while database, disk, evidence
bucket or Redis are away or enough pictures are being decoded; whether every thread is stuck in one request for a
minute; a page where Django has none for the address of a button."""

import errno
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus

import structlog
from botocore.exceptions import BotoCoreError, ClientError
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.views import defaults
from redis.exceptions import RedisError

from monitoring import web_metrics
from monitoring.uncaught_errors import code_locations

log = structlog.get_logger("monitoring.middleware")
RETRY_AFTER_SECONDS = 5
DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ENOTCONN, errno.ESTALE}
SERVER_ERROR, TOO_MANY = 500, 429


class ServiceBusy(Exception):
    """Enough requests do the same expensive thing; the same request later will be served."""

    part = ""


class UnavailableMiddleware:
    """Answers a view's failure; what fails outside a view comes to `server_error`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, problem: Exception) -> HttpResponse | None:
        part = find_unavailable_part(problem)
        return _try_again(request, part, problem) if part else None


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500: sessions, for example, are read and saved outside a view."""
    problem = sys.exc_info()[1]
    part = find_unavailable_part(problem)
    if part:
        return _try_again(request, part, problem)
    log.error(
        "uncaught error",
        error=type(problem).__name__,
        route=web_metrics.view_name(request),
        trace=code_locations(problem),
    )
    return defaults.server_error(request)


def find_unavailable_part(problem: BaseException | None) -> str:
    """Which part is away or full, or nothing when the exception means something else."""
    if isinstance(problem, OperationalError | InterfaceError):
        return "database"
    if isinstance(problem, RedisError):
        return "redis"
    if isinstance(problem, BotoCoreError) or _is_bucket_down(problem):
        return "evidence"
    if isinstance(problem, OSError) and problem.errno in DISK_ERRORS:
        return "disk"
    if isinstance(problem, ServiceBusy):
        return problem.part
    return ""


def _is_bucket_down(problem: BaseException | None) -> bool:
    if not isinstance(problem, ClientError):
        return False
    status: int = problem.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status >= SERVER_ERROR or status == TOO_MANY


def _try_again(request: HttpRequest, part: str, problem: BaseException | None) -> HttpResponse:
    # the places only: a message of the database's carries the row, and rows carry people
    log.error("unavailable", part=part, error=type(problem).__name__, trace=code_locations(problem))
    message = _(
        "The system is temporarily unavailable. Your last action may not have been saved. "
        "Try again in a few seconds."
    )
    if "text/html" in request.headers.get("Accept", ""):
        # without the request: its user, session and messages are in the database
        page = render_to_string("unavailable.html", {"message": message})
        response: HttpResponse = HttpResponse(page, status=503)
    else:
        response = JsonResponse({"error": "unavailable", "message": message}, status=503)
    response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    add_never_cache_headers(response)
    return response


# longer than the slowest request that ends by itself
STUCK_SECONDS = 60.0


class RequestWatch:
    """The requests under way in this process, one to a thread."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: dict[int, float] = {}
        self._lock = threading.Lock()

    @contextmanager
    def request(self) -> Iterator[None]:
        thread = threading.get_ident()
        with self._lock:
            self._begun[thread] = self._clock()
        try:
            yield
        finally:
            with self._lock:
                self._begun.pop(thread, None)

    def is_stuck(self, *, threads: int) -> bool:
        """All of so many threads have been in the same request for STUCK_SECONDS."""
        long_ago = self._clock() - STUCK_SECONDS
        with self._lock:
            return sum(begun <= long_ago for begun in self._begun.values()) >= threads


REQUESTS = RequestWatch()


class RequestWatchMiddleware:
    """Outermost, so that all of a request is under way."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with REQUESTS.request():
            return self.get_response(request)


def explain_refused_method(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Whoever comes back to a form that was refused, from the history or a bookmark, gets a way on."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_blank = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED and not response.content
        if not (is_blank and request.method == "GET" and request.accepts("text/html")):
            return response
        page = render(request, "405.html", status=HTTPStatus.METHOD_NOT_ALLOWED)
        page["Allow"] = response["Allow"]
        return page

    return answer
