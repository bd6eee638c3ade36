"""The ASGI application behind an endpoint: reads a message, has it received, and answers as the switch requires."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections

from seller_sandbox.endpoints import operations, peers, switches
from seller_sandbox.endpoints.exchange import MAX_BODY_BYTES, Answer, Request, try_again
from seller_sandbox.endpoints.models import Mode, Switch
from seller_sandbox.endpoints.operations import Operation

# a caller who sends more than this does not get to read why
MAX_DRAINED_BYTES = 8 * MAX_BODY_BYTES
CLOSING_SECONDS = 0.05

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

log = structlog.get_logger("sandbox.endpoint")


def application(*, endpoint: str) -> Application:
    """The application of one endpoint; each takes every operation."""

    async def asgi_application(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await read_body(receive)
        except ConnectionError:
            return
        request = _request_of(scope, endpoint=endpoint, body=body)
        switch, answer = await sync_to_async(_serve_in_thread, thread_sensitive=False)(request)
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


def _operation_of(path: str) -> str:
    """The path below the base path, "" for the base address itself; any other path is no operation's name."""
    base = f"{settings.BASE_PATH}/"
    if f"{path}/" == base:
        return ""
    return path.removeprefix(base) if path.startswith(base) else path


def _request_of(scope: Scope, *, endpoint: str, body: bytes | None) -> Request:
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    return Request(
        endpoint=endpoint,
        path=scope["path"],
        operation=_operation_of(scope["path"]),
        method=scope["method"],
        content_type=headers.get(b"content-type", ""),
        body=body,
        subject=scope["state"]["subject"],
        address=scope["client"][0],
    )


def _serve_in_thread(request: Request) -> tuple[Switch, Answer]:
    close_old_connections()
    try:
        return serve(request)
    finally:
        close_old_connections()


def serve(request: Request) -> tuple[Switch, Answer]:
    """The answer, and the mode in which to deliver it; whatever goes wrong inside changed nothing."""
    operation = operations.find(request.operation)
    try:
        return _serve(request, operation)
    except Exception:
        # storage in trouble: the caller keeps the message and its id (job-messages.md, 503)
        log.exception("not stored", endpoint=request.endpoint, operation=request.operation)
        return Switch(endpoint=request.endpoint), operation.try_again() if operation else try_again()


def _serve(request: Request, operation: Operation | None) -> tuple[Switch, Answer]:
    normal = Switch(endpoint=request.endpoint)
    if refusal := peers.refusal(request, operation):
        return normal, refusal
    if operation is None:
        return normal, operations.refuse_of(request.operation)(
            404, "notFound", "There is no such operation here"
        )
    request = replace(request, role=operation.role)
    switch = switches.take(request.endpoint)
    if switch.mode in switches.REFUSING:
        failure = operation.try_again(status=switch.status, seconds=switch.retry_after)
        operation.note_unserved(request, failure, switch.mode)
        return switch, failure
    if switch.mode == Mode.DROP:
        operation.note_unserved(request, None, switch.mode)
        return switch, operation.try_again()
    if refusal := operations.refusal_before_reading(request, operation):
        operation.note_unserved(request, refusal, "")
        return switch, refusal
    return switch, operation.receive(request)


async def deliver(answer: Answer, *, switch: Switch, line: asyncio.Transport, send: Send) -> None:
    """Send the answer, or as much of it as the mode lets through."""
    content = answer.content
    if switch.mode in {Mode.DROP, Mode.LOST}:
        line.abort()
        await asyncio.sleep(CLOSING_SECONDS)
        return
    if switch.mode == Mode.SLOW:
        await asyncio.sleep(switch.seconds)
    await send(_start(answer))
    if switch.mode == Mode.HALF:
        await send({"type": "http.response.body", "body": content[: len(content) // 2], "more_body": True})
        line.close()
        await asyncio.sleep(CLOSING_SECONDS)
        return
    await send({"type": "http.response.body", "body": content})


def _start(answer: Answer) -> dict[str, Any]:
    headers = {
        "Content-Type": answer.content_type,
        "Content-Length": str(len(answer.content)),
        **answer.headers,
    }
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http.response.start", "status": answer.status, "headers": encoded}
