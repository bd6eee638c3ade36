"""The server for the seller: a small ASGI application behind mutual TLS, in a process of its own.

No Django request is made for it: under ASGI Django gives each request a fresh thread and so a fresh
database connection, which halves the rate. Here a few threads with their own connections do the work.
"""

import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from structlog.contextvars import bound_contextvars, get_contextvars

from monitoring import request_ids
from monitoring.ip_addresses import plain_address
from monitoring.uncaught_errors import code_locations
from seller_link import caller_authorization, inbox
from seller_link.caller_authorization import REJECTIONS, STATUSES, Peer
from seller_link.inbox import InboundRequest, InboundResponse
from seller_link.server.request_queue import CommitHangs, RequestQueue
from seller_link.wire import incoming, refusals
from seller_link.wire.v1.refusals import Refusal

log = structlog.get_logger("seller_link.server")

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass(frozen=True)
class Call:
    """One request as far as the contract cares."""

    method: str
    path: str
    media_type: str
    peer: Peer


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """POST {SELLER_INBOUND_PATH}/{createJob|cancelJob|notifyJob} (job-messages.md, Transport)."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    # of nginx, which replaces what a caller may have written; each request is a task, whose context ends with it
    request_ids.begin_request(scope.get("state", {}).get("request_id", ""))
    call = _call(scope)
    try:
        # unknown callers are counted where they are recognised
        caller_authorization.authorize(call.peer)
        answer = await _receive_call(call, receive)
    except Refusal as refusal:
        log.warning("call refused", status=refusal.status, faultcode=refusal.faultcode)
        answer = _refused(refusal)
    except CommitHangs:
        await _close_connection(scope, receive)
        return
    await _reply(send, answer)


async def _close_connection(scope: Scope, receive: Receive) -> None:
    """Without an answer: the seller sends the message again, and then receives the outcome."""
    scope["state"]["hang_up"]()
    while (await receive())["type"] != "http.disconnect":
        pass


async def _receive_call(call: Call, receive: Receive) -> InboundResponse:
    """The answer to an authorised caller. Raises what the server itself refuses, counted."""
    try:
        _admit(call)
        queue.refuse_when_full()
        raw = await _body(receive)
        return await queue.submit(InboundRequest(_operation(call), raw, call.peer, get_contextvars()))
    except Refusal as refusal:
        _count(refusal, call.peer)
        raise


async def reject_overload(_scope: Scope, _receive: Receive, send: Send) -> None:
    """The application of a connection that shall come again: one too many, or with a trust that has changed."""
    answer = _refused(refusals.retry_later())
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
        subject=known.get("peer_subject") or "",
        address=plain_address(known.get("peer_address", client[0])),
        has_certificate=known.get("peer_subject") is not None,
        rejection_cause=known.get("rejection_cause"),
    )
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    return Call(scope["method"], scope["path"], media_type, peer)


def _operation(call: Call) -> str:
    """The last part of the path, behind the agreed base; empty for any other path."""
    base, _slash, operation = call.path.rpartition("/")
    return operation if base == settings.SELLER_INBOUND_PATH else ""


def _admit(call: Call) -> None:
    """Where and how; before a byte of the body is read."""
    if _operation(call) not in incoming.OPERATIONS:
        raise refusals.unknown_operation()
    if call.method != "POST":
        raise refusals.method_not_allowed()
    if call.media_type != "application/json":
        raise refusals.unsupported_media_type()


async def _body(receive: Receive) -> bytes:
    """At most SELLER_MESSAGE_MAX_BYTES, counted as they come; a length header is only a promise."""
    parts, size, more = [], 0, True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise refusals.invalid_body("The body ended early.")
        parts.append(event.get("body", b""))
        size += len(parts[-1])
        more = event.get("more_body", False)
        if size > settings.SELLER_MESSAGE_MAX_BYTES:
            raise refusals.too_large(settings.SELLER_MESSAGE_MAX_BYTES)
    return b"".join(parts)


def _count(refusal: Refusal, peer: Peer) -> None:
    cause = STATUSES.get(refusal.status)
    if cause is not None:
        REJECTIONS.record(cause, subject=peer.subject, address=peer.address)


def _work(requests: Sequence[InboundRequest]) -> list[InboundResponse]:
    """In a worker thread, whose connection stays open between messages."""
    try:
        answers = _received(requests)
    except Exception as problem:  # whatever it is, the seller keeps the messages and sends them again
        # the places only: a message of the database's carries the row, and rows carry people
        log.error(
            "not stored", messages=len(requests), error=type(problem).__name__, trace=code_locations(problem)
        )
        answers = [_refused(refusals.retry_later())] * len(requests)
    finally:
        _close_when_due()
    for request, answer in zip(requests, answers, strict=True):
        job = answer.body.get("providerJobId")
        with bound_contextvars(**request.context):
            log.info("answered", operation=request.operation, status=answer.status, job=job)
    return answers


def _received(requests: Sequence[InboundRequest]) -> list[InboundResponse]:
    """Tried once more on a fresh connection when the kept one had died: a message done twice is done once."""
    try:
        return inbox.receive(requests)
    except (OperationalError, InterfaceError):
        if connection.is_usable():
            raise
        connection.close()
        return inbox.receive(requests)


def limit_lock_waits(*, connection: Any, **_signal: Any) -> None:
    """For `connection_created`, in a seller server: two messages for a job that stays locked hold both worker threads,
    and a message for another job shall still be in time."""
    if connection.vendor == "postgresql":
        milliseconds = round(settings.SELLER_SERVER_WAIT_SECONDS * 1000 / 2)
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {milliseconds}")


def _close_when_due() -> None:
    """Django's `close_old_connections` without its question to the database before each next use."""
    too_old = connection.close_at is not None and time.monotonic() >= connection.close_at
    if too_old or connection.errors_occurred:
        connection.close()


def _refused(refusal: Refusal) -> InboundResponse:
    return InboundResponse(refusal.status, refusal.body(), refusal.headers)


async def _reply(send: Send, answer: InboundResponse) -> None:
    raw = json.dumps(answer.body, ensure_ascii=False).encode()
    headers = [("content-type", "application/json"), ("content-length", str(len(raw))), *answer.headers]
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": encoded})
    await send({"type": "http.response.body", "body": raw})


queue = RequestQueue(_work)
