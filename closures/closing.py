"""Close a job: all problems first, then closure, event and message in one transaction."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from closures import answers, closure_validation, codes, matrix_versions
from closures.closure_validation import ClosingContext
from closures.codes import ClosureCode
from closures.models import Closure, Photo
from dispatch import job_events, jobs, ont_scans, visits
from dispatch.job_events import IllegalEvent, Performer
from dispatch.models import Job
from dispatch.plan_versions import refuse_changed_plan
from dispatch.problems import ActionRefused, Problem, blocking_problems
from dispatch.states import EventKind, JobState, is_legal
from engineers.models import Engineer


class ClosureRefused(ActionRefused):
    """The job cannot be closed like this; nothing has changed."""


@dataclass(frozen=True)
class Outcome:
    """How somebody wants to close a job; `without_visit` when nobody attended and the office closes it."""

    code: str
    secondary_code: str = ""
    remarks: str = ""
    without_visit: bool = False


def office_closure_codes(job: Job) -> list[ClosureCode]:
    """What a dispatcher may close the job with while nobody is there. The codes of a job that nobody went to fall away
    once somebody was on site, as before a handover."""
    return [codes.OTHER] if job_events.has_been_on_site(job) else codes.without_visit(job.job_type)


def attending_engineer(job: Job) -> Engineer | None:
    """Who was on site last; the seller is told that engineer with the closure (job-messages.md, closeJob)."""
    visit = job.visits.exclude(arrived_at=None).select_related("engineer").order_by("arrived_at").last()
    return visit.engineer if visit else None


def preview_close(*, job: Job, ending: Outcome) -> list[Problem]:
    """Everything that is in the way of this closure, warnings included; changes nothing."""
    return closure_validation.closure_problems(closing_context(job=job, ending=ending))


def closing_context(*, job: Job, ending: Outcome) -> ClosingContext:
    """The job's facts as the rules take them."""
    stored = Photo.objects.stored().filter(job=job).values_list("pk", "question_code")
    return ClosingContext(
        matrix=matrix_versions.matrix_for_job(job),
        job_type=job.job_type,
        state=job.state,
        code=ending.code,
        secondary_code=ending.secondary_code,
        remarks=ending.remarks,
        without_visit=ending.without_visit,
        answers=answers.current_answers(job),
        photos_stored={str(pk): question_code for pk, question_code in stored},
        scanned=ont_scans.newest_scan(job) is not None,
        provisioned=ont_scans.is_provisioned(job),
        network_type=str(job.network.get("type", "")),
    )


@transaction.atomic
def close_job(
    *,
    job: Job,
    ending: Outcome,
    by: Performer,
    closed_at: datetime,
    engineer: Engineer | None,
    seen: str | None = None,
) -> Closure:
    """Write the closure and the event that tells the seller. Raises PlanChanged, ClosureRefused, IllegalEvent.

    `engineer` is who was there, None when nobody was; a dispatcher decided on the plan version `seen`.
    """
    job = job_events.lock_job(job)
    if seen is not None:
        refuse_changed_plan(job, visit=visits.current_visit(job), seen=seen)
    if not is_legal(EventKind.CLOSED, state=JobState(job.state)):
        raise IllegalEvent(job=job, kind=EventKind.CLOSED, state=JobState(job.state))
    refusals = blocking_problems(preview_close(job=job, ending=ending))
    if refusals:
        raise ClosureRefused(refusals)
    code = codes.find_code(ending.code)
    secondary = code.secondary(ending.secondary_code)
    closure = Closure.objects.create(
        job=job,
        code=code.code,
        description=code.description,
        secondary_code=secondary.code if secondary else "",
        secondary_description=secondary.description if secondary else "",
        remarks=ending.remarks,
        closed_at=closed_at,
        recorded_at=timezone.now(),
        engineer=engineer,
        by_name=by.name,
        without_visit=code.without_visit or ending.without_visit,
    )
    # the closure first: the event's message to the seller is built from it
    jobs.close_job(job=job, by=by, occurred_at=closed_at, facts=_facts(closure))
    return closure


def _facts(closure: Closure) -> dict[str, str]:
    return {
        "code": closure.code,
        "description": closure.description,
        "secondary_code": closure.secondary_code,
        "secondary_description": closure.secondary_description,
    }
