"""What the seller knew of a job when a message came; the contract's rules read nothing else."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from seller_sandbox import clock
from seller_sandbox.jobs import provisioning, strictness
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.schemas import read_instant
from seller_sandbox.messages.models import InboundMessage

ASSIGNED = "engineerAssigned"
# for a pack without expectedDurationMinutes
USUAL_MINUTES = 120

AnswerKey = tuple[str, str, str]


@dataclass(frozen=True)
class JobFacts:
    """`engineer_id` is whom the newest engineerAssigned names, `attended` are those whom an onSite named.

    `last_event` is the newest accepted one; `last_event_at` leaves a repeated engineerAssigned out.

    `answers_sent` are (code, answer, response_received) of earlier notifyJob messages. `position` is that of the
    premises, `minutes` how long the work is expected to take.
    """

    job_type: str
    starts_at: datetime
    ends_at: datetime
    now: datetime
    created_at: datetime
    # how far the seller's clock was moved: a partner may have followed it, or stayed on the real clock
    clock_ahead: timedelta = timedelta()
    minutes: int = USUAL_MINUTES
    events: frozenset[str] = frozenset()
    last_event: str = ""
    last_event_at: datetime | None = None
    engineer_id: str = ""
    attended: frozenset[str] = frozenset()
    is_closed: bool = False
    cancelled_at: datetime | None = None
    has_scan: bool = False
    is_provisioned: bool = False
    position: tuple[float, float] | None = None
    must_be_near: bool = False
    answers_sent: frozenset[AnswerKey] = frozenset()

    @property
    def was_visited(self) -> bool:
        return "onSite" in self.events


def facts_of(job: Job) -> JobFacts:
    """The facts of a job at this moment."""
    accepted = list(job.thread.inbound.filter(holds_id=True).exclude(event="").order_by("id"))
    premises = job.pack["property"]
    latitude, longitude = premises.get("latitude"), premises.get("longitude")
    return JobFacts(
        job_type=job.job_type,
        starts_at=job.starts_at,
        ends_at=job.ends_at,
        now=clock.now(),
        clock_ahead=clock.offset(),
        created_at=job.created_at,
        minutes=job.pack.get("expectedDurationMinutes") or USUAL_MINUTES,
        events=frozenset(message.event for message in accepted),
        last_event=accepted[-1].event if accepted else "",
        last_event_at=_last_event_at(accepted),
        engineer_id=job.engineer_id,
        attended=frozenset(
            message.body["engineer"]["id"] for message in accepted if message.event == "onSite"
        ),
        is_closed=job.state == JobState.CLOSED,
        cancelled_at=job.cancelled_at,
        has_scan=any(message.event == "ontScanned" for message in accepted),
        is_provisioned=provisioning.has_succeeded(job),
        position=None if latitude is None or longitude is None else (latitude, longitude),
        must_be_near=strictness.current().positions_refused,
        answers_sent=frozenset(_answer_keys(accepted)),
    )


def _last_event_at(accepted: list[InboundMessage]) -> datetime | None:
    """A repeated engineerAssigned reports the office's plan, not the engineer's progress."""
    first_assigned = next((message for message in accepted if message.event == ASSIGNED), None)
    counting = [message for message in accepted if message.event != ASSIGNED or message is first_assigned]
    return max((read_instant(message.body["occurredAt"]) for message in counting), default=None)


def _answer_keys(accepted: Iterable[InboundMessage]) -> Iterable[AnswerKey]:
    for message in accepted:
        for entry in message.body.get("questions_answers") or []:
            if isinstance(entry, dict):
                yield answer_key(entry)


def answer_key(entry: dict[str, Any]) -> AnswerKey:
    return (
        str(entry.get("question_code")),
        str(entry.get("answer")),
        str(entry.get("response_received")),
    )
