"""The seller's door: a small ASGI application behind mutual TLS, in a process of its own.

No Django request is made for it: under ASGI Django gives each request a fresh thread and so a fresh
database connection, which halves the rate. Here a few threads with their own connections do the work.
"""

import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from traceback import extract_tb
from typing import Any

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from seller_link import inbox, peers
from seller_link.endpoint.queue import Queue, Side, Turn
from seller_link.inbox import Answer
from seller_link.peers import Peer
from seller_link.wire import faults, incoming
from seller_link.wire.v1.faults import Refusal

log = structlog.get_logger("seller_link.door")
PREFIX = "/seller/"

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

queue = Queue()


@dataclass(frozen=True)
class Call:
    """One request as far as the contract cares."""

    method: str
    path: str
    media_type: str
    peer: Peer


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """POST /seller/{createJob|cancelJob|notifyJob} (job-messages.md, Transport)."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    call = _call(scope)
    try:
        _admit(call)
        queue.refuse_when_full()
        raw = await _body(receive)
        answer = await queue.do(partial(_work, call, raw))
    except Refusal as refusal:
        log.warning("call refused", status=refusal.status, faultcode=refusal.faultcode)
        answer = _refused(refusal)
    await _reply(send, answer)


async def turn_away(_scope: Scope, _receive: Receive, send: Send) -> None:
    """The application of a connection too many."""
    answer = _refused(faults.try_again())
    await _reply(send, replace(answer, headers=(*answer.headers, ("Connection", "close"))))


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return


def _call(scope: Scope) -> Call:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    client, known = scope.get("client") or ("", 0), scope.get("state", {})
    peer = Peer(
        subject=known.get("peer_subject", ""),
        address=known.get("peer_address", client[0]),
        trouble=known.get("peer_trouble"),
    )
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    return Call(scope["method"], scope["path"], media_type, peer)


def _admit(call: Call) -> None:
    """Who, where, how; before a byte of the body is read."""
    peers.admit(call.peer)
    if not call.path.startswith(PREFIX) or call.path.removeprefix(PREFIX) not in incoming.OPERATIONS:
        raise faults.unknown_operation()
    if call.method != "POST":
        raise faults.method_not_allowed()
    if call.media_type != "application/json":
        raise faults.unsupported_media_type()


async def _body(receive: Receive) -> bytes:
    """At most SELLER_MESSAGE_MAX_BYTES, counted as they come; a length header is only a promise."""
    parts, size, more = [], 0, True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise faults.invalid_body("The body ended early.")
        parts.append(event.get("body", b""))
        size += len(parts[-1])
        more = event.get("more_body", False)
        if size > settings.SELLER_MESSAGE_MAX_BYTES:
            raise faults.too_large(settings.SELLER_MESSAGE_MAX_BYTES)
    return b"".join(parts)


def _work(call: Call, raw: bytes, turn: Turn) -> Answer:
    structlog.contextvars.clear_contextvars()
    operation = call.path.removeprefix(PREFIX)
    try:
        answer = _received(operation, call.peer, raw, turn)
    except Exception as problem:  # whatever it is, the seller keeps the message and sends it again
        # the places only: a message of the database's carries the row, and rows carry people
        log.error("not stored", operation=operation, error=type(problem).__name__, trace=_places(problem))
        answer = _refused(faults.try_again())
    finally:
        _close_when_due()
    log.info("answered", operation=operation, status=answer.status)
    return answer


def _received(operation: str, peer: Peer, raw: bytes, turn: Turn) -> Answer:
    """Tried once more on a fresh connection when the kept one had died: a message done twice is done once."""
    receive = partial(
        inbox.receive, operation=operation, raw=raw, peer=peer, may_commit=partial(turn.take, Side.WORKER)
    )
    try:
        return receive()
    except (OperationalError, InterfaceError):
        if connection.is_usable():
            raise
        connection.close()
        return receive()


def _close_when_due() -> None:
    """Django's `close_old_connections` without its question to the database before each next use."""
    too_old = connection.close_at is not None and time.monotonic() >= connection.close_at
    if too_old or connection.errors_occurred:
        connection.close()


def _places(problem: Exception) -> list[str]:
    return [f"{place.filename}:{place.lineno} {place.name}" for place in extract_tb(problem.__traceback__)]


def _refused(refusal: Refusal) -> Answer:
    return Answer(refusal.status, refusal.body(), refusal.headers)


async def _reply(send: Send, answer: Answer) -> None:
    raw = json.dumps(answer.body, ensure_ascii=False).encode()
    headers = [("content-type", "application/json"), ("content-length", str(len(raw))), *answer.headers]
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": encoded})
    await send({"type": "http.response.body", "body": raw})
