"""Close a job: all problems first, then closure, event and message in one transaction."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from closures import answers, codes, editions, rules
from closures.models import Closure, Photo
from closures.rules import Finding
from dispatch import history, jobs, scans
from dispatch.history import By, IllegalEvent
from dispatch.models import Job
from dispatch.problems import Problem, Refused, blocking
from dispatch.states import EventKind, JobState, is_legal
from engineers.models import Engineer


class ClosureRefused(Refused):
    """The job cannot be closed like this; nothing has changed."""


@dataclass(frozen=True)
class Ending:
    """How somebody wants to close a job."""

    code: str
    secondary_code: str = ""
    remarks: str = ""


def preview_close(*, job: Job, ending: Ending) -> list[Problem]:
    """Everything that is in the way of this closure, warnings included; changes nothing."""
    return rules.problems(finding(job=job, ending=ending))


def finding(*, job: Job, ending: Ending) -> Finding:
    """The job's facts as the rules take them."""
    stored = Photo.objects.stored().filter(job=job).values_list("pk", flat=True)
    return Finding(
        matrix=editions.of(job),
        job_type=job.job_type,
        state=job.state,
        code=ending.code,
        secondary_code=ending.secondary_code,
        remarks=ending.remarks,
        answers=answers.given(job),
        photos_stored=frozenset(str(pk) for pk in stored),
        scanned=scans.newest_scan(job) is not None,
        provisioned=scans.is_provisioned(job),
        network_type=str(job.network.get("type", "")),
    )


@transaction.atomic
def close_job(*, job: Job, ending: Ending, by: By, closed_at: datetime, engineer: Engineer | None) -> Closure:
    """Write the closure and the event that tells the seller. Raises ClosureRefused, IllegalEvent.

    `engineer` is who was there; None for a closure without a visit by a dispatcher.
    """
    job = history.lock(job)
    if not is_legal(EventKind.CLOSED, state=JobState(job.state)):
        raise IllegalEvent(job=job, kind=EventKind.CLOSED, state=JobState(job.state))
    refusals = blocking(preview_close(job=job, ending=ending))
    if refusals:
        raise ClosureRefused(refusals)
    code = codes.find(ending.code)
    secondary = code.secondary(ending.secondary_code)
    closure = Closure.objects.create(
        job=job,
        code=ending.code,
        description=code.description,
        secondary_code=secondary.code if secondary else "",
        secondary_description=secondary.description if secondary else "",
        remarks=ending.remarks,
        closed_at=closed_at,
        recorded_at=timezone.now(),
        engineer=engineer,
        by_name=by.name,
        without_visit=code.without_visit,
    )
    # the closure first: the event's message to the seller is built from it
    jobs.close(job=job, by=by, occurred_at=closed_at, facts=_facts(closure))
    return closure


def _facts(closure: Closure) -> dict[str, str]:
    return {
        "code": closure.code,
        "description": closure.description,
        "secondary_code": closure.secondary_code,
        "secondary_description": closure.secondary_description,
    }
