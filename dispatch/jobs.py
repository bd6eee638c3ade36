"""Verbs about jobs: create from a pack, locate, cancel, provisioning results, close."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from dispatch import attention, fast_insert, job_events
from dispatch.flag_rules import usual_minutes
from dispatch.job_events import SELLER, LockedJob, Performer
from dispatch.job_pack import JobPack
from dispatch.models import Job, JobEvent, JobSearchText, OntScan, ProvisioningResult, job_keywords
from dispatch.ont_scans import deciding_result, result_counts_from, scan_at
from dispatch.states import EventKind, JobState, is_legal

# the longest visit of the wire profile
MAX_MINUTES = 600
# Crockford's alphabet: no characters that are confused over the telephone
READABLE = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class JobNotFound(Exception):
    """No job of ours has this id."""


class DuplicateJob(Exception):
    """The seller's job id is known with another content; nothing has changed."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.provider_job_id)
        self.job = job


class JobCancelled(Exception):
    """The seller cancelled this job and creates it again; nothing has changed."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.provider_job_id)
        self.provider_job_id = job.provider_job_id


class ScanOfAnotherJob(Exception):
    """A result for this job names a scan that was made for another one; nothing has changed."""


class JobAlreadyStarted(Exception):
    """The engineer is on site, so the job can no longer be cancelled; nothing has changed."""


class JobAlreadyClosed(Exception):
    """The job is closed; nothing has changed."""


@dataclass(frozen=True)
class Creation:
    job: Job
    already_known: bool


def new_provider_job_id() -> str:
    """`J-7K3M-92QX`: short enough to say, from 2**40 possibilities, unique by the column."""
    characters = "".join(secrets.choice(READABLE) for _ in range(8))
    return f"J-{characters[:4]}-{characters[4:]}"


def postcode_key(postcode: str) -> str:
    """`ls6 3ab` and `LS63AB` are found alike."""
    return "".join(postcode.split()).upper()[:20]


def find_job(*, provider_job_id: str = "", seller_job_id: str = "") -> Job:
    """By our id; by the seller's where ours is not given. Raises JobNotFound, also where nobody may see it who asks."""
    named = {"provider_job_id": provider_job_id} if provider_job_id else {"seller_job_id": seller_job_id}
    job = Job.objects.in_scope().filter(**named).first()
    if job is None:
        raise JobNotFound(provider_job_id or seller_job_id)
    return job


def create_job(*, pack: JobPack, occurred_at: datetime | None = None) -> Creation:
    """A job from a pack, once per `seller_job_id`: sent again it is `already_known`, with another content
    DuplicateJob, and JobCancelled once it was cancelled. job-messages.md, createJob."""
    # joins the caller's transaction without a savepoint: those two round trips are a tenth of a createJob
    with transaction.atomic(savepoint=False):
        job = fast_insert.insert(Job, columns_of(pack), unless_known="seller_job_id")
        if job:
            fast_insert.insert_all(JobSearchText, [{"job_id": job.pk, "keywords": job_keywords(job)}])
            facts: dict[str, Any] = {
                "seller_job_id": pack.seller_job_id,
                "needs_location": job.needs_location,
            }
            if job.was_received_late:
                facts["received_late"] = True
            job_events.record_received(job=job, by=SELLER, occurred_at=occurred_at, facts=facts)
    return Creation(job, already_known=False) if job else _existing_job(pack)


def _existing_job(pack: JobPack) -> Creation:
    # the row as a cancellation that is committing leaves it: answering "known" for that job would lose it
    job = Job.objects.select_for_update().get(seller_job_id=pack.seller_job_id)
    if job.state == JobState.CANCELLED:
        raise JobCancelled(job)
    if job.content_sha256 != pack.content_sha256:
        raise DuplicateJob(job)
    return Creation(job, already_known=True)


def columns_of(pack: JobPack) -> dict[str, Any]:
    """The row of a new job."""
    premises, advice = pack.premises, pack.advice
    return {
        "provider_job_id": new_provider_job_id(),
        "seller_job_id": pack.seller_job_id,
        "content_sha256": pack.content_sha256,
        "job_type": pack.job_type,
        "state": JobState.UNASSIGNED,
        "last_event_seq": 1,
        "received_at": timezone.now(),
        "buyer_order_reference": pack.buyer_order_reference,
        "seller_order_reference": pack.seller_order_reference,
        "service_identifier": pack.service_identifier,
        "product_name": pack.product_name,
        "line_profile": pack.line_profile,
        "reservation_key": pack.reservation_key,
        "uprn": premises.uprn,
        "address_lines": list(premises.address.lines),
        "town": premises.address.town,
        "postcode": premises.address.postcode,
        "postcode_key": postcode_key(premises.address.postcode),
        "latitude": premises.latitude,
        "longitude": premises.longitude,
        "classification": premises.classification,
        "flags": list(premises.flags),
        "contact_name": pack.contact.name,
        "contact_phone": pack.contact.phone,
        "contact_email": pack.contact.email,
        "access_restrictions": advice.access_restrictions,
        "preferred_ont_location": advice.preferred_ont_location,
        "hazards": advice.hazards,
        "site_notes": advice.notes,
        "window_start": pack.window_start,
        "window_end": pack.window_end,
        "duration_minutes": pack.duration_minutes or _usual_minutes(pack),
        "ont_vendor": pack.ont.vendor,
        "ont_model": pack.ont.model,
        "ont_fsan": pack.ont.fsan,
        "ont_serial_number": pack.ont.serial_number,
        "network": pack.network,
        "previous_provider_job_id": pack.previous_provider_job_id,
        "fault": pack.fault.as_json() if pack.fault else {},
    }


