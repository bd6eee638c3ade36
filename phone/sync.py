"""Store a phone's message, apply it once, keep the answer."""

import hashlib
import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from closures.answers import JobIsClosed
from dispatch import job_events
from dispatch.job_events import IllegalEvent, LockedJob
from dispatch.models import Job
from dispatch.problems import ActionRefused, Problem
from dispatch.visits import NotYourJob
from engineers.clock_skew import NO_SKEW, PhoneClock
from engineers.input_values import read_instant
from engineers.models import Engineer, PhoneMessage, PhoneOutcome
from phone import late_messages
from phone.action_handlers import HANDLERS, Handler, PhoneAction
from phone.assigned_jobs import is_in_review, phone_state
from phone.late_messages import Unfinished, refuse_unfinished
from phone.serializers import MessageSerializer, find_unstorable, flat_errors
from phone.stored_entries import MAX_ENTRY_BYTES, is_too_large, stored_entry
from phone.superseded import Superseded

log = structlog.get_logger("phone")
ALREADY, APPLIED, LATE, REFUSED = "already", "applied", "late", "refused"
# the job went on without this engineer or stands elsewhere, or this is not to change it
OUT_OF_TURN = (NotYourJob, JobIsClosed, IllegalEvent, Superseded, Unfinished)
MOST_CORRECTED = timedelta(days=1)


@dataclass(frozen=True)
class SyncResult:
    """What became of one message: applied, late (kept, but too late to move the job), already, refused."""

    message_id: str
    outcome: str
    problems: list[Problem] = field(default_factory=list)
    # of a job that is the engineer's own and was changed just now; otherwise nothing is known of it here
    job_state: str = ""

    def as_json(self) -> dict[str, Any]:
        problems = [_problem_json(problem) for problem in self.problems]
        return {"message_id": self.message_id, "outcome": self.outcome, "problems": problems}


def _problem_json(problem: Problem) -> dict[str, Any]:
    """What a phone does with a problem; overriding one is the office's."""
    return {
        "code": problem.code,
        "where": problem.where,
        "message": problem.message,
        "blocks": problem.blocks,
    }


def apply_message(*, entry: Any, engineer: Engineer, clock: PhoneClock = NO_SKEW) -> SyncResult:
    """One entry of the queue. A repetition gets the stored answer as `already` and has no second effect,
    whatever the phone's clock shows by then: it is the same by its id and its content.
    """
    message, problems = _read(entry)
    raw_message_id = str(entry.get("message_id", "")) if isinstance(entry, dict) else ""
    if message is None:
        return SyncResult(raw_message_id, REFUSED, problems)
    row = _row(message, entry, engineer, clock)
    try:
        return _apply_new(message, row, clock)
    except IntegrityError:
        # sent before, or its twin is being applied at the same moment and was first
        known = _stored(row)
        if known is None:
            raise
        return known


def clocks_of_batch(entries: list[Any], clock: PhoneClock) -> list[PhoneClock]:
    """Each entry's own. A queue is in the order of its taps: where the phone's clock was corrected between two taps on
    a job, the first one was not the later one, whatever the clock showed (and see _is_next_wrong)."""
    taps = [_tap_of(entry) for entry in entries]
    clocks: list[PhoneClock] = []
    of_jobs = _clocks_of_jobs(taps, clock)
    by_job: dict[str, PhoneClock] = {}
    for job, tapped_at in reversed(taps):
        usual = of_jobs.get(job, clock)
        own = by_job.get(job, usual)
        if tapped_at and own.latest and _is_next_wrong(tapped_at, usual, next_tap=own.latest):
            own = usual
        clocks.append(own)
        if tapped_at:
            by_job[job] = own.before(tapped_at)
    return clocks[::-1]


def _is_next_wrong(tapped_at: datetime, usual: PhoneClock, *, next_tap: datetime) -> bool:
    """By more than MOST_CORRECTED it was the later tap that was wrong: a phone that had lost its time begins in another
    year. Not where this tap is of such a phone: then it was before the next one all the same."""
    return not usual.had_lost_time(tapped_at) and usual.to_server_time(tapped_at) - next_tap > MOST_CORRECTED


def _clocks_of_jobs(taps: list[tuple[str, datetime | None]], clock: PhoneClock) -> dict[str, PhoneClock]:
    """By the numbers of jobs with a tap from long ago: nobody has tapped on a job before we received it, so the phone
    may have lost its time, and have been corrected before it sent."""
    now = clock.latest
    if now is None:
        return {}
    old = {job for job, moment in taps if moment and now - clock.to_server_time(moment) > MOST_CORRECTED}
    known = Job.objects.filter(provider_job_id__in=[job for job in old if not find_unstorable(job)])
    received = known.values_list("provider_job_id", "received_at") if old else ()
    return {job: replace(clock, earliest=moment - MOST_CORRECTED) for job, moment in received}


def _tap_of(entry: Any) -> tuple[str, datetime | None]:
    """Its job and its time, as far as they can be read."""
    members = entry if isinstance(entry, dict) else {}
    job = members.get("job")
    return job if isinstance(job, str) else "", read_instant(members.get("occurred_at"))


