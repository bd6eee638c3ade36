"""Verbs about jobs: create from a pack, locate, cancel, provisioning results, close."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from dispatch import history, rows
from dispatch.history import SELLER, By
from dispatch.models import Job, JobEvent, OntScan, ProvisioningResult
from dispatch.packs import JobPack
from dispatch.scans import newest_scan
from dispatch.states import DEFAULT_MINUTES, EventKind, JobState, is_legal

# Crockford's letters: nothing that reads like another over the telephone
READABLE = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class JobNotFound(Exception):
    """No job of ours has this id."""


class DuplicateJob(Exception):
    """The seller's job id is known with another content; nothing has changed."""


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
    letters = "".join(secrets.choice(READABLE) for _ in range(8))
    return f"J-{letters[:4]}-{letters[4:]}"


def postcode_key(postcode: str) -> str:
    """`ls6 3ab` and `LS63AB` are found alike."""
    return "".join(postcode.split()).upper()[:20]


def find(provider_job_id: str) -> Job:
    """Raises JobNotFound."""
    job = Job.objects.filter(provider_job_id=provider_job_id).first()
    if job is None:
        raise JobNotFound(provider_job_id)
    return job


def create_job(*, pack: JobPack, occurred_at: datetime | None = None) -> Creation:
    """A job from a pack, once per `seller_job_id`: said again it is `already_known`, with another content
    DuplicateJob. job-messages.md, createJob."""
    # joins the caller's transaction without a savepoint: those two round trips are a tenth of a createJob
    with transaction.atomic(savepoint=False):
        job = rows.insert(Job, _columns(pack), unless_known="seller_job_id")
        if job:
            facts = {"seller_job_id": pack.seller_job_id, "needs_location": job.needs_location}
            history.begin(job=job, by=SELLER, occurred_at=occurred_at, facts=facts)
    return Creation(job, already_known=False) if job else _known(pack)


def _known(pack: JobPack) -> Creation:
    job = Job.objects.get(seller_job_id=pack.seller_job_id)
    if job.content_sha256 != pack.content_sha256:
        raise DuplicateJob(pack.seller_job_id)
    return Creation(job, already_known=True)


def _columns(pack: JobPack) -> dict[str, Any]:
    premises, advice = pack.premises, pack.advice
    return {
        "provider_job_id": new_provider_job_id(),
        "seller_job_id": pack.seller_job_id,
        "content_sha256": pack.content_sha256,
        "job_type": pack.job_type,
        "state": JobState.RECEIVED,
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
        "duration_minutes": pack.duration_minutes or DEFAULT_MINUTES[pack.job_type],
        "ont_vendor": pack.ont.vendor,
        "ont_model": pack.ont.model,
        "ont_fsan": pack.ont.fsan,
        "ont_serial_number": pack.ont.serial_number,
        "network": pack.network,
        "previous_provider_job_id": pack.previous_provider_job_id,
    }


@transaction.atomic
def locate(*, job: Job, latitude: float, longitude: float, by: By, found_by: str = "dispatcher") -> JobEvent:
    """Put the job on the map (WGS 84 degrees). Raises IllegalEvent once it is closed or cancelled."""
    job = history.lock(job)
    facts = {"latitude": latitude, "longitude": longitude, "found_by": found_by}
    event = history.append(job=job, kind=EventKind.LOCATED, by=by, facts=facts)
    job.latitude, job.longitude = latitude, longitude
    job.save(update_fields=["latitude", "longitude"])
    return event


@transaction.atomic
def cancel(*, job: Job, reason_code: str = "", reason: str = "", occurred_at: datetime | None = None) -> None:
    """The seller takes the job back (job-messages.md, cancelJob); said twice it is done once.

    Raises JobAlreadyStarted from on site on, JobAlreadyClosed after that.
    """
    job = history.lock(job)
    if job.state == JobState.CANCELLED:
        return
    if job.state == JobState.CLOSED:
        raise JobAlreadyClosed(job)
    # also while a colleague is on the way to a job that was begun (job-messages.md: until the engineer is on site)
    if job.state == JobState.ON_SITE or history.was_begun(job):
        raise JobAlreadyStarted(job)
    facts = {"reason_code": reason_code, "reason": reason}
    history.append(job=job, kind=EventKind.CANCELLED, by=SELLER, occurred_at=occurred_at, facts=facts)
    # the visit stays with the engineer, ended, so that the phone still shows what became of it
    job.visits.current().update(ended_at=timezone.now())


@dataclass(frozen=True)
class ProvisioningAnswer:
    """What the seller said about a scan; `scan_id` None: about the newest one."""

    result_id: int
    success: bool
    details: str
    scan_id: UUID | None = None


@transaction.atomic
def record_provisioning(*, job: Job, answer: ProvisioningAnswer, occurred_at: datetime) -> ProvisioningResult:
    """Keep a provisioning result. For a job that is over, or that nobody began, it is a late fact (job-messages.md,
    notifyJob)."""
    job = history.lock(job)
    result = ProvisioningResult.objects.create(
        job=job,
        scan=_scan_meant(job, answer.scan_id),
        result_id=answer.result_id,
        success=answer.success,
        details=answer.details,
        occurred_at=occurred_at,
        recorded_at=timezone.now(),
    )
    facts: dict[str, Any] = {
        "result_id": answer.result_id,
        "success": answer.success,
        "details": answer.details,
        "scan_id": str(answer.scan_id or ""),
        "scan_known": result.scan_id is not None,
    }
    kind = EventKind.ONT_PROVISIONED
    if not (is_legal(kind, state=JobState(job.state)) and history.was_begun(job)):
        facts |= {"what": kind, "state_then": job.state}
        kind = EventKind.REPORTED_LATE
    history.append(job=job, kind=kind, by=SELLER, occurred_at=occurred_at, facts=facts)
    return result


def _scan_meant(job: Job, scan_id: UUID | None) -> OntScan | None:
    """The scan that the seller names; an id we never sent is kept without a scan, nothing is guessed."""
    return newest_scan(job) if scan_id is None else job.scans.filter(scan_id=scan_id).first()


@transaction.atomic
def pin_matrix(*, job: Job, edition: str) -> None:
    """Freeze the question edition when work starts; a later edition leaves this job alone."""
    Job.objects.filter(pk=job.pk, matrix_edition="").update(matrix_edition=edition)
    job.refresh_from_db(fields=["matrix_edition"])


@transaction.atomic
def close(*, job: Job, by: By, occurred_at: datetime, facts: dict[str, Any]) -> JobEvent:
    """The job is over; whether it may be is decided above (closures.closing). Raises IllegalEvent."""
    job = history.lock(job)
    event = history.append(job=job, kind=EventKind.CLOSED, by=by, occurred_at=occurred_at, facts=facts)
    job.visits.current().update(ended_at=occurred_at)
    return event
