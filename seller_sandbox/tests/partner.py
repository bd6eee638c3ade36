"""A partner's system as small as can be, over real mutual TLS: records what comes, answers as instructed."""

import json
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

Behaviour = Callable[["PartnerHandler", dict[str, Any]], None]


@dataclass
class Partner:
    """`script` holds behaviours for the next messages; after the last one everything is accepted."""

    server: ThreadingHTTPServer
    received: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    script: list[Behaviour] = field(default_factory=list)
    # the caller's port of each message: one for each connection
    ports: list[int] = field(default_factory=list)

    def reset(self) -> None:
        self.ports.clear()
        self.received.clear()
        self.script.clear()

    @property
    def message_ids(self) -> list[str]:
        return [body["messageId"] for _, body in self.received]


class PartnerHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    partner: Partner

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.partner.ports.append(self.client_address[1])
        self.partner.received.append((self.path, body))
        behave = self.partner.script.pop(0) if self.partner.script else accept
        behave(self, body)

    def answer(self, status: int, body: Any, **headers: str) -> None:
        """`body`: bytes as they are, or what becomes JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        return


def accept(handler: PartnerHandler, body: dict[str, Any]) -> None:
    known = body.get("providerJobId") or f"PJ-{uuid4().hex[:12]}"
    echoed = {name: body[name] for name in ("messageId", "correlationId")}
    handler.answer(200, {**echoed, "providerJobId": known})


def refuse(status: int, code: str, **headers: str) -> Behaviour:
    fault = {"fault": {"faultcode": code, "faultmessage": code, "detail": []}}
    return lambda handler, _: handler.answer(status, fault, **headers)


def answer_with(status: int, body: Any, **headers: str) -> Behaviour:
    return lambda handler, _: handler.answer(status, body, **headers)


def accept_and_hang_up(handler: PartnerHandler, body: dict[str, Any]) -> None:
    """As a server does whose connections may be idle for a moment only, without announcing it."""
    accept(handler, body)
    handler.close_connection = True


def drop(handler: PartnerHandler, _: dict[str, Any]) -> None:
    handler.close_connection = True


def send_half(handler: PartnerHandler, body: dict[str, Any]) -> None:
    content = json.dumps({"messageId": body["messageId"], "providerJobId": "PJ-half"}).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[:-10])
    handler.close_connection = True


def send_half_a_header(handler: PartnerHandler, _: dict[str, Any]) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Ty")
    handler.close_connection = True


def drip(handler: PartnerHandler, _: dict[str, Any]) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(100):
        try:
            handler.wfile.write(b"X-Drip: %d\r\n" % number)
            handler.wfile.flush()
        except OSError:
            break
        time.sleep(0.1)
    handler.close_connection = True


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        return


def start_partner(folder: Path, *, port: int, certificate: str = "partner") -> Partner:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{certificate}.pem", folder / f"{certificate}.key")
    context.load_verify_locations(folder / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    handler = type("BoundHandler", (PartnerHandler,), {})
    server = QuietServer(("127.0.0.1", port), handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    handler.partner = Partner(server)
    Thread(target=server.serve_forever, daemon=True).start()
    return handler.partner
