"""Whether a web process still serves anybody: when every thread has been in one request for long, it does not."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.http import HttpRequest, HttpResponse

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