def _read(entry: Any) -> tuple[dict[str, Any] | None, list[Problem]]:
    """The envelope, or why there is none. What cannot be stored everywhere is not begun with."""
    wrong = find_unstorable(entry)
    if wrong:
        return None, [Problem("invalid", wrong.where, wrong.message)]
    if is_too_large(entry):
        text = _("The message is too large. It can have at most %(limit)s KB.")
        return None, [Problem("too_large", "message", text % {"limit": MAX_ENTRY_BYTES // 1024})]
    envelope = MessageSerializer(data=entry)
    if not envelope.is_valid():
        return None, _problems_of(envelope.errors)
    return envelope.validated_data, []


def _stored(new: PhoneMessage) -> SyncResult | None:
    """The answer that the message of this ID got before."""
    row = PhoneMessage.objects.filter(pk=new.pk).first()
    if row is None:
        return None
    if (row.body_sha256, row.engineer_id) != (new.body_sha256, new.engineer_id):
        message = _("This message ID has already been used for something else. Resend with a new ID.")
        return SyncResult(str(new.pk), REFUSED, [Problem("message_id_reused", "message_id", message)])
    problems = [Problem(**problem) for problem in row.answer["problems"]]
    return SyncResult(str(new.pk), _stored_outcome(row), problems)


def _stored_outcome(row: PhoneMessage) -> str:
    """Refused and late stay so however often it is sent: the phone may not have received the first answer."""
    if row.outcome == PhoneOutcome.REFUSED:
        return REFUSED
    return LATE if row.answer.get("outcome") == LATE else ALREADY


def _apply_new(message: dict[str, Any], row: PhoneMessage, clock: PhoneClock) -> SyncResult:
    """Message, effect and answer commit together; after a refusal the message is kept without an effect."""
    structlog.contextvars.bind_contextvars(job=message["job"])
    try:
        try:
            result = _apply(message, row, clock)
        except OUT_OF_TURN as refusal:
            result = _store_late(message, row, clock, refusal)
    except ActionRefused as refusal:
        result = SyncResult(str(row.pk), REFUSED, refusal.problems)
        row.outcome, row.answer = PhoneOutcome.REFUSED, result.as_json()
        row.save(force_insert=True)
    log.info("phone message", kind=row.kind, outcome=result.outcome)
    return result


@transaction.atomic
def _apply(message: dict[str, Any], row: PhoneMessage, clock: PhoneClock) -> SyncResult:
    # first, so that a twin waits here and not in the middle of the effect
    row.save(force_insert=True)
    handler = _handler(row.kind)
    action = _action(message, handler, row, clock)
    refuse_unfinished(action)
    handler.apply(action)
    notices = late_messages.reschedule_notices(action, kind=row.kind)
    job_state = phone_state(action.job.state) if handler.answers_state else ""
    return _answer(row, SyncResult(str(row.pk), APPLIED, notices, job_state))


@transaction.atomic
def _store_late(
    message: dict[str, Any], row: PhoneMessage, clock: PhoneClock, refusal: Exception
) -> SyncResult:
    """The job went on without this engineer: the message becomes a part of its history."""
    row.save(force_insert=True)
    action = _action(message, _handler(row.kind), row, clock)
    if isinstance(refusal, IllegalEvent) and action.job.is_open and not is_in_review(action.job):
        raise ActionRefused([_not_possible(action.job)]) from refusal
    conflict = (
        refusal.conflict
        if isinstance(refusal, Superseded)
        else late_messages.find_conflict(action, kind=row.kind)
    )
    problems = late_messages.store_late_message(
        action, kind=row.kind, body=row.body["body"], conflict=conflict
    )
    return _answer(row, SyncResult(str(row.pk), LATE, problems))


def _answer(row: PhoneMessage, result: SyncResult) -> SyncResult:
    """Kept for a repetition; the row was written with the answer that most messages get."""
    answer = result.as_json()
    if row.answer != answer:
        row.answer = answer
        row.save(update_fields=["answer"])
    return result


def _handler(kind: str) -> Handler:
    handler = HANDLERS.get(kind)
    if handler is None:
        raise ActionRefused(
            [Problem("unknown_kind", "kind", _("Unknown action: %(kind)s.") % {"kind": kind})]
        )
    return handler


def _action(message: dict[str, Any], handler: Handler, row: PhoneMessage, clock: PhoneClock) -> PhoneAction:
    """The message as the handlers take it, all its times put right by `clock`."""
    job = _locked_job(row.provider_job_id, row.engineer)
    body = _checked(handler, message["body"])
    if "taken_at" in body:
        body = {**body, "taken_at": clock.to_server_time(body["taken_at"])}
    return PhoneAction(job, row.engineer, row.occurred_at, body, message["occurred_at"] - row.occurred_at)


def _not_possible(job: LockedJob) -> Problem:
    """A step before its time, or sent a second time under a new id: the job is in another state."""
    sentence = _("This step isn't possible: the job is already “%(state)s”. Open the job to continue.")
    return Problem("not_now", "job", sentence % {"state": job.get_state_display()})


def _locked_job(provider_job_id: str, engineer: Engineer) -> LockedJob:
    """A job that this engineer has or once had; about any other one a phone learns nothing."""
    job = job_events.lock_visited_job(provider_job_id=provider_job_id, engineer=engineer)
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


def _row(message: dict[str, Any], entry: Any, engineer: Engineer, clock: PhoneClock) -> PhoneMessage:
    occurred_at = clock.to_server_time(message["occurred_at"])
    return PhoneMessage(
        message_id=message["message_id"],
        engineer=engineer,
        kind=message["kind"],
        provider_job_id=message["job"],
        body=stored_entry(entry, kind=message["kind"]),
        body_sha256=_fingerprint(entry),
        occurred_at=occurred_at,
        clock_ahead_seconds=round((message["occurred_at"] - occurred_at).total_seconds()),
        received_at=timezone.now(),
        outcome=PhoneOutcome.APPLIED,
        answer=SyncResult(str(message["message_id"]), APPLIED).as_json(),
    )


def _problems_of(errors: Any) -> list[Problem]:
    return [Problem("invalid", where, message) for where, message in flat_errors(errors)]


def _fingerprint(entry: Any) -> str:
    canonical = json.dumps(entry, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()
