"""Store what a phone said, do it once, keep the answer: the same three words as for the seller."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from closures.answers import JobIsClosed
from dispatch.job_events import IllegalEvent
from dispatch.models import Job
from dispatch.problems import ActionRefused, Problem
from dispatch.visits import NotYourJob
from engineers import location_history
from engineers.clock_skew import NO_SKEW, PhoneClock
from engineers.models import Engineer, PhoneMessage, PhoneOutcome
from phone import late_messages
from phone.action_handlers import HANDLERS, Handler, PhoneAction
from phone.serializers import MessageSerializer, find_unstorable, flat_errors

log = structlog.get_logger("phone")
ALREADY, APPLIED, LATE, REFUSED = "already", "applied", "late", "refused"


@dataclass(frozen=True)
class SyncResult:
    """What became of one message: applied, late (kept, but too late to move the job), already, refused."""

    message_id: str
    outcome: str
    problems: list[Problem] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def apply_message(*, entry: Any, engineer: Engineer, clock: PhoneClock = NO_SKEW) -> SyncResult:
    """One entry of the queue. A repetition gets the stored answer as `already` and has no second effect,
    whatever the phone's clock says by then: it is the same by its id and its own words.
    """
    message, problems = _read(entry)
    raw_message_id = str(entry.get("message_id", "")) if isinstance(entry, dict) else ""
    if message is None:
        return SyncResult(raw_message_id, REFUSED, problems)
    fingerprint = _fingerprint(entry)
    known = _stored(message["message_id"], fingerprint, engineer)
    if known:
        return known
    try:
        return _apply_new(message, entry, fingerprint, engineer, clock)
    except IntegrityError:
        # its twin was being taken at the same moment and was first
        known = _stored(message["message_id"], fingerprint, engineer)
        if known is None:
            raise
        return known


def _read(entry: Any) -> tuple[dict[str, Any] | None, list[Problem]]:
    """The envelope, or why there is none. What cannot be stored everywhere is not begun with."""
    wrong = find_unstorable(entry)
    if wrong:
        return None, [Problem("invalid", wrong.where, wrong.message)]
    envelope = MessageSerializer(data=entry)
    if not envelope.is_valid():
        return None, _problems_of(envelope.errors)
    return envelope.validated_data, []


def _stored(message_id: UUID, fingerprint: str, engineer: Engineer) -> SyncResult | None:
    row = PhoneMessage.objects.filter(pk=message_id).first()
    if row is None:
        return None
    if (row.body_sha256, row.engineer_id) != (fingerprint, engineer.pk):
        message = _("This message ID has already been used for something else. Resend with a new ID.")
        return SyncResult(str(message_id), REFUSED, [Problem("message_id_reused", "message_id", message)])
    problems = [Problem(**one) for one in row.answer["problems"]]
    return SyncResult(str(message_id), _stored_outcome(row), problems)


def _stored_outcome(row: PhoneMessage) -> str:
    """Refused and late stay so however often it is said: the phone may not have heard the first answer."""
    if row.outcome == PhoneOutcome.REFUSED:
        return REFUSED
    return LATE if row.answer.get("outcome") == LATE else ALREADY


def _apply_new(
    message: dict[str, Any], entry: Any, fingerprint: str, engineer: Engineer, clock: PhoneClock
) -> SyncResult:
    """Message, effect and answer commit together; after a refusal the message is kept without an effect."""
    structlog.contextvars.bind_contextvars(job=message["job"])
    row = _row(message, entry, fingerprint, engineer, clock)
    try:
        with transaction.atomic():
            # first, so that a twin waits here and not in the middle of the effect
            row.save(force_insert=True)
            result = _effect(message, engineer, clock)
            row.answer = result.as_json()
            row.save(update_fields=["answer"])
    except ActionRefused as refusal:
        result = SyncResult(str(message["message_id"]), REFUSED, refusal.problems)
        row.outcome, row.answer = PhoneOutcome.REFUSED, result.as_json()
        row.save(force_insert=True)
    log.info("phone message", kind=message["kind"], outcome=result.outcome)
    return result


def _effect(message: dict[str, Any], engineer: Engineer, clock: PhoneClock) -> SyncResult:
    handler = HANDLERS.get(message["kind"])
    if handler is None:
        sentence = _("Unknown action: %(kind)s.") % {"kind": message["kind"]}
        raise ActionRefused([Problem("unknown_kind", "kind", sentence)])
    job = _job(message["job"], engineer)
    said = _said(job, engineer, message, _checked(handler, message["body"]), clock)
    message_id = str(message["message_id"])
    try:
        with transaction.atomic():
            handler.apply(said)
    except (NotYourJob, JobIsClosed):
        return SyncResult(
            message_id,
            LATE,
            late_messages.store_late_message(said, kind=message["kind"], body=message["body"]),
        )
    except IllegalEvent as out_of_turn:
        job.refresh_from_db()
        if job.is_open:
            raise ActionRefused([_not_possible(job)]) from out_of_turn
        return SyncResult(
            message_id,
            LATE,
            late_messages.store_late_message(said, kind=message["kind"], body=message["body"]),
        )
    return SyncResult(message_id, APPLIED, late_messages.find_conflict(said, kind=message["kind"]))


def _said(
    job: Job, engineer: Engineer, message: dict[str, Any], body: dict[str, Any], clock: PhoneClock
) -> PhoneAction:
    told = message["occurred_at"]
    occurred_at = clock.right(told)
    if "taken_at" in body:
        body = {**body, "taken_at": clock.right(body["taken_at"])}
    return PhoneAction(job, engineer, occurred_at, body, told - occurred_at)


def _not_possible(job: Job) -> Problem:
    """A step before its time, or said a second time under a new id: the job stands elsewhere."""
    sentence = _("This step isn't possible: the job is already “%(state)s”. Open the job to continue.")
    return Problem("not_now", "job", sentence % {"state": job.get_state_display()})


def _job(provider_job_id: str, engineer: Engineer) -> Job:
    """A job that this engineer has or once had; about any other one a phone learns nothing."""
    job = Job.objects.filter(provider_job_id=provider_job_id, visits__engineer=engineer).first()
    if job is None:
        sentence = _("Job %(job)s is not assigned to you.") % {"job": provider_job_id}
        raise ActionRefused([Problem("unknown_job", "job", sentence)])
    return job


def _checked(handler: Handler, body: dict[str, Any]) -> dict[str, Any]:
    shape = handler.shape(data=body)
    if not shape.is_valid():
        raise ActionRefused(_problems_of(shape.errors))
    checked: dict[str, Any] = shape.validated_data
    return checked


def _row(
    message: dict[str, Any], entry: Any, fingerprint: str, engineer: Engineer, clock: PhoneClock
) -> PhoneMessage:
    told = message["occurred_at"]
    return PhoneMessage(
        message_id=message["message_id"],
        engineer=engineer,
        kind=message["kind"],
        provider_job_id=message["job"],
        body=location_history.coarse_entry(entry),
        body_sha256=fingerprint,
        occurred_at=clock.right(told),
        clock_ahead_seconds=round((told - clock.right(told)).total_seconds()),
        received_at=timezone.now(),
        outcome=PhoneOutcome.APPLIED,
        answer={},
    )


def _problems_of(errors: Any) -> list[Problem]:
    return [Problem("invalid", where, message) for where, message in flat_errors(errors)]


def _fingerprint(entry: Any) -> str:
    canonical = json.dumps(entry, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()
