"""Runs the server for the seller: directly under TLS, or on a Unix socket behind nginx that has done the handshake."""

import asyncio
import ssl
import threading
import time
from asyncio import Transport
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import structlog
import uvicorn
from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections, connection
from django.utils import timezone

from monitoring import heartbeats
from seller_link.caller_authorization import (
    REJECTIONS,
    RejectionCause,
    cause_from_nginx,
    common_name,
    common_name_in,
    rejection_cause,
)
from seller_link.certificate_status import TRUSTED, Authorities, PeerCertificate
from seller_link.server.asgi import application, reject_overload
from seller_link.server.connection_limits import LimitedHttpProtocol
from seller_link.server.prefork import PreforkServer

log = structlog.get_logger("seller_link.server")
WRITE_REJECTIONS_SECONDS = 1.0
# of TLS 1.2: forward secrecy and authenticated encryption only, as in deploy/nginx; those of TLS 1.3 are all good
CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"


class CertificateProtocol(LimitedHttpProtocol):
    """Puts the client certificate's common name into each request's state; uvicorn itself hides it."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # uvicorn's own choice
        super().connection_made(transport)
        # the handshake is over, and nobody renegotiates on this connection (tls_context)
        tls = transport.get_extra_info("ssl_object")
        certificate = tls.getpeercert(binary_form=True) if tls else None
        self._subject = common_name(tls.getpeercert()) if certificate else None
        self._peer_certificate = PeerCertificate(certificate, tls.trusted) if tls and certificate else None

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"] = {"peer_subject": self._subject}
        if self._peer_certificate is None:
            return
        if self._peer_certificate.is_unknown:
            self.app = reject_overload
        self.scope["state"]["rejection_cause"] = self._peer_certificate.rejection_cause()

    def on_headers_complete(self) -> None:
        """A line whose certificate is no longer good ends with the answer that says so."""
        super().on_headers_complete()
        if self.scope["state"].get("rejection_cause") is not None:
            self.cycle.keep_alive = False


class ProxiedProtocol(LimitedHttpProtocol):
    """On the socket that only nginx can reach: what it says of the caller is true (deploy/nginx)."""

    def on_headers_complete(self) -> None:
        headers = {name: value.decode("latin-1") for name, value in self.headers}
        verdict = headers.get(b"x-client-verify", "NONE")
        state: dict[str, Any] = {
            "peer_address": headers.get(b"x-client-address", ""),
            "request_id": headers.get(b"x-request-id", ""),
        }
        if verdict != "NONE":
            state["peer_subject"] = common_name_in(headers.get(b"x-client-subject", ""))
        if verdict.startswith("FAILED"):
            state["rejection_cause"] = cause_from_nginx(verdict)
        if headers.get(b"x-client-scheme") == "http":
            state["rejection_cause"] = RejectionCause.NOT_TLS
        self.scope["state"] = state
        super().on_headers_complete()


class CountingHandshake(ssl.SSLObject):
    """asyncio swallows a failed handshake silently, and drops the alert that names the reason to the caller.

    `trusted`: the authorities that it was made with.
    """

    trusted: Authorities = ()
    _outgoing: ssl.MemoryBIO
    _failure: ssl.SSLError | None = None

    @classmethod
    def _create(cls, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, *args: Any, **named: Any) -> Any:
        made = super()._create(incoming, outgoing, *args, **named)  # type: ignore[misc]  # typeshed hides it
        made._outgoing = outgoing
        return made

    def do_handshake(self) -> None:
        if self._failure is not None:
            raise self._failure
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as problem:
            self._fail(problem)

    def _fail(self, problem: ssl.SSLError) -> NoReturn:
        """Count it; raised again when asked the next time, after the alert has been written."""
        cause = rejection_cause(problem)
        if cause is not None:
            REJECTIONS.record(cause)
        if not self._outgoing.pending:
            raise problem
        self._failure = problem
        # asyncio writes what is waiting only when a handshake goes on; the caller closes, or its time runs out
        raise ssl.SSLWantReadError(ssl.SSL_ERROR_WANT_READ, "the alert goes first") from problem


class ReloadingTLSContext:
    """The TLS context, made again when one of its files has changed on the disk."""

    def __init__(self) -> None:
        self._made_of = _fingerprint()
        self.context = tls_context()

    def newest(self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        """Before each handshake; files in the middle of being exchanged leave the last good ones in use."""
        # first: should the file change now, the line is looked at once more than it must be
        if isinstance(connection, CountingHandshake):
            connection.trusted = TRUSTED.load()
        found = _fingerprint()
        if found != self._made_of:
            try:
                self.context, self._made_of = tls_context(), found
            except (OSError, ValueError) as problem:
                log.error("certificate files not usable", error=str(problem))
        connection.context = self.context


def _fingerprint() -> list[tuple[str, int, int, int]]:
    paths = (settings.SELLER_SERVER_CERT, settings.SELLER_SERVER_KEY, settings.SELLER_CA, settings.SELLER_CRL)
    found = [(path, Path(path)) for path in paths if path and Path(path).exists()]
    stats = [(name, path.stat()) for name, path in found]
    return [
        (name, file_status.st_ino, file_status.st_size, file_status.st_mtime_ns)
        for name, file_status in stats
    ]


def tls_context() -> ssl.SSLContext:
    """TLS 1.2 or newer; a certificate that is shown must verify, a missing one gets 401 from the server.

    With SELLER_CRL no certificate is accepted that is on the list, nor any while the list is out of date.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(CIPHERS)
    context.load_cert_chain(settings.SELLER_SERVER_CERT, settings.SELLER_SERVER_KEY)
    context.load_verify_locations(settings.SELLER_CA)
    if settings.SELLER_CRL:
        context.load_verify_locations(settings.SELLER_CRL)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    context.verify_mode = ssl.CERT_OPTIONAL
    # every connection presents its certificate again, where TLS allows; certificate_status.py checks the others
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET | ssl.OP_NO_RENEGOTIATION
    return context


