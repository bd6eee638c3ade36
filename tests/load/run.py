"""One run against one installation: levels of phones until something gives way, or one level for hours."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from demo.environment import BASE_DIR
from tests.load.figures import Used, cores_used, percentile, used_by_part
from tests.load.installation import Installation, People

GOAL_TAP_MILLISECONDS, GOAL_BOARD_MILLISECONDS = 300, 500
SAMPLE_SECONDS = 10.0
HOUR = 3600
MOST_UNSENT = 200


@dataclass(frozen=True)
class Level:
    """What was seen while so many phones and boards worked. Milliseconds are 99th percentiles, cores are processor
    seconds a second by part, the busiest first; `megabytes` of each part at each sample."""

    phones: int
    boards: int
    seconds: float
    milliseconds: Mapping[str, float]
    answers: Mapping[str, int]
    failures: Mapping[str, int]
    cores: Mapping[str, float]
    megabytes: Mapping[str, Sequence[float]]
    late_seconds: float
    refused: int
    unchanged: int
    unsent: int

    @property
    def gave_way(self) -> str:
        """The first goal that was missed, with what was busiest then; empty while all hold."""
        tap, board = self.milliseconds.get("tap", 0), self.milliseconds.get("board action", 0)
        failed = sum(self.failures.values())
        missed = [
            *([f"a tap took {tap:.0f} ms"] if tap > GOAL_TAP_MILLISECONDS else []),
            *([f"a board action took {board:.0f} ms"] if board > GOAL_BOARD_MILLISECONDS else []),
            *([f"{failed} requests failed"] if failed else []),
            *([f"{self.unsent} messages wait for the relay"] if self.unsent > MOST_UNSENT else []),
        ]
        busiest, cores = next(iter(self.cores.items()), ("", 0.0))
        all_cores, there = sum(self.cores.values()), os.cpu_count() or 1
        used = f"busiest: {busiest} with {cores:.2f} of {all_cores:.2f} cores used, {there} there"
        return f"{missed[0]}; {used}" if missed else ""

    def megabytes_per_hour(self, part: str) -> float:
        """The slope of a straight line through the samples."""
        points = list(self.megabytes.get(part, ()))
        if len(points) < 2:
            return 0.0
        hours = [number * SAMPLE_SECONDS / HOUR for number in range(len(points))]
        slope, _begin = statistics.linear_regression(hours, points)
        return slope


@dataclass
class Run:
    """A generator at work on an installation; `people` is the file in which it finds them."""

    generator: "subprocess.Popen[str]"
    installation: Installation
    people: Path
    samples: list[Mapping[str, Used]] = field(default_factory=list)

    def play(
        self, people: People, *, phones: int, boards: int, packs: float, warm_up: float, seconds: float
    ) -> Level:
        """So many of these people; `packs` a second from the seller. Raises RuntimeError when the generator ends."""
        if self.generator.stdin is None or self.generator.stdout is None:
            raise RuntimeError("the generator has no lines to talk on")
        self.people.write_text(json.dumps(asdict(people)))
        self.generator.stdin.write(f"{phones} {boards} {packs} {warm_up} {seconds}\n")
        self.generator.stdin.flush()
        time.sleep(warm_up)
        self._sample(seconds)
        line = self.generator.stdout.readline()
        if not line:
            raise RuntimeError("the generator ended")
        return self._level(json.loads(line), phones=phones, boards=boards, seconds=seconds)

    def _sample(self, seconds: float) -> None:
        database = self.installation.demo.database_url.rpartition("/")[2]
        self.samples, until = [used_by_part(database)], time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(SAMPLE_SECONDS, left))
            self.samples.append(used_by_part(database))

    def _level(self, found: dict[str, Any], *, phones: int, boards: int, seconds: float) -> Level:
        waits: dict[str, list[float]] = found["seconds"]
        return Level(
            phones=phones,
            boards=boards,
            seconds=seconds,
            milliseconds={
                kind: round(percentile(some, 0.99) * 1000, 1) for kind, some in sorted(waits.items())
            },
            answers={kind: len(some) for kind, some in waits.items()},
            failures=found["failures"],
            cores=cores_used(self.samples[0], self.samples[-1], seconds=seconds),
            megabytes={
                part: [sample[part].megabytes for sample in self.samples if part in sample]
                for part in self.samples[-1]
            },
            late_seconds=found["late_seconds"],
            refused=found["refused"],
            unchanged=found["unchanged"],
            unsent=unsent_messages(self.installation.demo.database_url),
        )


@contextmanager
def generating(installation: Installation, folder: Path) -> Iterator[Run]:
    people = folder / "load_people.json"
    setup = {
        "url": installation.url,
        "ca": installation.ca,
        "people": str(people),
        "seller_port": installation.demo.ports.seller_server,
        "certs": str(installation.demo.certs),
    }
    path = folder / "setup.json"
    path.write_text(json.dumps(setup))
    command = [sys.executable, "-m", "tests.load.generator", str(path)]
    process = subprocess.Popen(
        command,
        cwd=BASE_DIR,
        env=installation.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Run(process, installation, people)
    finally:
        process.kill()
        process.wait()


def unsent_messages(database_url: str) -> int:
    """What the relay has not delivered."""
    with psycopg.connect(database_url) as connection:
        found = connection.execute(
            "SELECT count(*) FROM seller_link_outboundmessage WHERE state = 'ready'"
        ).fetchone()
    return int(found[0]) if found else 0
