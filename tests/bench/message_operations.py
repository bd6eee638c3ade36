"""What is read from and written to the tables of messages and events every day, each as a function to be measured."""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import Any

from django.db import connection
from django.test import Client
from django.utils import timezone

from background import personal_data
from board import board_version
from board.stream.board_watch import EventTail
from dispatch import retention, visits
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer, Role, User
from monitoring.metrics import metrics_text, render_metrics
from phone import sync
from seller_link import (
    inbox,
    message_log,
    message_states,
    outbox,
    outbox_queue,
    reconciliation,
    relay,
    replays,
    seller_silence,
)
from seller_link.caller_authorization import Peer
from seller_link.client import Delivered
from seller_link.incremental_totals import ROWS_PER_RECORD
from seller_link.message_log import Cursor, Direction, MessageFilter, StatusFilter
from seller_link.metrics import LinkCollector
from seller_link.models import OutboundMessage, SettledTotals
from tests import make
from tests.bench.message_rows import RECEIVED, History, fill
from tests.partner_api.caller import Caller
from tests.phone.phone import entry
from tests.seller_link.wire import message, raw

PEER = Peer(subject="seller", address="127.0.0.1")
DAY = timedelta(days=1)
WAITING = 40
LONGEST_WAIT_SECONDS = 120.0


@dataclass(frozen=True)
class Operation:
    """`run` is called each round, within `session`. Only where it is not `is_frequent` may it read a whole table."""

    name: str
    run: Callable[[], object]
    is_frequent: bool = True
    rounds: int = 5
    session: Callable[[], AbstractContextManager[None]] = nullcontext


