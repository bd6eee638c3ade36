"""Serves the seller's door: directly under TLS, or on a Unix socket behind nginx that has done the handshake."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import structlog
import uvicorn
from django.conf import settings

from seller_link.endpoint.door import application
from seller_link.endpoint.patience import PatientProtocol
from seller_link.peers import common_name, common_name_in
from seller_link.refusals import TALLY, cause_in_words, cause_of
from seller_link.standing import objection

log = structlog.get_logger("seller_link.door")
WRITE_REFUSALS_SECONDS = 1.0


class CertificateProtocol(PatientProtocol):
    """Puts the client certificate's common name into each request's state; uvicorn itself hides it."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        tls = self.transport.get_extra_info("ssl_object")
        shown = tls.getpeercert(binary_form=True) if tls else None
        self.scope["state"] = {"peer_subject": common_name(tls.getpeercert() if shown else None)}
        if shown:
            self.scope["state"]["peer_trouble"] = objection(shown)


class ProxiedProtocol(PatientProtocol):
    """On the socket that only nginx can reach: what it says of the caller is true (deploy/nginx)."""

    def on_headers_complete(self) -> None:
        said = {name: value.decode("latin-1") for name, value in self.headers}
        verdict = said.get(b"x-client-verify", "NONE")
        state: dict[str, Any] = {"peer_subject": "", "peer_address": said.get(b"x-client-address", "")}
        if verdict != "NONE":
            state["peer_subject"] = common_name_in(said.get(b"x-client-subject", ""))
        if verdict.startswith("FAILED"):
            state["peer_trouble"] = cause_in_words(verdict)
        self.scope["state"] = state
        super().on_headers_complete()


class CountingHandshake(ssl.SSLObject):
    """asyncio swallows a failed handshake without a word."""

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as problem:
            cause = cause_of(problem)
            if cause is not None:
                TALLY.note(cause)
            raise


class Doorkeeper:
    """The TLS context, made anew when one of its files has changed on the disk."""

    def __init__(self) -> None:
        self._made_of = _fingerprint()
        self.context = tls_context()

    def newest(self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        """Before each handshake; files in the middle of being exchanged leave the last good ones in use."""
        found = _fingerprint()
        if found != self._made_of:
            try:
                self.context, self._made_of = tls_context(), found
            except (OSError, ValueError) as problem:
                log.error("certificate files not usable", error=str(problem))
        connection.context = self.context


def _fingerprint() -> list[tuple[str, int, int, int]]:
    paths = (settings.SELLER_DOOR_CERT, settings.SELLER_DOOR_KEY, settings.SELLER_CA, settings.SELLER_CRL)
    found = [(path, Path(path)) for path in paths if path and Path(path).exists()]
    stats = [(name, path.stat()) for name, path in found]
    return [(name, one.st_ino, one.st_size, one.st_mtime_ns) for name, one in stats]


def tls_context() -> ssl.SSLContext:
    """TLS 1.2 or newer; a certificate that is shown must verify, a missing one gets 401 from the door.

    With SELLER_CRL no certificate is accepted that is on the list, nor any while the list is out of date.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(settings.SELLER_DOOR_CERT, settings.SELLER_DOOR_KEY)
    context.load_verify_locations(settings.SELLER_CA)
    if settings.SELLER_CRL:
        context.load_verify_locations(settings.SELLER_CRL)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    context.verify_mode = ssl.CERT_OPTIONAL
    # every connection shows its certificate anew, where TLS lets us insist; standing.py looks at the others
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET
    return context


def _listening_context() -> ssl.SSLContext:
    keeper = Doorkeeper()
    context = keeper.context
    context.sslobject_class = CountingHandshake
    context.sni_callback = keeper.newest
    return context


def configuration(*, host: str = "", port: int = 0, socket: str = "") -> uvicorn.Config:
    """Under TLS on `host` and `port`, or plain on the Unix socket `socket`."""
    if socket:
        place: dict[str, Any] = {"uds": socket, "http": ProxiedProtocol}
    else:
        place = {"host": host, "port": port, "http": CertificateProtocol}
        place["ssl_context_factory"] = lambda _config, _default: _listening_context()
    return uvicorn.Config(
        counting(application),
        proxy_headers=False,  # an address comes from the socket, never from a header that anybody can write
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=20,
        **place,
    )


Application = Callable[[Any, Any, Any], Awaitable[None]]


def counting(inner: Application) -> Application:
    """Writes down who was turned away, as long as the server lives."""

    async def outer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await inner(scope, receive, send)
            return
        writing = asyncio.create_task(_write_refusals())
        try:
            await inner(scope, receive, send)
        finally:
            writing.cancel()
            await asyncio.to_thread(TALLY.write)

    return outer


async def _write_refusals() -> None:
    while True:
        await asyncio.sleep(WRITE_REFUSALS_SECONDS)
        await asyncio.to_thread(TALLY.write)


def serve(*, host: str = "", port: int = 0, socket: str = "") -> None:
    """Blocks until SIGTERM or SIGINT; answers under way are finished."""
    uvicorn.Server(configuration(host=host, port=port, socket=socket)).run()
