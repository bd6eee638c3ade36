"""Where buyers receive notifications: an HTTPS server that asks for the seller's certificate and acknowledges."""

import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from demo.order_scenarios import envelopes
from demo.order_scenarios.envelopes import Message

HERE = "127.0.0.1"
ANSWER_SECONDS = 10


@dataclass(frozen=True)
class Notification:
    """What a buyer was told of an order or a ticket."""

    message: Message

    @property
    def kind(self) -> str:
        return self.message.text("notificationKind") or self.message.name

    @property
    def message_id(self) -> str:
        return self.message.text("messageId")

    @property
    def is_about_ticket(self) -> bool:
        return self.message.namespace == envelopes.FAULTS

    @property
    def seller_order_reference(self) -> str:
        return self.message.text("sellerOrderReference")

    @property
    def buyer_order_reference(self) -> str:
        return self.message.text("buyerOrderReference")


@dataclass
class Callback:
    """Keeps what came, in order, each message once; for several threads."""

    server: ThreadingHTTPServer
    received: dict[str, Notification] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"https://{HERE}:{self.server.server_address[1]}"

    def start(self) -> None:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def all(self) -> list[Notification]:
        with self.lock:
            return list(self.received.values())

    def take(self, content: bytes) -> bytes:
        notification = Notification(envelopes.read(content))
        with self.lock:
            self.received.setdefault(notification.message_id, notification)
        answer = {"acknowledgedMessageId": notification.message_id}
        if notification.is_about_ticket:
            name = f"{notification.message.name}Response"
            return envelopes.write(name, answer, namespace=envelopes.FAULTS)
        return envelopes.write("notifyOfOrderStatusResponse", answer)


def open_callback(certs: Path, *, name: str) -> Callback:
    """Not started yet; `name` is the certificate of the server."""
    server = ThreadingHTTPServer((HERE, 0), BaseHTTPRequestHandler)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=certs / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(certs / f"{name}.pem", certs / f"{name}.key")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    callback = Callback(server)
    server.RequestHandlerClass = _handler(callback.take)
    return callback


def _handler(take: Callable[[bytes], bytes]) -> type[BaseHTTPRequestHandler]:
    class NotificationHandler(BaseHTTPRequestHandler):
        timeout = ANSWER_SECONDS

        def do_POST(self) -> None:  # the name of http.server
            content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            answer = take(content)
            self.send_response(200)
            self.send_header("Content-Type", "text/xml; charset=utf-8")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Nothing: the log of messages tells what came."""

    return NotificationHandler