@dataclass
class DailyWork:
    """A database filled by message_rows, an engineer on site and somebody in the office."""

    history: History
    office: User
    engineer: Engineer
    job: Job
    unassigned: list[Job]
    client: Client = field(default_factory=Client)
    caller: Caller = field(default_factory=Caller)

    def __post_init__(self) -> None:
        self.client.force_login(self.office, "engineers.permissions.RoleBackend")
        self.old = Job.objects.get(pk=max(1, self.history.jobs // 2))
        self.now = timezone.now()
        self.same = raw(message("createJob", sellerJobId="again"))
        self.tail = EventTail()
        self.tap = self._tap()
        self._receive(self.same)
        sync.apply_message(entry=self.tap, engineer=self.engineer)
        self._record_totals()

    def operations(self, *, rounds: int = 0) -> Iterator[Operation]:
        """In the order in which they must run; each so many rounds where they are given."""
        parts = (self._writes(), self._message_log(), self._pages(), self._watches(), self._nights())
        for operation in chain(*parts):
            yield replace(operation, rounds=rounds) if rounds else operation

    def _writes(self) -> Iterator[Operation]:
        yield Operation("createJob", self._create_job)
        yield Operation("createJob again", lambda: self._receive(self.same))
        yield Operation("tap", lambda: sync.apply_message(entry=self._tap(), engineer=self.engineer))
        yield Operation("tap again", lambda: sync.apply_message(entry=self.tap, engineer=self.engineer))
        yield Operation("assignment with its message", self.assign)
        yield Operation("relay: is anything due", outbox_queue.is_work_due, session=as_relay)
        yield Operation("relay: claim and settle", self._deliver, session=as_relay)

    def _message_log(self) -> Iterator[Operation]:
        middle = OutboundMessage.objects.filter(job=self.old).order_by("seq").first()
        at = middle.created_at if middle else self.now
        cursor = Cursor(at, Direction.TO_SELLER, 1)
        some_id = str(middle.message_id) if middle else ""
        pages: dict[str, tuple[MessageFilter, Cursor | None]] = {
            "first page": (MessageFilter(), None),
            "old page": (MessageFilter(), cursor),
            "by job": (MessageFilter(job=str(self.old)), None),
            "by order": (MessageFilter(order=self.old.buyer_order_reference), None),
            "by message id": (MessageFilter(text=some_id), None),
            "an old day": (MessageFilter(from_at=at, to_at=at + DAY), None),
            "closeJob": (MessageFilter(operation="closeJob"), None),
            "one endpoint": (MessageFilter(endpoint="https://seller1.example"), None),
            **{status.value: (MessageFilter(status=status), None) for status in StatusFilter},
        }
        for name, (wanted, after) in pages.items():
            yield Operation(f"message log: {name}", partial(message_log.page, wanted, after=after))

    def _pages(self) -> Iterator[Operation]:
        month = {"first": f"{self.now.date() - 30 * DAY}", "last": f"{self.now.date()}", "by": "day"}
        audit = {
            "person": str(self.office.pk),
            "first": f"{self.now.date() - 7 * DAY}",
            "last": f"{self.now.date()}",
        }
        yield Operation("page of an old job", lambda: self._get(f"/board/jobs/{self.old}/"))
        yield Operation("page of messages", lambda: self._get("/board/messages/"))
        # its limit is that of reports_200k
        yield Operation(
            "reports of a month", lambda: self._get("/board/reports/", **month), is_frequent=False, rounds=3
        )
        yield Operation("audit of a person", lambda: self._get("/board/audit/", **audit))
        yield Operation("preview of a replay", self._preview)
        yield Operation("reconciliation of a day", self._reconcile)
        yield Operation("changes for the partner", self._changed)

    def _watches(self) -> Iterator[Operation]:
        yield Operation("/metrics", metrics_text)
        yield Operation("stuck messages", outbox.stuck_messages().count)
        yield Operation("board version", board_version.read_version)
        yield Operation("event tail", self.tail.read_new)
        yield Operation("watch for an unreachable seller", seller_silence.watch_unreachable)
        yield Operation("watch for a moved clock", relay.reset_future_timestamps)

    def _nights(self) -> Iterator[Operation]:
        count, purge = partial(personal_data.count_expired, self.now), partial(personal_data.purge, self.now)
        coarsen = partial(retention.coarsen_positions, self.now)
        yield Operation("purge: dry run", count, is_frequent=False, rounds=2)
        yield Operation("purge: a day", purge, is_frequent=False, rounds=1)
        yield Operation("purge: nothing left", purge)
        yield Operation("rounding of positions: a day", coarsen, is_frequent=False, rounds=1)
        yield Operation("rounding of positions: nothing left", coarsen)

    def _create_job(self) -> None:
        self._receive(raw(message("createJob", sellerJobId=str(uuid.uuid4()))))

    def _receive(self, body: bytes) -> None:
        [answer] = inbox.receive([inbox.InboundRequest("createJob", body, PEER)])
        if answer.status != 200:
            raise RuntimeError(f"createJob was answered {answer.status} {answer.body}")

    def _tap(self) -> dict[str, Any]:
        return entry("answered", self.job, {"question": "SAF01", "value": "yes"})

    def assign(self) -> None:
        job = self.unassigned.pop()
        visits.assign(job=job, engineer=self.engineer, starts_at=job.window_start, by=make.office())

    def _deliver(self) -> None:
        [claim] = outbox_queue.claim_due(1)
        attempt = {
            "message_id": claim.pk,
            "endpoint": "https://seller1.example",
            "started_at": timezone.now(),
            "milliseconds": 5,
            "status": 200,
        }
        relay.settle([relay.DeliveryResult(claim, Delivered(200, "{}"), [attempt])])

    def _get(self, address: str, **query: str) -> None:
        answer = self.client.get(address, query)
        if answer.status_code != 200:
            raise RuntimeError(f"{address} answered {answer.status_code}")

    def _preview(self) -> None:
        replays.preview_replay(
            replays.outage_messages(self.now - timedelta(days=40), self.now - timedelta(days=39))
        )

    def _reconcile(self) -> None:
        at = self.old.window_start
        reconciliation.messages_between([], from_at=at, to_at=at + DAY)

    def _changed(self) -> None:
        self.caller.read(f"/api/v1/jobs?changed_since={(self.now - DAY).strftime('%Y-%m-%dT%H:%M:%SZ')}")

    def _record_totals(self) -> None:
        """As they are after years: what /metrics needs was added up long ago. Other databases' writers hold it up."""
        collector, until = LinkCollector(settled_after=0), time.monotonic() + LONGEST_WAIT_SECONDS
        if self.history.jobs * RECEIVED > ROWS_PER_RECORD:
            while SettledTotals.objects.count() < 2 and time.monotonic() < until:
                render_metrics(collector)


def daily_work(rows: int, *, engineers: int) -> DailyWork:
    """About so many rows, and in addition today's work: a job on site, others that wait, messages that wait or are
    held."""
    office = make.dispatcher(role=Role.SUPERVISOR)
    people = [make.engineer() for _ in range(engineers)]
    history = fill(rows, people=people, office=office)
    on_site = make.job(at_state=JobState.ON_SITE, to=people[0])
    waiting = [make.job(day=make.DAY + number * DAY) for number in range(1, WAITING + 1)]
    work = DailyWork(history, office, people[0], on_site, waiting)
    for _ in range(WAITING // 2):
        work.assign()
    message_states.hold(OutboundMessage.objects.unsent().latest("pk").pk, reason="400 badPhone")
    return work


@contextmanager
def as_relay() -> Iterator[None]:
    """The connection as a relay sets it."""
    outbox_queue.force_index_scans(connection=connection)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(outbox_queue.FORCE_INDEX_SCANS.replace("= off", "= on"))
