"""What the door bears from a connection: so many of them, and so long for one request to arrive whole."""

from asyncio import TimerHandle, Transport
from typing import Any

import structlog
import uvloop
from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from seller_link.endpoint import door
from seller_link.refusals import TALLY, Cause

log = structlog.get_logger("seller_link.door")


class PatientLoop(uvloop.Loop):
    """A handshake has SELLER_DOOR_READ_SECONDS, too; a protocol hears of a caller only behind it."""

    async def create_server(self, *given: Any, **named: Any) -> Any:
        if named.get("ssl"):
            named["ssl_handshake_timeout"] = settings.SELLER_DOOR_READ_SECONDS
        return await super().create_server(*given, **named)


class PatientProtocol(HttpToolsProtocol):
    """uvicorn's protocol with the two limits that uvicorn lacks.

    From its first byte (for the first request: from the connection) a request has SELLER_DOOR_READ_SECONDS to
    arrive whole, however busily it drips; then the line is cut. A connection over SELLER_DOOR_CONNECTIONS gets
    503 tryAgain for its one request and is closed.
    """

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # uvicorn's own choice
        super().connection_made(transport)
        self._limit: TimerHandle | None = None
        self._start_limit()
        if len(self.connections) > settings.SELLER_DOOR_CONNECTIONS:
            log.error("too many connections", connections=len(self.connections))
            TALLY.note(Cause.BUSY)
            self.app = door.turn_away

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_limit()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._start_limit()

    def on_headers_complete(self) -> None:
        """The application may cut the line as well (door.py)."""
        self.scope["state"]["hang_up"] = self.transport.abort
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._end_limit()
        super().on_message_complete()

    def _start_limit(self) -> None:
        if self._limit is None:
            self._limit = self.loop.call_later(settings.SELLER_DOOR_READ_SECONDS, self._cut)

    def _end_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _cut(self) -> None:
        """Aborted, not closed: closing would wait for the slow side again."""
        client: Any = self.client or ("", 0)
        log.warning("slow caller cut", address=client[0])
        self.transport.abort()