def _listening_context() -> ssl.SSLContext:
    keeper = ReloadingTLSContext()
    context = keeper.context
    context.sslobject_class = CountingHandshake
    context.sni_callback = keeper.newest
    return context


def configuration(*, host: str = "", port: int = 0, socket: str = "") -> uvicorn.Config:
    """Under TLS on `host` and `port`, or plain on the Unix socket `socket`."""
    if socket:
        binding: dict[str, Any] = {"uds": socket, "http": ProxiedProtocol}
    else:
        binding = {"host": host, "port": port, "http": CertificateProtocol}
        binding["ssl_context_factory"] = lambda _config, _default: _listening_context()
    return uvicorn.Config(
        counting(application),
        loop="seller_link.server.connection_limits:LimitedLoop",
        proxy_headers=False,  # an address comes from the socket, never from a header that anybody can write
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=20,
        **binding,
    )


Application = Callable[[Any, Any, Any], Awaitable[None]]


def counting(inner: Application) -> Application:
    """Writes down who was turned away, and looks after the background, as long as the server lives."""

    async def outer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await inner(scope, receive, send)
            return
        background = BackgroundDuties()
        running = asyncio.create_task(background.run())

        async def receive_and_end() -> Any:
            event = await receive()
            if event["type"] == "lifespan.shutdown":
                # now: nobody waits for what comes after the answer to this event
                running.cancel()
                await asyncio.to_thread(background.end)
            return event

        await inner(scope, receive_and_end, send)

    return outer


class BackgroundDuties:
    """What each process of the server does every second: write refusals, beat, look after other processes."""

    def __init__(self) -> None:
        self._process = heartbeats.process_name(heartbeats.SERVER)
        self._facts = heartbeats.initial_facts(timezone.now())
        self._beaten_at = float("-inf")
        self._others = heartbeats.HeartbeatMonitor()
        self._at_work = threading.Lock()
        self._is_ended = False

    async def run(self) -> None:
        """From the event loop, so that a process whose loop hangs does not beat."""
        while True:
            await asyncio.to_thread(self._run_round)
            await asyncio.sleep(WRITE_REJECTIONS_SECONDS)

    def end(self) -> None:
        """After a round under way, and before none: its heartbeat would come back."""
        with self._at_work:
            self._is_ended = True
            REJECTIONS.write()
            with suppress(DatabaseError, InterfaceError):
                heartbeats.remove_heartbeat(self._process)
            connection.close()

    def _run_round(self) -> None:
        with self._at_work:
            if not self._is_ended:
                self._round()

    def _round(self) -> None:
        """A connection that the database has lost is not kept for the next round."""
        close_old_connections()
        REJECTIONS.write()
        try:
            self._beat_when_due()
            self._others.check_when_due()
        except (DatabaseError, InterfaceError) as problem:
            log.error("heartbeats not read", error=type(problem).__name__)
        close_old_connections()

    def _beat_when_due(self) -> None:
        if time.monotonic() - self._beaten_at >= heartbeats.SERVER_BEAT_SECONDS:
            heartbeats.record_beat(self._process, self._facts)
            self._beaten_at = time.monotonic()


def serve(*, host: str = "", port: int = 0, socket: str = "") -> int:
    """Blocks until SIGTERM or SIGINT; answers under way are finished. The exit code."""
    config = configuration(host=host, port=port, socket=socket)
    if socket and Path(socket).is_socket():
        Path(socket).unlink()  # left by one that was killed
    listening = config.bind_socket()
    return PreforkServer(
        lambda: uvicorn.Server(config).run([listening]), count=settings.SELLER_SERVER_PROCESSES
    ).run()
