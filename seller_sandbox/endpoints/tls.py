"""Mutual TLS of an endpoint: a caller without a certificate of the agreed authority is rejected."""

import ssl

import structlog
from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from seller_sandbox.endpoints import credentials

log = structlog.get_logger("sandbox.tls")


class LoggingSSLObject(ssl.SSLObject):
    """Logs a refused handshake, which asyncio drops silently."""

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as problem:
            log.warning("handshake refused", reason=problem.reason or str(problem))
            raise


class PresentedContext:
    """The TLS context of an endpoint, made again when another certificate comes into force.

    A context that serves is never written to: between its certificate and its key a handshake would fail.
    """

    def __init__(self) -> None:
        self.renew()
        self.listening = server_context()
        self.listening.sni_callback = self._give

    def renew(self) -> None:
        """Present the pair that is in force from the next handshake on."""
        self._newest = server_context()

    def _give(self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        connection.context = self._newest


def server_context() -> ssl.SSLContext:
    """TLS 1.2 or newer, a client certificate required."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(*credentials.files())
    context.load_verify_locations(settings.AUTHORITY)
    context.verify_mode = ssl.CERT_REQUIRED
    context.sslobject_class = LoggingSSLObject
    return context


class PeerProtocol(HttpToolsProtocol):
    """Hands the caller's certificate name, and the line itself for the fault switch, to the application."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"]["subject"] = common_name(self.transport.get_extra_info("ssl_object"))
        self.scope["state"]["line"] = self.transport


def common_name(peer: ssl.SSLObject | None) -> str | None:
    """The subject's common name; None without a certificate."""
    certificate = peer.getpeercert() if peer else None
    pairs = [pair for group in (certificate or {}).get("subject", ()) for pair in group]
    return dict(pairs).get("commonName")
