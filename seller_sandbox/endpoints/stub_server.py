"""A plain server of the other side for rehearsals: one thread a connection, on the loopback address only."""

import ssl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MAX_BODY_BYTES = 1024 * 1024
# a caller that says nothing any more
SILENT_SECONDS = 60
HERE = "127.0.0.1"


class StubHandler(BaseHTTPRequestHandler):
    """Reads a body of known length, and answers with one."""

    protocol_version = "HTTP/1.1"
    timeout = SILENT_SECONDS

    def answer(self, status: int, content: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def read_body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            # what is not read must not be taken for the next request
            self.close_connection = True
            return b""
        return self.rfile.read(int(length))

    def log_message(self, *_: Any) -> None:
        return


class StubServer(ThreadingHTTPServer):
    """Plain HTTP, or HTTPS with a context."""

    daemon_threads = True

    def __init__(self, handler: type[StubHandler], *, port: int, tls: ssl.SSLContext | None = None) -> None:
        super().__init__((HERE, port), handler)
        self.tls = tls

    def finish_request(self, request: Any, client_address: Any) -> None:
        """The handshake belongs to the thread of its own connection."""
        if self.tls:
            request.settimeout(SILENT_SECONDS)
            request = self.tls.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, *_: Any) -> None:
        """A caller that has gone, or has no certificate of the authority."""


def mutual_tls(*, certificate: Path, key: Path, authority: Path) -> ssl.SSLContext:
    """TLS 1.2 or newer, a client certificate of this authority required."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(authority)
    context.verify_mode = ssl.CERT_REQUIRED
    return context
