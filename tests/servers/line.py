"""The line between a phone and the server: it can be cut, and it can lose answers on their way back."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

PIECE = 65536


@dataclass
class Line:
    """`url` stands for the server. Set `is_cut`, `losing` (the begin of requests whose answers get lost), `rewrite`,
    `up` (bytes a second that each connection of the phone may send; 0: as many as it likes).
    """

    host: str
    port: int
    listener: socket.socket
    is_cut: bool = False
    losing: bytes = b""
    lost: int = 0
    rewrite: Callable[[bytes], bytes] = bytes
    up: float = 0
    open: set[socket.socket] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def cut(self) -> None:
        """Nothing passes any more, and what is on its way is gone."""
        self.is_cut = True
        for call in list(self.open):
            with suppress(OSError):
                call.shutdown(socket.SHUT_RDWR)

    def restore(self) -> None:
        self.is_cut = False

    def serve(self) -> None:
        while True:
            try:
                phone, _address = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(phone,), daemon=True).start()

    def _carry(self, phone: socket.socket) -> None:
        with phone, suppress(OSError):
            if self.is_cut:
                return
            with socket.create_connection((self.host, self.port), timeout=20) as server:
                server.settimeout(None)
                self.open |= {phone, server}
                call = _Call(self, phone, server)
                threading.Thread(target=call.there, daemon=True).start()
                call.back()
                self.open -= {phone, server}


@dataclass
class _Call:
    line: Line
    phone: socket.socket
    server: socket.socket
    has_timed_out: bool = False

    def there(self) -> None:
        with suppress(OSError):
            while piece := self.phone.recv(PIECE):
                self.has_timed_out |= bool(self.line.losing) and piece.startswith(self.line.losing)
                # asked for plain answers, which can be rewritten
                if self.line.up:
                    time.sleep(len(piece) / self.line.up)
                self.server.sendall(piece.replace(b"Accept-Encoding:", b"Not-Accepted:"))
            self.server.shutdown(socket.SHUT_WR)

    def back(self) -> None:
        while piece := self.server.recv(PIECE):
            if self.has_timed_out:
                # the server has done it, and the phone never learns of it
                self.line.lost += 1
                self.phone.shutdown(socket.SHUT_RDWR)
                return
            self.phone.sendall(self.line.rewrite(piece))
        self.phone.shutdown(socket.SHUT_WR)


@contextmanager
def to(url: str) -> Iterator[Line]:
    """A line to the server at `url`; it ends with the block."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        line = Line(parts.hostname, parts.port, listener)
        threading.Thread(target=line.serve, daemon=True).start()
        yield line
        line.cut()
