"""Limits on connections: their number, the time in which a request must arrive, the bytes that are not its body."""

import json
from asyncio import TimerHandle, Transport
from http import HTTPStatus
from typing import Any

import structlog
import uvloop
from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from monitoring.ip_addresses import plain_address
from seller_link.caller_authorization import REJECTIONS, RejectionCause
from seller_link.server import asgi
from seller_link.wire import refusals

log = structlog.get_logger("seller_link.server")
# nginx takes about 32 KiB of header; a caller of ours needs less than one
MAX_HEADER_BYTES = 64 * 1024
MAX_HEADERS = 100
# framing of a chunked body that comes in chunks of one byte: "1", CR LF, the byte, CR LF
CHUNK_OVERHEAD = 8
# in which the answer to a refused request can be read
LINGER_SECONDS = 1.0


class LimitedLoop(uvloop.Loop):
    """A handshake has SELLER_SERVER_READ_SECONDS, too; a protocol sees a caller only after it."""

    async def create_server(self, *args: Any, **named: Any) -> Any:
        if named.get("ssl"):
            named["ssl_handshake_timeout"] = settings.SELLER_SERVER_READ_SECONDS
        return await super().create_server(*args, **named)


class LimitedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol with the three limits that uvicorn lacks.

    From its first byte (for the first request: from the connection) a request has SELLER_SERVER_READ_SECONDS to
    arrive whole, however busily it drips; then the line is cut. A connection over SELLER_SERVER_CONNECTIONS gets
    503 tryAgain for its one request and is closed. Header, trailer and chunk framing are bounded, since the parser
    keeps them in memory before anybody knows who calls.
    """

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # uvicorn's own choice
        super().connection_made(transport)
        self._limit: TimerHandle | None = None
        self._received_bytes = self._body_bytes = self._header_bytes = 0
        self._start_limit()
        if len(self.connections) > settings.SELLER_SERVER_CONNECTIONS:
            log.error("too many connections", connections=len(self.connections))
            REJECTIONS.record(RejectionCause.BUSY)
            self.app = asgi.reject_overload

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_limit()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._received_bytes += len(data)
        super().data_received(data)
        allowed = MAX_HEADER_BYTES + CHUNK_OVERHEAD * min(self._body_bytes, settings.SELLER_MESSAGE_MAX_BYTES)
        if self._received_bytes - self._body_bytes > allowed:
            self._reject_header()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._start_limit()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Also called for each trailer."""
        super().on_header(name, value)
        self._header_bytes += len(name) + len(value)
        if len(self.headers) > MAX_HEADERS or self._header_bytes > MAX_HEADER_BYTES:
            self._reject_header()
            raise ValueError("too many headers")

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_headers_complete(self) -> None:
        """The application may close the connection as well (asgi.py)."""
        self.scope["state"]["hang_up"] = self.transport.abort
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._received_bytes = self._body_bytes = self._header_bytes = 0
        self._end_limit()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """uvicorn's answer to what is no HTTP, unless we have answered already."""
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def _reject_header(self) -> None:
        """413 and the end; a caller whose earlier request is being answered is cut off instead."""
        if self.transport.is_closing():
            return
        client: Any = self.client or ("", 0)
        address = plain_address(client[0])
        log.warning("header too large", address=address)
        REJECTIONS.record(RejectionCause.TOO_LARGE, address=address)
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.abort()
            return
        self.transport.pause_reading()
        self.transport.write(_whole_answer(refusals.header_too_large(MAX_HEADER_BYTES)))
        self.transport.close()
        # closing waits for the caller's part of the farewell, and this one goes on sending
        self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def _start_limit(self) -> None:
        if self._limit is None:
            self._limit = self.loop.call_later(settings.SELLER_SERVER_READ_SECONDS, self._abort)

    def _end_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _abort(self) -> None:
        """Aborted, not closed: closing would wait for the slow side again."""
        client: Any = self.client or ("", 0)
        log.warning("slow caller cut", address=client[0])
        self.transport.abort()


def _whole_answer(refusal: refusals.Refusal) -> bytes:
    """For a request that no application has seen."""
    body = json.dumps(refusal.body()).encode()
    status = HTTPStatus(refusal.status)
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
