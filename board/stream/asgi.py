"""`/board/stream`: server-sent events for signed-in people of the office, one response per open board."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, replace
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
from board.day.view_options import Viewer, read_view_options, viewer_of
from board.form_inputs import can_be_shown
from board.stream.hub import Hub, OpenBoard, as_event
from board.stream.stream_health import heartbeat_of
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
# in one process: more than anybody has tabs in sight, and few enough that the days of one person's boards can be read
# before the boards of all others are late
MOST_BOARDS_OF_ONE = 20


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
        listener = await asyncio.to_thread(_listener_apart, scope)
        if listener is None:
            await _refuse(send, HTTPStatus.FORBIDDEN)
        elif self.hub.count_boards_of(listener.user_pk) >= MOST_BOARDS_OF_ONE:
            # the page asks by itself then, and for the stream again in a while
            await _refuse(send, HTTPStatus.TOO_MANY_REQUESTS)
        else:
            board = OpenBoard(replace(view, viewer=listener.viewer), user_pk=listener.user_pk)
            await self._stream(board, scope, receive, send)

    async def _stream(self, board: OpenBoard, scope: Scope, receive: Receive, send: Send) -> None:
        # before anything is awaited: others of the same person are counting at this moment
        self.hub.boards.add(board)
        try:
            await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": _headers(scope)})
            await _listen_on(board, scope, receive, send)
        finally:
            self.hub.boards.discard(board)


async def _listen_on(board: OpenBoard, scope: Scope, receive: Receive, send: Send) -> None:
    """Until the browser is gone, or the stream ends."""
    gone = asyncio.create_task(_until_gone(receive))
    sending = asyncio.create_task(_send_events(board, scope, send))
    try:
        await asyncio.wait({gone, sending}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        sending.cancel()
    if not gone.done():
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_events(board: OpenBoard, scope: Scope, send: Send) -> None:
    """What waits, a ping where nothing does; ends with the person's right to listen."""
    body: bytes | None = f"retry: {RECONNECT_MILLISECONDS}\n\n".encode()
    checked_at = monotonic()
    while body is not None:
        await send({"type": "http.response.body", "body": body, "more_body": True})
        try:
            body = await asyncio.wait_for(board.waiting.get(), PING_SECONDS)
        except TimeoutError:
            body = as_event("ping", {})
        # by the clock: on a busy board nothing ever times out
        if monotonic() - checked_at >= CHECK_SECONDS:
            checked_at = monotonic()
            # also where somebody sees other areas, or may move nothing any more: the page itself is read anew then
            listener = await asyncio.to_thread(_listener_apart, scope)
            if listener != Listener(board.user_pk, board.view.viewer):
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
    if not can_be_shown(day):
        return None
    language = query.get("language", "")
    known = dict(settings.LANGUAGES)
    return BoardView(day, language, read_view_options(query)) if language in known else None


@dataclass(frozen=True)
class Listener:
    """Who has a board open, and for whom it is drawn."""

    user_pk: int
    viewer: Viewer


class _ListenerResponse(HttpResponse):
    """Carries who listens."""

    listener: Listener


@for_office
def _listen(request: HttpRequest) -> HttpResponse:
    response = _ListenerResponse(status=HTTPStatus.NO_CONTENT)
    user = user_of(request)
    response.listener = Listener(user.pk, viewer_of(user))
    return response


def _signed_in(request: HttpRequest) -> HttpResponseBase:
    return _listen(request)


_checked = SlidingSessionMiddleware(AuthenticationMiddleware(OTPMiddleware(_signed_in)))


def find_listener(scope: Scope) -> Listener | None:
    """Of the session of the cookie; None where it belongs to nobody who may open the board now, by the mark of its
    page."""
    try:
        answer = _checked(ASGIRequest({**scope}, BytesIO()))
    except (PermissionDenied, DatabaseError, InterfaceError):
        return None
    return answer.listener if isinstance(answer, _ListenerResponse) else None


def _listener_apart(scope: Scope) -> Listener | None:
    """In a thread of its own, which holds no connection to the database while the board waits."""
    try:
        return find_listener(scope)
    finally:
        connections.close_all()


application = StreamApplication()
