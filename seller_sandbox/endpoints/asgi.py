"""The ASGI application behind an endpoint: reads a message, has it received, and answers as the switch requires."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from json import dumps
from typing import Any

import structlog
from asgiref.sync import sync_to_async
from django.db import close_old_connections

from seller_sandbox.endpoints import peers, switches
from seller_sandbox.endpoints.exchange import MAX_BODY_BYTES, Answer, Request, refuse, try_again
from seller_sandbox.endpoints.models import Mode, Switch

# a caller who sends more than this does not get to read why
MAX_DRAINED_BYTES = 8 * MAX_BODY_BYTES
CLOSING_SECONDS = 0.05

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

log = structlog.get_logger("sandbox.endpoint")


@dataclass(frozen=True)
class Operation:
    """What takes a message, and what notes one that the switch kept from being taken."""

    receive: Callable[[Request], Answer]
    note_unserved: Callable[[Request, Answer | None, str], None]


def application(*, endpoint: str, operations: dict[str, Operation]) -> Application:
    """The application of one endpoint; `operations` by the path's last part."""

    async def asgi_application(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await read_body(receive)
        except ConnectionError:
            return
        request = _request_of(scope, endpoint=endpoint, body=body)
        serve_in_thread = sync_to_async(partial(serve, operations=operations), thread_sensitive=False)
        switch, answer = await serve_in_thread(request)
        await deliver(answer, switch=switch, line=scope["state"]["line"], send=send)

    return asgi_application


async def read_body(receive: Receive) -> bytes | None:
    """The whole body, None when it is over the limit, ConnectionError when the caller has gone."""
    body = bytearray()
    more = True
    while more and len(body) < MAX_DRAINED_BYTES:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise ConnectionError
        body += event.get("body", b"")
        more = event.get("more_body", False)
    return bytes(body) if len(body) <= MAX_BODY_BYTES else None


def _request_of(scope: Scope, *, endpoint: str, body: bytes | None) -> Request:
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    return Request(
        endpoint=endpoint,
        operation=scope["path"].removeprefix("/"),
        method=scope["method"],
        content_type=headers.get(b"content-type", ""),
        body=body,
        subject=scope["state"]["subject"],
        address=scope["client"][0],
    )


def serve(request: Request, *, operations: dict[str, Operation]) -> tuple[Switch, Answer]:
    """The answer, and the mode in which to deliver it; whatever goes wrong inside changed nothing."""
    close_old_connections()
    try:
        return _serve(request, operations=operations)
    except Exception:
        # storage in trouble: the caller keeps the message and its id (job-messages.md, 503)
        log.exception("not stored", endpoint=request.endpoint, operation=request.operation)
        return Switch(endpoint=request.endpoint), try_again()
    finally:
        close_old_connections()


def _serve(request: Request, *, operations: dict[str, Operation]) -> tuple[Switch, Answer]:
    normal = Switch(endpoint=request.endpoint)
    if refusal := peers.refusal(request):
        return normal, refusal
    operation = operations.get(request.operation)
    if operation is None:
        return normal, refuse(404, "notFound", "There is no such operation here")
    switch = switches.take(request.endpoint)
    if switch.mode == Mode.FAIL:
        failure = try_again(status=switch.status, seconds=switch.retry_after)
        operation.note_unserved(request, failure, switch.mode)
        return switch, failure
    if switch.mode == Mode.DROP:
        operation.note_unserved(request, None, switch.mode)
        return switch, try_again()
    return switch, operation.receive(request)


async def deliver(answer: Answer, *, switch: Switch, line: asyncio.Transport, send: Send) -> None:
    """Send the answer, or as much of it as the mode lets through."""
    content = dumps(answer.body).encode()
    if switch.mode in {Mode.DROP, Mode.LOST}:
        line.abort()
        await asyncio.sleep(CLOSING_SECONDS)
        return
    if switch.mode == Mode.SLOW:
        await asyncio.sleep(switch.seconds)
    await send(_start(answer, length=len(content)))
    if switch.mode == Mode.HALF:
        await send({"type": "http.response.body", "body": content[: len(content) // 2], "more_body": True})
        line.close()
        await asyncio.sleep(CLOSING_SECONDS)
        return
    await send({"type": "http.response.body", "body": content})


def _start(answer: Answer, *, length: int) -> dict[str, Any]:
    headers = {"Content-Type": "application/json", "Content-Length": str(length), **answer.headers}
    if answer.status == 405:
        headers["Allow"] = "POST"
    if answer.status == 413:
        headers["Connection"] = "close"
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http.response.start", "status": answer.status, "headers": encoded}
