"""Health checks of `/readyz`: each app registers its own in `apps.ready()`.

A check may hang: it is asked in a thread of its own, waited for only so long, and remembered briefly.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from django.db import DatabaseError, InterfaceError, connection

CACHE_SECONDS = 2.0
PARTS: dict[str, Callable[[], None]] = {}
CHECKS: dict[str, "TimeboxedCheck"] = {}


def register_check(name: str, part: Callable[[], None]) -> None:
    """`part` raises NotReady, or anything, while it is not fit for work. Registered again it replaces the old one."""
    PARTS[name] = part
    CHECKS[name] = TimeboxedCheck(part)


class NotReady(Exception):
    """A part that is not fit for work, in words."""


class TimeboxedCheck:
    """One thread asks, however many requests wait for it and however long the part hangs.

    It is kept: what it has made to ask with (the bucket's client) costs more than the question.
    """

    def __init__(self, part: Callable[[], None]) -> None:
        self._part = part
        self._lock = threading.Lock()
        self._asked, self._answered = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._is_asking = False
        self._problem = ""
        self._answered_at = float("-inf")

    def begin(self) -> None:
        """Ask, unless that is being done or was done a moment ago."""
        with self._lock:
            if self._is_asking or monotonic() - self._answered_at < CACHE_SECONDS:
                return
            self._is_asking = True
            self._answered.clear()
            self._asked.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="readiness", daemon=True)
                self._thread.start()

    def problem(self, *, until: float) -> str:
        """Nothing when the part works; `until` is a time of the monotonic clock."""
        if not self._answered.wait(max(0.0, until - monotonic())):
            return "no answer in time"
        return self._problem

    def _run(self) -> None:
        while True:
            self._asked.wait()
            self._asked.clear()
            self._ask()

    def _ask(self) -> None:
        try:
            self._problem = _problem_of(self._part)
        finally:
            with suppress(DatabaseError, InterfaceError):
                connection.close()
            with self._lock:
                self._is_asking, self._answered_at = False, monotonic()
                self._answered.set()


def _problem_of(part: Callable[[], None]) -> str:
    try:
        part()
    except NotReady as problem:
        return str(problem)
    # whatever a database or a storage raises: it is not ready, and its words may name what nobody should know
    except Exception as problem:
        return type(problem).__name__
    return ""


def check_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
