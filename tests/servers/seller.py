"""A seller's endpoint over real mutual TLS that answers as instructed: well, late, half, wrong or not at all."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from tests.servers.certificates import Identity

Behaviour = Callable[[ssl.SSLSocket, dict[str, object]], None]


def reply(status: str, body: bytes, *, headers: str = "") -> Behaviour:
    def behave(line: ssl.SSLSocket, _message: dict[str, object]) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
        line.sendall(head.encode() + body)

    return behave


def accept(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """200 with the documented answer."""
    reply("200 OK", json.dumps({"messageId": message["messageId"]}).encode())(line, message)


def wrong_id(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    reply("200 OK", b'{"messageId": "6f0d5b1e-6f5e-4a57-9a55-5b1f5f0d9999"}')(line, message)


def half_body(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    line.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"messageId": ')
    line.close()


def half_head(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Ty")
    line.close()


def reset(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    line.close()


def drip(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """A header byte at a time, for longer than anybody waits."""
    for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 400:
        line.sendall(bytes([byte]))
        time.sleep(0.05)


def drip_body(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """A good head, and then a byte of the body at a time."""
    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n")
    for _ in range(400):
        line.sendall(b" ")
        time.sleep(0.05)


def early_hints(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """An interim answer that nobody asked for, and then the real one."""
    line.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
    accept(line, message)


def no_content(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    line.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


def unending(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """The documented answer, but nobody says where it ends."""
    line.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + json.dumps({"messageId": message["messageId"]}).encode())
    line.close()


def refuse_unending(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """A refusal whose end is the connection's (RFC 9112, 6.3)."""
    line.sendall(b'HTTP/1.1 422 Wrong\r\nConnection: close\r\n\r\n{"fault": {}}')
    line.close()


def refuse_and_end_tls(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """The same, and TLS ends before the connection."""
    line.sendall(b'HTTP/1.1 422 Wrong\r\nConnection: close\r\n\r\n{"fault": {}}')
    line.unwrap()
    line.close()


def refuse_and_break_off(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """A refusal without the end that its head promises."""
    line.sendall(b"HTTP/1.1 422 Wrong\r\nContent-Length: 100\r\n\r\n{")
    line.close()


def refuse_slowly(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """A refusal that is not over in time, and does not say how long it is."""
    line.sendall(b"HTTP/1.1 422 Wrong\r\n\r\n{")
    time.sleep(20)


def twice(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """The documented answer two times: the second must not be taken for the answer to the next message."""
    accept(line, message)
    accept(line, message)


def accept_and_leave(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """A good answer, and then the idle connection is closed silently."""
    accept(line, message)
    line.close()


def silent(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    time.sleep(20)


def slow(line: ssl.SSLSocket, message: dict[str, object]) -> None:
    """A good answer that takes its time."""
    time.sleep(2.6)
    accept(line, message)


class Endpoint:
    """One listening endpoint; `behaviours` are used in turn, the last one for ever."""

    def __init__(
        self,
        *,
        identity: Identity,
        ca: str,
        oldest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2,
        newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3,
    ) -> None:
        self.behaviours: list[Behaviour] = [accept]
        self.received: list[dict[str, object]] = []
        self.connections = 0
        # the certificate that each connection showed
        self.callers: list[bytes | None] = []
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.minimum_version, self._context.maximum_version = oldest, newest
        self._context.load_cert_chain(identity.certificate, identity.key)
        self._context.load_verify_locations(ca)
        self._context.verify_mode = ssl.CERT_REQUIRED
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    def run(self) -> None:
        while True:
            try:
                plain, _address = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _serve(self, plain: socket.socket) -> None:
        with suppress(OSError, ValueError), self._context.wrap_socket(plain, server_side=True) as line:
            self.connections += 1
            self.callers.append(line.getpeercert(binary_form=True))
            while True:
                message = _read(line)
                if message is None:
                    return
                self.received.append(message)
                behave = self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]
                behave(line, message)


def _read(line: ssl.SSLSocket) -> dict[str, object] | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = line.recv(65536)
        if not more:
            return None
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    lengths = [
        int(part.split(b":")[1]) for part in head.split(b"\r\n") if part.lower().startswith(b"content-length")
    ]
    while lengths and len(body) < lengths[0]:
        body += line.recv(65536)
    # a GET has no body
    is_xml = body.lstrip().startswith(b"<")
    message: dict[str, object] = {"_body": body.decode()} if is_xml else json.loads(body or b"{}")
    message["_path"] = head.split(b" ")[1].decode()
    return message


@contextmanager
def running(*, identity: Identity, ca: str, **versions: ssl.TLSVersion) -> Iterator[Endpoint]:
    """`versions`: the oldest and the newest of TLS."""
    endpoint = Endpoint(identity=identity, ca=ca, **versions)
    threading.Thread(target=endpoint.run, daemon=True).start()
    try:
        yield endpoint
    finally:
        endpoint.close()


@contextmanager
def deaf() -> Iterator[str]:
    """An endpoint that accepts connections and never sends a byte, so that no handshake ends; its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def full() -> Iterator[str]:
    """An endpoint whose queue is full: whoever connects now waits; its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        address = listening.getsockname()
        with ExitStack() as waiting:
            for _ in range(4):
                client = waiting.enter_context(socket.socket())
                client.setblocking(False)
                client.connect_ex(address)
            yield f"https://127.0.0.1:{address[1]}"
