"""The seller of a load test: sends packs for tomorrow, and a result for each scan."""

import json
import queue
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.utils import timezone

from tests.bench.callers import context_for
from tests.bench.line import Line
from tests.seller_link.wire import message

# our server ends a connection of which it heard nothing for 75 s
IDLE_SECONDS = 60


@dataclass
class Answer:
    """As the phones' answers are measured."""

    status: int
    text: str


@dataclass
class Seller:
    """`setup` as the generator's; `unassigned` gets our id of each new job."""

    setup: dict[str, Any]
    timed: Callable[[str, Callable[[], Any]], Any]
    unassigned: list[str]
    lines: "dict[str, queue.SimpleQueue[tuple[float, Line]]]" = field(
        default_factory=lambda: defaultdict(queue.SimpleQueue)
    )

    def send_pack(self) -> None:
        day = timezone.localtime() + timedelta(days=1)
        window = {
            "appointment__start": day.replace(hour=8, minute=0, second=0).isoformat(timespec="seconds"),
            "appointment__end": day.replace(hour=13, minute=0, second=0).isoformat(timespec="seconds"),
        }
        pack = message("createJob", sellerJobId=str(uuid.uuid4()), previousProviderJobId=None, **window)
        answer = self._send("createJob", pack)
        if answer.status == HTTPStatus.OK:
            self.unassigned.append(json.loads(answer.text)["providerJobId"])

    def provision(self, job_id: str) -> None:
        """The last scan of our job has worked."""
        now = timezone.now().isoformat(timespec="seconds")
        self._send("notifyJob", message("notifyJob", providerJobId=job_id, occurredAt=now, sentAt=now))

    def _send(self, operation: str, body: dict[str, Any]) -> Answer:
        with self._line(operation) as line:
            sent: Answer = self.timed(operation, lambda: _say(line, body))
            return sent

    @contextmanager
    def _line(self, operation: str) -> Iterator[Line]:
        """An open connection that nobody uses just now; one that breaks is not used again."""
        idle = self.lines[operation]
        try:
            while (found := idle.get_nowait())[0] < time.monotonic() - IDLE_SECONDS:
                found[1].close()
            line = found[1]
        except queue.Empty:
            context, path = context_for(Path(self.setup["certs"])), f"/seller/{operation}".encode()
            line = Line(port=self.setup["seller_port"], context=context, path=path)
        yield line
        idle.put((time.monotonic(), line))


def _say(line: Line, body: dict[str, Any]) -> Answer:
    status, content = line.say(json.dumps(body).encode())
    return Answer(status, content.decode())
