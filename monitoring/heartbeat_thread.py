"""The heartbeat of a process that answers requests: written from a thread of its own, gone when the process ends."""

import threading
from collections.abc import Callable
from contextlib import suppress

import structlog
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from monitoring import heartbeats

log = structlog.get_logger("seller_link.heartbeat")


class HeartbeatWriter(threading.Thread):
    """Beats every SERVER_BEAT_SECONDS until `end`, as long as the process `is_well`.

    A database that is away is asked again at the next beat.
    """

    def __init__(self, kind: str, *, is_well: Callable[[], bool]) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._is_well = is_well
        self.process = heartbeats.own_name(kind)
        self._facts = heartbeats.begun(timezone.now())
        self._ended = threading.Event()

    def run(self) -> None:
        while True:
            if self._is_well():
                self._beat()
            if self._ended.wait(heartbeats.SERVER_BEAT_SECONDS):
                return

    def end(self) -> None:
        """Nobody misses a process that was told to stop."""
        self._ended.set()
        # one that is being written now would come after its removal
        self.join(timeout=heartbeats.SERVER_BEAT_SECONDS)
        with suppress(DatabaseError, InterfaceError):
            heartbeats.end(self.process)
        connection.close()

    def _beat(self) -> None:
        try:
            heartbeats.beat(self.process, self._facts)
        except (DatabaseError, InterfaceError) as problem:
            log.warning("heartbeat not written", error=type(problem).__name__)
        finally:
            with suppress(DatabaseError, InterfaceError):
                connection.close()
