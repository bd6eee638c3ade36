"""`python -m tests.load.generator SETUP`: phones, boards and a seller in one process, at the rhythm of a usual day.

SETUP is a JSON file: `url` of the proxy, `ca` to trust, `people` (a file with tests.load.installation.People as JSON,
read again at each level), `seller_port`, `certs`. Each line of its input, `PHONES BOARDS PACKS_PER_SECOND
WARM_UP_SECONDS SECONDS`, is a level: so many work, first to get into the middle of their visits, then measured. It is
answered with a line of JSON: `seconds` (waits by kind), `failures`, `refused` taps, days that were `unchanged`,
`changes` told to boards, `processor_seconds` of this process, `late_seconds` (the most by which a request began after
it was due). Ends with its input.
"""

import asyncio
import heapq
import json
import os
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import Any

import django
import urllib3

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from demo.rehearsal.app_client import HttpSession, SessionError  # noqa: E402
from tests.load.boards import ACTION_SECONDS, Board, listen  # noqa: E402
from tests.load.figures import Waits  # noqa: E402
from tests.load.phones import DAY_SECONDS, TAP_SECONDS, Phone  # noqa: E402
from tests.load.seller import Seller  # noqa: E402

WORKERS = 64
MOST_TAPS_BEFORE = 20
SEED = 20261125


@dataclass(order=True)
class Due:
    """`act` at this moment, and again after `pause`; without a pause once."""

    at: float
    number: int
    act: Callable[[], None] = field(compare=False)
    pause: Callable[[], float] | None = field(compare=False, default=None)
    lock: AbstractContextManager[Any] = field(compare=False, default_factory=nullcontext)


@dataclass
class Agenda:
    """What is due, done by many threads; a wait begins when its request was due."""

    waits: Waits
    entries: list[Due] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)
    now: threading.local = field(default_factory=threading.local)
    latest: float = 0.0
    counted: int = 0

    def add(
        self,
        act: Callable[[], None],
        *,
        after: float,
        pause: Callable[[], float] | None = None,
        lock: AbstractContextManager[Any] | None = None,
    ) -> None:
        with self.changed:
            self.counted += 1
            heapq.heappush(
                self.entries, Due(time.monotonic() + after, self.counted, act, pause, lock or nullcontext())
            )
            self.changed.notify()

    def work(self) -> None:
        """One thread, for ever."""
        while True:
            due = self._next()
            self.now.due = due.at
            self.latest = max(self.latest, time.monotonic() - due.at)
            with due.lock:
                try:
                    due.act()
                except (SessionError, ConnectionError, OSError) as problem:
                    self.waits.fail("request", type(problem).__name__)
            if due.pause:
                self.add(due.act, after=due.pause(), pause=due.pause, lock=due.lock)

    def _next(self) -> Due:
        with self.changed:
            while not self.entries or self.entries[0].at > time.monotonic():
                self.changed.wait(self.entries[0].at - time.monotonic() if self.entries else None)
            return heapq.heappop(self.entries)

    def timed(self, kind: str, request: Callable[[], Any]) -> Any:
        """The first request of an entry waits since it was due, each further one since the answer before it."""
        answer = request()
        ended = time.monotonic()
        self.waits.note(kind, ended - self.now.due)
        self.now.due = ended
        # a part that is busy says when it is not; whoever asked again and again calls it by another kind
        is_asked_again = answer.status == HTTPStatus.SERVICE_UNAVAILABLE and kind.endswith("may be busy")
        # two dispatchers were offered the same slot
        is_second = answer.status == HTTPStatus.CONFLICT and kind == "board action"
        if answer.status >= HTTPStatus.BAD_REQUEST and not is_asked_again and not is_second:
            self.waits.fail(kind, f"{answer.status} {answer.text[:80]}")
        return answer