def _usual_minutes(pack: JobPack) -> int:
    """Of this type and product, with what its property flags add."""
    usual = usual_minutes(job_type=pack.job_type, product=pack.product_name, flags=pack.premises.flags)
    return min(usual, MAX_MINUTES)


def is_started(job: Job) -> bool:
    """Whether an engineer is or was on site, so that the seller cannot cancel it any more: also while a colleague is on
    the way to a job that was begun (job-messages.md, cancelJob)."""
    return job.state == JobState.ON_SITE or job_events.has_been_on_site(job)


@transaction.atomic
def cancel_job(
    *, job: Job, reason_code: str = "", reason: str = "", occurred_at: datetime | None = None
) -> None:
    """The seller takes the job back (job-messages.md, cancelJob); received twice it is done once.

    Raises JobAlreadyStarted from on site on, JobAlreadyClosed after that.
    """
    job = job_events.lock_job(job)
    if job.state == JobState.CANCELLED:
        return
    if job.state == JobState.CLOSED:
        raise JobAlreadyClosed(job)
    if is_started(job):
        raise JobAlreadyStarted(job)
    facts = {"reason_code": reason_code, "reason": reason}
    job_events.record_event(
        job=job, kind=EventKind.CANCELLED, by=SELLER, occurred_at=occurred_at, facts=facts
    )
    visit = job.visits.current().select_related("engineer__user").first()
    if visit and visit.travel_started_at:
        attention.report_cancelled_en_route(job, visit)
    # the visit stays with the engineer, ended, so that the phone still shows what became of it
    job.visits.current().update(ended_at=timezone.now())


@dataclass(frozen=True)
class ProvisioningAnswer:
    """What the seller reported about a scan; `scan_id` None: about the newest scan."""

    result_id: int
    success: bool
    details: str
    scan_id: UUID | None = None


@transaction.atomic
def record_provisioning(*, job: Job, answer: ProvisioningAnswer, occurred_at: datetime) -> ProvisioningResult:
    """Keep a provisioning result; one that is older than what we have changes nothing. For a job that is over, or that
    nobody began, it is a late fact (job-messages.md, notifyJob). Raises ScanOfAnotherJob."""
    job = job_events.lock_job(job)
    now, scan = timezone.now(), _scan_of_result(job, answer.scan_id, occurred_at)
    result = ProvisioningResult.objects.create(
        job=job,
        scan=scan,
        result_id=answer.result_id,
        success=answer.success,
        details=answer.details,
        occurred_at=occurred_at,
        recorded_at=now,
        counts_from=result_counts_from(job, scan, occurred_at=occurred_at, now=now),
    )
    facts: dict[str, Any] = {
        "result_id": answer.result_id,
        "success": answer.success,
        "details": answer.details,
        "scan_id": str(answer.scan_id or ""),
        "scan_known": result.scan_id is not None,
    }
    deciding = deciding_result(job)
    if deciding != result:
        facts["changes_nothing"] = True
    if deciding and deciding != result and deciding.scan_id == result.scan_id:
        facts["older_than_result"] = deciding.result_id
    if deciding == result and result.scan:
        attention.report_provisioning(result)
    kind = EventKind.ONT_PROVISIONED
    if not (is_legal(kind, state=JobState(job.state)) and job_events.has_been_on_site(job)):
        facts |= {"what": kind, "state_then": job.state}
        kind = EventKind.REPORTED_LATE
    job_events.record_event(job=job, kind=kind, by=SELLER, occurred_at=occurred_at, facts=facts)
    return result


def _scan_of_result(job: Job, scan_id: UUID | None, occurred_at: datetime) -> OntScan | None:
    """The scan that the seller names; an id we never sent is kept without a scan, nothing is guessed."""
    if scan_id is None:
        return scan_at(job, occurred_at)
    scan = OntScan.objects.filter(scan_id=scan_id).first()
    if scan and scan.job_id != job.pk:
        raise ScanOfAnotherJob(str(scan_id))
    return scan


def submit_job(*, job: LockedJob, by: Performer, occurred_at: datetime, facts: dict[str, Any]) -> JobEvent:
    """The engineer is done; the office decides whether the job is closed like this. Raises IllegalEvent."""
    event = job_events.record_event(
        job=job, kind=EventKind.SUBMITTED, by=by, occurred_at=occurred_at, facts=facts
    )
    job.visits.current().update(ended_at=timezone.now())
    return event


def send_back_job(*, job: LockedJob, by: Performer, facts: dict[str, Any]) -> JobEvent:
    """The engineer has to do something again: the visit goes on. Raises IllegalEvent."""
    event = job_events.record_event(job=job, kind=EventKind.SENT_BACK, by=by, facts=facts)
    job.visits.active().update(ended_at=None)
    return event


def close_job(*, job: LockedJob, by: Performer, occurred_at: datetime, facts: dict[str, Any]) -> JobEvent:
    """The job is over; whether it may be is decided above (closures.closing). Raises IllegalEvent."""
    event = job_events.record_event(
        job=job, kind=EventKind.CLOSED, by=by, occurred_at=occurred_at, facts=facts
    )
    job.visits.current().update(ended_at=timezone.now())
    return event
