"""Serves the seller's door directly under TLS: uvicorn that shows the application whose certificate it saw."""

import ssl

import uvicorn
from django.conf import settings

from seller_link.endpoint.door import application
from seller_link.endpoint.patience import PatientProtocol
from seller_link.peers import common_name


class CertificateProtocol(PatientProtocol):
    """Puts the client certificate's common name into each request's state; uvicorn itself hides it."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        tls = self.transport.get_extra_info("ssl_object")
        self.scope["state"] = {"peer_subject": common_name(tls.getpeercert() if tls else None)}


def tls_context() -> ssl.SSLContext:
    """TLS 1.2 or newer; a certificate that is shown must verify, a missing one gets 401 from the door."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(settings.SELLER_DOOR_CERT, settings.SELLER_DOOR_KEY)
    context.load_verify_locations(settings.SELLER_CA)
    context.verify_mode = ssl.CERT_OPTIONAL
    return context


def configuration(*, host: str, port: int) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        host=host,
        port=port,
        http=CertificateProtocol,
        ssl_context_factory=lambda _config, _default: tls_context(),
        proxy_headers=False,  # an address comes from the socket, never from a header
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=20,
    )


def serve(*, host: str, port: int) -> None:
    """Blocks until SIGTERM or SIGINT; answers under way are finished."""
    uvicorn.Server(configuration(host=host, port=port)).run()
