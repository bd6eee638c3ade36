"""The seller's endpoints: in which order a message tries them, and whose circuit is open.

Each endpoint has a circuit. After five failures in a row it opens (for 1 s, doubling to 30 s, with jitter), unless all
were error answers to one job's messages: then the endpoint is there, and only that job waits (unconfirmed_messages.py).
A 429 that asks for a pause opens it for that long, without a failure: the limit counts all our calls. In the end one
message, of all processes together, tries whether it is well again. The row in EndpointHealth is what the
processes know together: written when something changes and otherwise at most once a second, read likewise.
Workers only touch memory; `sync` is for the one thread that talks to the database.
"""

import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from time import monotonic

import structlog
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from monitoring import alarms
from monitoring.coded_texts import CodedText, coded_text
from monitoring.models import AlarmKind
from seller_link import seller_silence
from seller_link.client import ERRORS, MAX_RETRY_AFTER_SECONDS, DeliveryOutcome, RetryLater
from seller_link.models import EndpointHealth

log = structlog.get_logger("seller_link.circuit_breaker")
FAILURES_TO_OPEN = 5
FIRST_OPEN_SECONDS, LONGEST_OPEN_SECONDS = 1.0, 30.0
LOOK_EVERY_SECONDS, LOOK_AT_OPEN_SECONDS = 1.0, 0.1
# statuses with which a healthy endpoint says something about us
SELLER_ANSWERED = {408, 425, 429}


@dataclass
class Circuit:
    """What this process knows of one endpoint.

    `may_probe`: the one try after a rest is ours to make; `is_probing`: it is being made.
    `is_stale`, `is_urgent`: something is to be written, at the next occasion or at once.
    `distrust`: why the two sides do not trust each other, if so.
    """

    endpoint: str
    failures: int = 0
    # in the present run of failures: the last one's job, and whether there were others
    failed_job: str = ""
    has_several_jobs: bool = False
    openings: int = 0
    open_until: datetime | None = None
    may_probe: bool = False
    is_probing: bool = False
    last_success_at: datetime | None = None
    last_failure_at: datetime | None = None
    last_error: CodedText | None = None
    distrust: CodedText | None = None
    is_stale: bool = False
    is_urgent: bool = False
    # alarms of an earlier process may be open
    is_unknown: bool = True

    @property
    def is_closed(self) -> bool:
        return self.open_until is None

    @property
    def is_paused(self) -> bool:
        """The seller asked us to wait, and no failure opened it."""
        return not self.is_closed and not self.openings

    def record_success(self, now: datetime) -> None:
        if self.is_paused and not self.is_probing:
            # of a request from before the pause
            self.last_success_at, self.is_stale = now, True
            return
        has_changed = self.is_unknown or self.failures or not self.is_closed
        self.is_urgent = self.is_urgent or bool(has_changed)
        self.is_unknown = self.may_probe = self.is_probing = False
        self._forget_failures()
        self.openings, self.open_until, self.distrust = 0, None, None
        self.last_success_at, self.is_stale = now, True

    def record_answer(self, outcome: RetryLater, now: datetime) -> None:
        """The endpoint is there and has not taken the message: no failure, and the end of a rest."""
        if outcome.status == HTTPStatus.TOO_MANY_REQUESTS and outcome.after_seconds:
            self._pause(now + timedelta(seconds=outcome.after_seconds), reason=outcome.reason)
        elif self.is_probing:
            self.record_success(now)

    def _pause(self, until: datetime, *, reason: CodedText) -> None:
        self._forget_failures()
        self.open_until = max(until, self.open_until) if self.is_paused and self.open_until else until
        # an answer came through a connection that both sides trust
        self.openings, self.distrust, self.last_error = 0, None, reason
        self.may_probe, self.is_probing, self.is_urgent = False, False, True
        log.warning("circuit paused", endpoint=self.endpoint, until=self.open_until.isoformat())

    def _forget_failures(self) -> None:
        self.failures, self.failed_job, self.has_several_jobs = 0, "", False

    def record_failure(self, outcome: RetryLater, now: datetime, *, job: str) -> None:
        self.failures += 1
        self.has_several_jobs = self.has_several_jobs or self.failed_job not in {"", job}
        self.failed_job = job
        self.last_failure_at, self.last_error, self.is_stale = now, outcome.reason, True
        if outcome.is_distrust and self.distrust != outcome.reason:
            self.distrust, self.is_urgent = outcome.reason, True
        # what other workers had begun before the rest makes it no longer
        is_unwell = self.has_several_jobs or outcome.status not in ERRORS
        if self.is_probing or (self.is_closed and is_unwell and self.failures >= FAILURES_TO_OPEN):
            self._open(now)

    def _open(self, now: datetime) -> None:
        self.openings += 1
        longest = min(LONGEST_OPEN_SECONDS, FIRST_OPEN_SECONDS * 2 ** min(self.openings - 1, 20))
        seconds = longest * random.uniform(0.5, 1)  # noqa: S311  # spreads load, guards nothing
        self.open_until = now + timedelta(seconds=seconds)
        self.may_probe, self.is_probing, self.is_urgent = False, False, True
        why = self.last_error.log_text() if self.last_error else ""
        log.warning("circuit opened", endpoint=self.endpoint, seconds=round(seconds, 1), why=why)

    def learn(self, row: EndpointHealth, *, may_probe: bool) -> None:
        """The state that the processes share, unless we have a newer one."""
        if self.is_urgent:
            return
        if self.is_unknown:
            self.failures = max(self.failures, row.failures)
        if row.open_until is None and not self.is_closed:
            self._forget_failures()
            self.is_probing = False
        self.may_probe = may_probe or (self.may_probe and self.open_until == row.open_until)
        self.openings, self.open_until = row.openings, row.open_until