@dataclass
class Generator:
    setup: dict[str, Any]
    waits: Waits = field(default_factory=Waits)
    changes: list[int] = field(default_factory=lambda: [0])
    phones: list[Phone] = field(default_factory=list)
    boards: list[Board] = field(default_factory=list)
    unassigned: list[str] = field(default_factory=list)
    # of all boards
    known: list[str] = field(default_factory=list)
    packs_per_second: float = 0.0
    # the loop itself keeps no task alive
    listening: list[Future[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.agenda, self.chance = Agenda(self.waits), Random(SEED)
        self.trust = ssl.create_default_context(cafile=self.setup["ca"])
        self.seller = Seller(self.setup, self.agenda.timed, self.unassigned)
        self.loop = asyncio.new_event_loop()
        for target in (self.loop.run_forever, *[self.agenda.work] * WORKERS):
            threading.Thread(target=target, daemon=True).start()

    def play(self, phones: int, boards: int, packs: float, warm_up: float, seconds: float) -> dict[str, Any]:
        people = json.loads(Path(self.setup["people"]).read_text())
        self.known[:] = people["jobs"]
        self._send_packs(packs)
        self._open_boards(people["dispatchers"][:boards])
        self._start_phones(people["engineers"][:phones], warm_up)
        time.sleep(warm_up)
        self.waits.take()
        before, self.changes[0], self.agenda.latest = time.process_time(), 0, 0.0
        refused, unchanged = self._count_of_phones()
        time.sleep(seconds)
        refused_in_all, unchanged_in_all = self._count_of_phones()
        return {
            **self.waits.take(),
            "refused": refused_in_all - refused,
            "unchanged": unchanged_in_all - unchanged,
            "changes": self.changes[0],
            "processor_seconds": time.process_time() - before,
            "late_seconds": self.agenda.latest,
        }

    def _count_of_phones(self) -> tuple[int, int]:
        """Refused taps, and days that were as the phone had them."""
        return sum(phone.refused for phone in self.phones), sum(phone.unchanged for phone in self.phones)

    def _send_packs(self, rate: float) -> None:
        """From now on so many a second."""
        is_new, self.packs_per_second = not self.packs_per_second, rate
        if is_new and rate:
            self.agenda.add(self.seller.send_pack, after=1, pause=self._pause_between_packs)

    def _pause_between_packs(self) -> float:
        return self.chance.expovariate(self.packs_per_second)

    def _start_phones(self, engineers: list[dict[str, str]], warm_up: float) -> None:
        for cookies in engineers[len(self.phones) :]:
            chance = Random(self.chance.random())
            phone = Phone(
                browser=self._session(cookies),
                uploads=self._session(cookies),
                timed=self.agenda.timed,
                later=self.agenda.add,
                provision=self.seller.provision,
                chance=chance,
            )
            self.phones.append(phone)
            first = chance.uniform(0, warm_up / 6)
            self.agenda.add(phone.ask_for_day, after=first, pause=lambda: DAY_SECONDS, lock=phone.lock)
            # each is somewhere in its visit when the measurement begins
            before = partial(phone.catch_up, chance.randrange(MOST_TAPS_BEFORE))
            self.agenda.add(before, after=chance.uniform(warm_up / 4, warm_up * 3 / 4), lock=phone.lock)
            self.agenda.add(
                phone.tap,
                after=warm_up + chance.expovariate(1 / TAP_SECONDS),
                pause=lambda chance=chance: chance.expovariate(1 / TAP_SECONDS),
                lock=phone.lock,
            )

    def _open_boards(self, dispatchers: list[dict[str, str]]) -> None:
        for cookies in dispatchers[len(self.boards) :]:
            chance = Random(self.chance.random())
            board = Board(self._session(cookies), self.agenda.timed, self.unassigned, self.known, chance)
            self.boards.append(board)
            self.agenda.add(board.open, after=chance.uniform(0, 20))
            self.agenda.add(
                board.act,
                after=20 + chance.expovariate(1 / ACTION_SECONDS),
                pause=lambda chance=chance: chance.expovariate(1 / ACTION_SECONDS),
            )
            listening = listen(self.setup["url"], cookies=cookies, trust=self.trust, changes=self.changes)
            self.listening.append(asyncio.run_coroutine_threadsafe(listening, self.loop))

    def _session(self, cookies: dict[str, str]) -> HttpSession:
        pool = urllib3.PoolManager(retries=False, ssl_context=self.trust)
        return HttpSession(self.setup["url"], cookies=dict(cookies), pool=pool)


def levels() -> Iterator[tuple[int, int, float, float, float]]:
    for line in sys.stdin:
        phones, boards, packs, warm_up, seconds = line.split()
        yield int(phones), int(boards), float(packs), float(warm_up), float(seconds)


def main() -> None:
    generator = Generator(json.loads(Path(sys.argv[1]).read_text()))
    for level in levels():
        sys.stdout.write(json.dumps(generator.play(*level)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
