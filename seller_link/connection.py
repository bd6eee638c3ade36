"""A TLS connection that can be cut from outside at any moment: name look-up, connect, handshake, answer."""

import http.client
import queue
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from seller_link.client_tls import Credentials
from seller_link.http_response import ResponseParser

Address = tuple[Any, ...]


class Connection(http.client.HTTPSConnection):
    """Set `end` (time.monotonic) before each request; nothing here waits longer."""

    def __init__(self, host: str, port: int, *, credentials: Credentials) -> None:
        self._credentials = credentials
        self._tls = credentials.context()
        super().__init__(host, port, context=self._tls)
        self.end = 0.0
        self._is_cut = False
        self._opened = time.monotonic()

    def connect(self) -> None:
        """Each address of the name in turn, each with its share of the time; then the handshake."""
        addresses = resolve(self.host, self.port, seconds=self._left())
        for number, address in enumerate(addresses):
            try:
                self._reach(address, seconds=self._left() / (len(addresses) - number))
                break
            except OSError:
                if number == len(addresses) - 1:
                    raise
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock.settimeout(self._left())
        self.sock.do_handshake()
        self._silence = select.poll()
        self._silence.register(self.sock, select.POLLIN)

    def _reach(self, address: Address, *, seconds: float) -> None:
        family, kind, protocol, _name, place = address
        self.sock = socket.socket(family, kind, protocol)
        try:
            self.sock.settimeout(seconds)
            self.sock.connect(place)
        except OSError:
            self.sock.close()
            raise

    def cut(self) -> None:
        """`socket.shutdown` and not the TLS one, which turns the socket into a plain one first."""
        self._is_cut = True
        sock = self.sock
        if sock is not None:
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def is_usable(self, *, oldest_seconds: float) -> bool:
        """Open, young enough, made with the certificates of now, and nothing to be read: what comes unasked is a
        goodbye, or not for us."""
        if self.sock is None or self._is_cut or time.monotonic() - self._opened > oldest_seconds:
            return False
        if not self._credentials.is_current(self._tls):
            return False
        if not self.sock.pending() and not self._silence.poll(0):
            return True
        self.sock.settimeout(0)
        try:
            self.sock.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            return False
        return False

    def exchange(self, request: bytes) -> ResponseParser:
        """Say it, and listen to one answer. Raises OSError and Garbled while there is no head of one."""
        if self.sock is None:
            self.connect()
        hearing = ResponseParser()
        self.sock.settimeout(self._left())
        with self._last_word():
            self.sock.sendall(request)
        hearing.listen(self.sock)
        return hearing

    def request(self, *given: Any, **named: Any) -> None:
        if self.sock is not None:
            self.sock.settimeout(self._left())
        with self._last_word():
            super().request(*given, **named)

    @contextmanager
    def _last_word(self) -> Iterator[None]:
        """A seller that refuses our certificate (TLS 1.3) says so after the handshake, and hangs up."""
        try:
            yield
        except (ssl.SSLEOFError, ConnectionError):
            if self.sock is not None:
                self.sock.recv(1)
            raise

    def _left(self) -> float:
        left = self.end - time.monotonic()
        if left <= 0 or self._is_cut:
            raise TimeoutError("the time is up")
        return left


def resolve(host: str, port: int, *, seconds: float) -> list[Address]:
    """The addresses of a name, asked anew each time. The system's resolver knows no deadline, so a thread asks."""
    found: queue.SimpleQueue[list[Address] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            found.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except OSError as problem:
            found.put(problem)
        except UnicodeError:
            found.put(OSError(f"{host} is no name of a machine"))

    threading.Thread(target=ask, name="resolver", daemon=True).start()
    try:
        answer = found.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no address of {host} in time") from None
    if isinstance(answer, OSError):
        raise answer
    return answer


class Cuttable(Protocol):
    def cut(self) -> None:
        """End whatever waits on this, from another thread, at once; called once or more."""


class DeadlineWatchdog:
    """Looks after all tries of a process; a thread per try would cost more than the try."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._watched: dict[int, tuple[float, Cuttable]] = {}
        self._looks_at = float("inf")
        self._thread: threading.Thread | None = None

    @contextmanager
    def watch(self, thing: Cuttable, *, end: float) -> Iterator[None]:
        """`thing` is cut if the block still runs at `end` (time.monotonic)."""
        key = threading.get_ident()
        with self._changed:
            self._watched[key] = (end, thing)
            self._begin()
            if end < self._looks_at:
                self._changed.notify()
        try:
            yield
        finally:
            # no lock: taking a key out of a dict is one step
            self._watched.pop(key, None)

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                ends = [end for end, _thing in self._watched.copy().values()]
                self._looks_at = min(ends, default=float("inf"))
                self._changed.wait(max(0.0, self._looks_at - time.monotonic()) if ends else None)
            self._cut_the_late()

    def _cut_the_late(self) -> None:
        now = time.monotonic()
        for key, (end, thing) in self._watched.copy().items():
            if end <= now:
                self._watched.pop(key, None)
                thing.cut()


WATCHDOG = DeadlineWatchdog()
