"""A seller that goes silent in the middle of something, in each way that there is: endpoints to be called."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from tests.servers import seller
from tests.servers.certificates import Authority
from tests.servers.seller import Behaviour

SILENT_SECONDS = 20
# of the server's first flight: in the middle of its certificate
HALF_A_HANDSHAKE = 400
NEVER_READS = "never reads"

Opened = Callable[[Authority], AbstractContextManager[str]]


def _then_silent(content: bytes) -> Behaviour:
    def behave(line: ssl.SSLSocket, _message: dict[str, object]) -> None:
        line.sendall(content)
        time.sleep(SILENT_SECONDS)

    return behave


def _behaving(behave: Behaviour) -> Opened:
    @contextmanager
    def opened(authority: Authority) -> Iterator[str]:
        with seller.running(identity=authority.issue("seller"), ca=authority.ca) as endpoint:
            endpoint.behaviours = [behave]
            yield endpoint.url

    return opened


@contextmanager
def _half_a_handshake(authority: Authority) -> Iterator[str]:
    """Between us and a good seller: the first bytes of its answer to our hello, and then nothing."""
    with (
        seller.running(identity=authority.issue("seller"), ca=authority.ca) as good,
        _listening(lambda line: _stop_midway(line, good.port)) as port,
    ):
        yield f"https://localhost:{port}"


def _stop_midway(line: socket.socket, port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as behind:
        behind.sendall(line.recv(65_536))
        line.sendall(behind.recv(65_536)[:HALF_A_HANDSHAKE])
        time.sleep(SILENT_SECONDS)


@contextmanager
def _never_reads(authority: Authority) -> Iterator[str]:
    """A handshake, and then nobody takes the message in: whoever sends a large one waits while sending."""
    identity, context = authority.issue("seller"), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity.certificate, identity.key)

    def serve(line: socket.socket) -> None:
        with context.wrap_socket(line, server_side=True):
            time.sleep(SILENT_SECONDS)

    with _listening(serve) as port:
        yield f"https://localhost:{port}"


@contextmanager
def _listening(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        threading.Thread(target=_accept, args=(listening, serve), daemon=True).start()
        yield listening.getsockname()[1]
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)


def _accept(listening: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    def serve_line(line: socket.socket) -> None:
        with suppress(OSError), line:
            serve(line)

    while True:
        try:
            line, _address = listening.accept()
        except OSError:
            return
        threading.Thread(target=serve_line, args=(line,), daemon=True).start()


def _without_certificate(opened: Callable[[], AbstractContextManager[str]]) -> Opened:
    return lambda _authority: opened()


STUCK: dict[str, Opened] = {
    "connect black hole": _without_certificate(seller.full),
    "handshake never begins": _without_certificate(seller.deaf),
    "handshake stuck midway": _half_a_handshake,
    NEVER_READS: _never_reads,
    "hangs": _behaving(seller.silent),
    "drips its head": _behaving(seller.drip),
    "drips its body": _behaving(seller.drip_body),
    "half a head, then silent": _behaving(_then_silent(b"HTTP/1.1 200 OK\r\nContent-Ty")),
    "half a body, then silent": _behaving(
        _then_silent(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"messageId": ')
    ),
}