class CircuitBreaker:
    """All circuits of one process; every method may be called from any thread."""

    def __init__(self, urls: Sequence[str] | None = None) -> None:
        self._lock = threading.Lock()
        self._circuits = {url: Circuit(url) for url in urls or settings.SELLER_ENDPOINTS}
        self._turn = 0
        self._looked_at = float("-inf")

    def order(self) -> list[str]:
        """Where one message tries its luck: the endpoint on probation, then the well ones, beginning in turn.

        Resting ones are left out, so the list may be empty.
        """
        with self._lock:
            circuits = list(self._circuits.values())
            probed = [circuit for circuit in circuits if circuit.may_probe][:1]
            for circuit in probed:
                circuit.may_probe, circuit.is_probing = False, True
            closed = [circuit for circuit in circuits if circuit.is_closed]
            begin = self._turn % max(len(closed), 1)
            self._turn += 1
            # sorting keeps the turn among those that did not fail lately
            turned = sorted(closed[begin:] + closed[:begin], key=lambda circuit: circuit.failures > 0)
            return [circuit.endpoint for circuit in probed + turned]

    def claim_limit(self) -> int | None:
        """How many messages may be claimed now: any number (None), one for each probe, or 0 while all rest."""
        with self._lock:
            circuits = self._circuits.values()
            if any(circuit.is_closed for circuit in circuits):
                return None
            return sum(circuit.may_probe for circuit in circuits)

    def record_result(self, endpoint: str, outcome: DeliveryOutcome, *, job: str = "") -> None:
        """What became of a try there, with a message of this job."""
        with self._lock:
            circuit = self._circuits[endpoint]
            if not isinstance(outcome, RetryLater):
                circuit.record_success(timezone.now())
            elif outcome.status in SELLER_ANSWERED or outcome.is_unconfirmed:
                circuit.record_answer(outcome, timezone.now())
            else:
                circuit.record_failure(outcome, timezone.now(), job=job)

    @property
    def is_urgent(self) -> bool:
        """Other processes, or a person, should learn of a change at once."""
        return any(circuit.is_urgent for circuit in self._circuits.values())

    def sync(self) -> None:
        """Write what changed, read what others found, and take the right to probe when an open circuit's time is over.

        Cheap to call often: it asks the database at most once a second unless something changed or a circuit is open.
        """
        if not self.is_urgent and monotonic() < self._looked_at + self._look_every():
            return
        self._looked_at = monotonic()
        changed = self._take_changes()
        try:
            for circuit in changed:
                _store(circuit)
            rows = list(EndpointHealth.objects.filter(endpoint__in=self._circuits))
            ours = {row.endpoint for row in rows if _take_probe(row)}
        except DatabaseError:
            self._release_probe(changed)
            raise
        with self._lock:
            for row in rows:
                self._circuits[row.endpoint].learn(row, may_probe=row.endpoint in ours)

    def _look_every(self) -> float:
        """An endpoint with an open circuit is checked more often, so that its probe is not late."""
        circuits = self._circuits.values()
        return LOOK_EVERY_SECONDS if all(circuit.is_closed for circuit in circuits) else LOOK_AT_OPEN_SECONDS

    def _take_changes(self) -> list[Circuit]:
        with self._lock:
            changed = [
                replace(circuit)
                for circuit in self._circuits.values()
                if circuit.is_stale or circuit.is_urgent
            ]
            for circuit in self._circuits.values():
                circuit.is_stale = circuit.is_urgent = False
        return changed

    def _release_probe(self, changed: list[Circuit]) -> None:
        with self._lock:
            for circuit in changed:
                known = self._circuits[circuit.endpoint]
                known.is_stale, known.is_urgent = True, known.is_urgent or circuit.is_urgent


def _store(circuit: Circuit) -> None:
    """Without a change only the times are written: another process may have opened the circuit in between."""
    facts: dict[str, object] = {
        "failures": circuit.failures,
        "last_error": circuit.last_error.as_json() if circuit.last_error else {},
    }
    if circuit.last_success_at:
        facts["last_success_at"] = circuit.last_success_at
    if circuit.last_failure_at:
        facts["last_failure_at"] = circuit.last_failure_at
    if circuit.is_urgent:
        facts |= {"openings": circuit.openings, "open_until": circuit.open_until}
    EndpointHealth.objects.update_or_create(endpoint=circuit.endpoint, defaults=facts)
    if circuit.is_urgent:
        _update_alarms(circuit)


def _update_alarms(circuit: Circuit) -> None:
    if circuit.distrust:
        text = coded_text("seller_untrusted", endpoint=circuit.endpoint, reason=circuit.distrust)
        alarms.raise_alarm(AlarmKind.SELLER_UNTRUSTED, circuit.endpoint, text)
    elif not circuit.failures:
        alarms.clear_alarm(AlarmKind.SELLER_UNTRUSTED, circuit.endpoint)
        if circuit.is_closed:
            seller_silence.clear()


def _take_probe(row: EndpointHealth) -> bool:
    """The rest is over, and of all processes only one finds the row as it was. The row then has the new time."""
    now = timezone.now()
    seconds = LONGEST_OPEN_SECONDS if row.openings else MAX_RETRY_AFTER_SECONDS
    longest = timedelta(seconds=seconds + settings.SELLER_DEADLINE_SECONDS + 1)
    # a rest beyond the longest was written by a clock that has been set back since
    if row.open_until is None or now < row.open_until <= now + longest:
        return False
    before, row.open_until = row.open_until, now + timedelta(seconds=settings.SELLER_DEADLINE_SECONDS + 1)
    unchanged = EndpointHealth.objects.filter(pk=row.pk, open_until=before)
    return bool(unchanged.update(open_until=row.open_until))
