"""A seller that records what it acted upon, on two endpoints that can fail, lie, rest and come back."""

import json
import socket
import ssl
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from django.utils import timezone

from tests.servers import seller as answers
from tests.servers.seller import Behaviour

HIDDEN = "_path"


@dataclass
class Record:
    """What the seller's own system holds: each message that it acted upon, in the order of its arrival.

    `noted` has for each of them when it came and which operation it was.
    """

    acted: list[dict[str, Any]] = field(default_factory=list)
    noted: list[tuple[str, str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    answered: int = 0

    def note(self, message: dict[str, Any]) -> None:
        with self.lock:
            self.noted.append((timezone.now().isoformat(), str(message[HIDDEN]).rpartition("/")[2]))
            self.acted.append({key: value for key, value in message.items() if key != HIDDEN})

    def by_job(self) -> dict[str, list[dict[str, Any]]]:
        """First arrivals only, per providerJobId: a repeat has no second effect there."""
        seen: set[str] = set()
        jobs: dict[str, list[dict[str, Any]]] = defaultdict(list)
        with self.lock:
            for message in self.acted:
                if message["messageId"] not in seen:
                    seen.add(message["messageId"])
                    jobs[message["providerJobId"]].append(message)
        return jobs


@dataclass(frozen=True)
class Manner:
    """How an endpoint treats one message: does it act upon it, and what does the caller see?"""

    name: str
    acts: bool
    behave: Behaviour


def _slow(seconds: float, then: Behaviour) -> Behaviour:
    def behave(line: ssl.SSLSocket, message: dict[str, object]) -> None:
        time.sleep(seconds)
        then(line, message)

    return behave


ACCEPTS = Manner("answers well", acts=True, behave=answers.accept)
BAD = b'{"fault": {"faultcode": "x", "faultmessage": "planted", "detail": []}}'
HTML = b"<html><h1>502 Bad Gateway</h1></html>"
MANNERS = {
    "well": ACCEPTS,
    "500": Manner("answers 500", acts=False, behave=answers.reply("500 Server Error", BAD)),
    "429": Manner(
        "answers 429 with Retry-After",
        acts=False,
        behave=answers.reply("429 Too Many", BAD, headers="Retry-After: 1\r\n"),
    ),
    "503": Manner(
        "answers 503 with Retry-After",
        acts=False,
        behave=answers.reply("503 Away", BAD, headers="Retry-After: 1\r\n"),
    ),
    "hangs": Manner("hangs", acts=False, behave=answers.silent),
    "resets": Manner("acts and resets", acts=True, behave=answers.reset),
    "half": Manner("acts and answers half", acts=True, behave=answers.half_body),
    "half head": Manner("acts and answers half a head", acts=True, behave=answers.half_head),
    "late": Manner("acts and answers after our deadline", acts=True, behave=_slow(2.5, answers.accept)),
    "wrong id": Manner("acts and answers with the wrong id", acts=True, behave=answers.wrong_id),
    "html": Manner("answers with a proxy's page", acts=False, behave=answers.reply("200 OK", HTML)),
    "redirect": Manner(
        "redirects",
        acts=False,
        behave=answers.reply("302 Found", b"", headers="Location: https://localhost/\r\n"),
    ),
    "drips": Manner("drips its answer", acts=True, behave=answers.drip),
    "slow": Manner("answers slowly", acts=True, behave=_slow(0.2, answers.accept)),
}


class Endpoint:
    """One of the seller's addresses. `choose` says how each message is treated."""

    def __init__(self, *, port: int, certs: Path, record: Record) -> None:
        self.port, self.certs, self.record = port, certs, record
        self.choose: Callable[[], Manner] = lambda: ACCEPTS
        self.after: Callable[[], None] = lambda: None
        self.breaks_handshakes = False
        self.identity = "seller"
        self.address = "127.0.0.1"
        self._socket: socket.socket | None = None
        self._lines: set[ssl.SSLSocket] = set()

    def up(self) -> None:
        if self._socket is None:
            self._socket = socket.create_server((self.address, self.port), backlog=128, reuse_port=False)
            threading.Thread(target=self._run, args=(self._socket,), daemon=True).start()

    def down(self) -> None:
        """Nobody listens any more and every open line breaks."""
        listening, self._socket = self._socket, None
        if listening is not None:
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            listening.close()
        self.hang_up()

    def move(self, address: str) -> None:
        """From one moment to the next there, and nowhere else."""
        self.down()
        self.address = address
        self.up()

    def hang_up(self) -> None:
        """Every open line breaks; new ones see the certificate that is on disk now."""
        for line in list(self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def _run(self, listening: socket.socket) -> None:
        while True:
            try:
                plain, _address = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        if self.breaks_handshakes:
            with suppress(OSError):
                plain.recv(64)
                plain.close()
            return
        with suppress(OSError, ValueError), self._context().wrap_socket(plain, server_side=True) as line:
            self._lines.add(line)
            try:
                while self._serve_connection(line):
                    pass
            finally:
                self._lines.discard(line)

    def _serve_connection(self, line: ssl.SSLSocket) -> bool:
        message = answers._read(line)  # the same reader as the stub of the other tests
        if message is None:
            return False
        manner = self.choose()
        if manner.acts:
            self.record.note(message)
        manner.behave(line, message)
        self.after()
        return True

    def _context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certs / f"{self.identity}.pem", self.certs / f"{self.identity}.key")
        context.load_verify_locations(self.certs / "ca.pem")
        context.verify_mode = ssl.CERT_REQUIRED
        return context


def now_and_then(chance: Random, names: list[str], *, share: float) -> Callable[[], Manner]:
    """Well most of the time, and one of these manners for this share of the messages."""
    return lambda: MANNERS[chance.choice(names)] if chance.random() < share else ACCEPTS


def body_of(message: dict[str, Any]) -> str:
    return json.dumps(message, sort_keys=True, ensure_ascii=False)
