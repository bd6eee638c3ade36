"""A mail server on this machine that keeps what it gets."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from tests.servers.ports import free_port


@dataclass
class ReceivedMail:
    """`messages` in their order."""

    port: int = 0
    messages: list[EmailMessage] = field(default_factory=list)


@contextmanager
def running() -> Iterator[ReceivedMail]:
    received = ReceivedMail(port=free_port())

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 here")
            while line := self.rfile.readline():
                self._obey(line.decode().strip().upper())

        def _obey(self, command: str) -> None:
            if command == "DATA":
                self._say("354 go on")
                lines = list(iter(self.rfile.readline, b".\r\n"))
                message: Any = message_from_bytes(b"".join(lines), policy=default)
                received.messages.append(message)
            self._say("221 bye" if command == "QUIT" else "250 OK")

        def _say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", received.port), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield received
        server.shutdown()
