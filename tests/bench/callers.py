"""Sixteen sellers at once, in a process of their own: `python -m tests.bench.callers` prints what they counted.

Each says the next as soon as it has an answer, or with `--rate` by the clock: then a call's wait begins when it
was due, so that a server which makes a caller late cannot hide it.
"""

import argparse
import http
import json
import ssl
import sys
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.line import Line
from tests.seller_link.wire import message

CALLERS = 16
# the handshakes are over before the clock begins
FIRST_LINES_SECONDS = 1.0


@dataclass
class Count:
    answers: int = 0
    errors: int = 0
    refusals: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def note(self, *, status: int, content: bytes, seconds: float) -> None:
        self.seconds.append(seconds)
        if status == http.HTTPStatus.OK:
            self.answers += 1
            return
        self.errors += status >= http.HTTPStatus.INTERNAL_SERVER_ERROR
        self.refusals.append(f"{status} {content.decode()[:300]}")


def packs() -> Iterator[bytes]:
    """The example pack under fresh ids, without building it again each time."""
    text = json.dumps(message("createJob", messageId="MESSAGE", sellerJobId="JOB"))
    while True:
        fresh = str(uuid.uuid4())
        yield text.replace("MESSAGE", fresh).replace('"JOB"', f'"{fresh}"').encode()


def moments(*, first: float, every: float, until: float) -> Iterator[float]:
    """When each call is due; without `every` at once."""
    due = first if every else time.monotonic()
    while due < until:
        time.sleep(max(0.0, due - time.monotonic()))
        yield due
        due = due + every if every else time.monotonic()


def call(*, port: int, context: ssl.SSLContext, due: Iterator[float], count: Count) -> None:
    with Line(port=port, context=context) as line:
        for started, pack in zip(due, packs(), strict=False):
            status, content = line.say(pack)
            count.note(status=status, content=content, seconds=time.monotonic() - started)


def context_for(certs: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=certs / "ca.pem")
    context.load_cert_chain(certs / "seller.pem", certs / "seller.key")
    return context


def spoken(arguments: argparse.Namespace) -> list[Count]:
    """All callers at once, for so long; by the clock they take turns."""
    context, begin = (
        context_for(arguments.certs),
        time.monotonic() + FIRST_LINES_SECONDS * bool(arguments.rate),
    )
    until, counts = begin + arguments.seconds, [Count() for _ in range(CALLERS)]
    every = CALLERS / arguments.rate if arguments.rate else 0.0
    with ThreadPoolExecutor(CALLERS) as callers:
        waiting = [
            callers.submit(call, port=arguments.port, context=context, due=due, count=count)
            for number, count in enumerate(counts)
            for due in [moments(first=begin + every * number / CALLERS, every=every, until=until)]
        ]
        for process in waiting:
            process.result()
    return counts


def summary(counts: list[Count]) -> dict[str, Any]:
    waits = sorted(seconds for count in counts for seconds in count.seconds)
    return {
        "answers": sum(count.answers for count in counts),
        "errors": sum(count.errors for count in counts),
        "refusals": [text for count in counts for text in count.refusals][:3],
        "p50_milliseconds": round(waits[len(waits) // 2] * 1000, 1) if waits else None,
        "p99_milliseconds": round(waits[int(len(waits) * 0.99)] * 1000, 1) if waits else None,
        "processor_milliseconds": round(time.process_time() * 1000 / max(len(waits), 1), 3),
        "longest_milliseconds": round(waits[-1] * 1000, 1) if waits else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--certs", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--rate", type=float, default=0, help="calls a second of all together")
    sys.stdout.write(json.dumps(summary(spoken(parser.parse_args()))))


if __name__ == "__main__":
    main()
