"""The real server for the seller on a free port, and a caller of it with one certificate or none."""

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

from seller_link.server import uvicorn_server
from tests.servers.certificates import Identity


@dataclass
class Caller:
    """Speaks to the server with one certificate, or none, at an address of this machine."""

    port: int
    ca: str
    identity: Identity | None
    address: str = "127.0.0.1"

    def call(
        self,
        path: str,
        body: bytes = b"{}",
        *,
        method: str = "POST",
        headers: dict[str, str] | None = None,
    ) -> tuple[int, dict[str, Any], http.client.HTTPMessage]:
        context = ssl.create_default_context(cafile=self.ca)
        if self.identity:
            context.load_cert_chain(self.identity.certificate, self.identity.key)
        line = http.client.HTTPSConnection("localhost", self.port, context=context, timeout=10)
        # the name is the certificate's
        line._create_connection = lambda target, *rest: socket.create_connection(  # type: ignore[attr-defined]
            (self.address, target[1]), *rest
        )
        line.request(method, path, body, headers or {"Content-Type": "application/json"})
        answer = line.getresponse()
        payload = json.loads(answer.read() or b"{}")
        line.close()
        return answer.status, payload, answer.headers

    def fault(self, path: str, body: bytes = b"{}", **more: Any) -> tuple[int, str]:
        status, content, _headers = self.call(path, body, **more)
        return status, content["fault"]["faultcode"]


@contextmanager
def serve_on_port(host: str = "127.0.0.1") -> Iterator[int]:
    """The real listener on a free port."""
    config = uvicorn_server.configuration(host=host, port=0)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([config.bind_socket()],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(timeout=10)


@contextmanager
def serve_on_socket(path: str) -> Iterator[None]:
    """The same behind a proxy."""
    server = uvicorn.Server(uvicorn_server.configuration(socket=path))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield
    server.should_exit = True
    thread.join(timeout=10)
