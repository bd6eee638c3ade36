"""`/board/stream`: server-sent events for signed-in people of the office, one response per open board."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import replace
from datetime import date
from http import HTTPStatus
from io import BytesIO
from time import monotonic
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.core.exceptions import PermissionDenied
from django.core.handlers.asgi import ASGIRequest
from django.db import DatabaseError, InterfaceError, connections
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django_otp.middleware import OTPMiddleware

from board.day.live_day import BoardView
from board.day.view_options import CHOICES, ViewOptions
from board.day.viewer import Viewer, viewer_of
from board.stream.hub import Hub, OpenBoard
from board.stream.stream_health import heartbeat_of
from engineers.input_values import is_usual_day
from engineers.permissions import for_office, user_of
from engineers.sessions import SlidingSessionMiddleware

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PATH = "/board/stream"
PING_SECONDS = 15
# whoever has signed out, or lost the role, receives nothing more after so long, and at the latest a ping later
CHECK_SECONDS = 60.0
RECONNECT_MILLISECONDS = 1000


class StreamApplication:
    """The ASGI application; its hub lives as long as the server."""

    def __init__(self) -> None:
        self.hub = Hub()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        looking = asyncio.create_task(self.hub.run())
        heartbeat = heartbeat_of(self.hub)
        heartbeat.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        looking.cancel()
        await asyncio.to_thread(heartbeat.end)
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        view = read_view(QueryDict(scope["query_string"]))
        if scope["path"] != PATH or scope["method"] != "GET" or view is None:
            await _refuse(send, HTTPStatus.NOT_FOUND)
            return
        viewer = await asyncio.to_thread(_viewer_apart, scope)
        if viewer is None:
            await _refuse(send, HTTPStatus.FORBIDDEN)
        else:
            await self._stream(OpenBoard(replace(view, viewer=viewer)), scope, receive, send)

    async def _stream(self, board: OpenBoard, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": _headers(scope)})
        self.hub.boards.add(board)
        gone = asyncio.create_task(_until_gone(receive))
        telling = asyncio.create_task(_tell(board, scope, send))
        try:
            await asyncio.wait({gone, telling}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.hub.boards.discard(board)
            gone.cancel()
            telling.cancel()
        if not gone.done():
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _tell(board: OpenBoard, scope: Scope, send: Send) -> None:
    """What waits, a ping where nothing does; ends with the person's right to listen."""
    body: bytes | None = f"retry: {RECONNECT_MILLISECONDS}\n\n".encode()
    checked_at = monotonic()
    while body is not None:
        await send({"type": "http.response.body", "body": body, "more_body": True})
        try:
            body = await asyncio.wait_for(board.waiting.get(), PING_SECONDS)
        except TimeoutError:
            body = b": ping\n\n"
        # by the clock: on a busy board nothing ever times out
        if monotonic() - checked_at >= CHECK_SECONDS:
            checked_at = monotonic()
            # also where somebody sees other areas, or may move nothing any more: the page itself is read anew then
            if await asyncio.to_thread(_viewer_apart, scope) != board.view.viewer:
                return


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(send: Send, status: HTTPStatus) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


def _headers(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Never kept and never held back by a proxy; read by our own pages only, which a demo serves at another port."""
    origin = dict(scope["headers"]).get(b"origin", b"")
    own = [
        (b"access-control-allow-origin", origin),
        (b"access-control-allow-credentials", b"true"),
        (b"vary", b"Origin"),
    ]
    return [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-accel-buffering", b"no"),
        (b"x-content-type-options", b"nosniff"),
        *(own if origin == settings.PUBLIC_URL.encode() else []),
    ]


def read_view(query: QueryDict) -> BoardView | None:
    """What the page says that it shows; None for what is no board."""
    try:
        day = date.fromisoformat(query.get("day", ""))
    except ValueError:
        return None
    if not is_usual_day(day):
        return None
    asked = {name: query.get(name, "") for name in CHOICES}
    chosen = {name: value for name, value in asked.items() if value in CHOICES[name].values}
    language = query.get("language", "")
    return BoardView(day, language, ViewOptions(**chosen)) if language in dict(settings.LANGUAGES) else None


class _ViewerResponse(HttpResponse):
    """Carries for whom the board is drawn."""

    viewer: Viewer


@for_office
def _listen(request: HttpRequest) -> HttpResponse:
    response = _ViewerResponse(status=HTTPStatus.NO_CONTENT)
    response.viewer = viewer_of(user_of(request))
    return response


def _signed_in(request: HttpRequest) -> HttpResponseBase:
    return _listen(request)


_checked = SlidingSessionMiddleware(AuthenticationMiddleware(OTPMiddleware(_signed_in)))


def find_viewer(scope: Scope) -> Viewer | None:
    """Of the session of the cookie; None where it belongs to nobody who may open the board now, by the mark of its
    page."""
    try:
        answer = _checked(ASGIRequest({**scope}, BytesIO()))
    except (PermissionDenied, DatabaseError, InterfaceError):
        return None
    return answer.viewer if isinstance(answer, _ViewerResponse) else None


def _viewer_apart(scope: Scope) -> Viewer | None:
    """In a thread of its own, which holds no connection to the database while the board waits."""
    try:
        return find_viewer(scope)
    finally:
        connections.close_all()


application = StreamApplication()
