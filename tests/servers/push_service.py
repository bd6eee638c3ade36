"""A push service on this machine, and the browser behind it: it opens what was sealed for it."""

import base64
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import http_ece
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = ec.SECP256R1()


def visible_text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def raw(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Browser:
    """What a browser keeps of its subscription."""

    endpoint: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(CURVE))
    secret: bytes = field(default_factory=lambda: os.urandom(16))

    def subscription(self) -> dict[str, Any]:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {
            "endpoint": self.endpoint,
            "expirationTime": None,
            "keys": {"p256dh": visible_text(point), "auth": visible_text(self.secret)},
        }

    def read(self, sealed: bytes) -> dict[str, Any]:
        opened = http_ece.decrypt(sealed, private_key=self.key, auth_secret=self.secret, version="aes128gcm")
        payload: dict[str, Any] = json.loads(opened)
        return payload


@dataclass
class Service:
    """`got` holds headers and body of each notice; the next answers come from `answers`, then 201."""

    url: str = ""
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)


def signed_claims(authorization: str) -> dict[str, Any]:
    """The claims of a VAPID header, after a look at its signature with the key that it names."""
    parts = dict(part.strip().split("=", 1) for part in authorization.removeprefix("vapid ").split(","))
    head, claims, signature = parts["t"].split(".")
    numbers = [int.from_bytes(raw(signature)[part]) for part in (slice(0, 32), slice(32, 64))]
    key = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, raw(parts["k"]))
    key.verify(utils.encode_dss_signature(*numbers), f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    return {**json.loads(raw(claims)), "key": parts["k"]}


@contextmanager
def running() -> Iterator[Service]:
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(service.answers.pop(0) if service.answers else 201)
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            """Not on the test's screen."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}/push"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield service
    server.shutdown()
    thread.join(10)
    server.server_close()
