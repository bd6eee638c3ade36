"""Close a job: all problems first, then closure, event and message in the caller's transaction."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import prefetch_related_objects
from django.utils import timezone

from closures import answers, closure_validation, codes
from closures.closing_context import ClosingContext
from closures.codes import ClosureCode
from closures.models import Closure
from closures.photos import evidence
from closures.question_matrix.matrix_editions import matrix_for_job
from dispatch import job_events, jobs, ont_scans
from dispatch.job_events import IllegalEvent, LockedJob, Performer
from dispatch.line_checks import is_line_down
from dispatch.models import Job
from dispatch.problems import ActionRefused, blocking_problems
from dispatch.states import Actor, EventKind, JobState, is_legal
from engineers.models import Engineer
from monitoring.alarms import raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind


class ClosureRefused(ActionRefused):
    """The job cannot be closed like this; nothing has changed."""


@dataclass(frozen=True)
class Outcome:
    """How somebody wants to close a job; `without_visit` when nobody attended and the office closes it. `checked`:
    questions whose unusual answers the engineer ticked as checked, None where nobody was asked."""

    code: str
    secondary_code: str = ""
    remarks: str = ""
    without_visit: bool = False
    checked: Collection[str] | None = None


def office_closure_codes(job: Job) -> list[ClosureCode]:
    """What a dispatcher may close the job with while nobody is there. The codes of a job that nobody went to fall away
    once somebody was on site, as before a handover."""
    return [codes.OTHER] if job_events.has_been_on_site(job) else codes.without_visit(job.job_type)


def attending_engineer(job: Job) -> Engineer | None:
    """Who was on site last; the closure sent to the seller names that engineer (job-messages.md, closeJob)."""
    visit = job.visits.exclude(arrived_at=None).select_related("engineer").order_by("arrived_at").last()
    return visit.engineer if visit else None


def closing_context(
    *, job: Job, outcome: Outcome, at: datetime | None = None, engineer: Engineer | None = None
) -> ClosingContext:
    """The job's facts as the rules take them. `at`: when the job was closed, now without it; of the line what was known
    by then, since a closure may arrive hours later. `engineer`: who was there, looked up without it."""
    attending, stored = engineer or attending_engineer(job), evidence.available_photos(job)
    return ClosingContext(
        matrix=matrix_for_job(job),
        job_type=job.job_type,
        state=job.state,
        code=outcome.code,
        secondary_code=outcome.secondary_code,
        remarks=outcome.remarks,
        without_visit=outcome.without_visit,
        answers=answers.counting_answers(job, engineer_id=attending.pk if attending else None),
        photos_stored={str(photo.pk): photo.question_code for photo in stored},
        photo_hashes={str(photo.pk): photo.hashes for photo in stored},
        scanned=ont_scans.newest_scan(job) is not None,
        provisioned=ont_scans.is_provisioned(job),
        network_type=str(job.network.get("type", "")),
        sent_back={item.question_code: item.reason for item in sent_back_items(job)},
        # switched off nobody could check it again, and a closure costs no look-up for it
        line_down=settings.LINE_CHECK.is_on and is_line_down(job, at=at or timezone.now()),
        checked=outcome.checked or (),
        asks_for_checks=outcome.checked is not None,
    )


@dataclass(frozen=True)
class SentBackItem:
    """What the office wants again; `photo_id` is empty for a whole answer."""

    question_code: str
    reason: str
    at: datetime
    photo_id: str = ""


def sent_back_items(job: Job) -> list[SentBackItem]:
    """What was sent back and is not answered since, the newest reason of each question; no query where the events and
    answers of the job were fetched before, none at all without CLOSURE_REVIEW."""
    if not settings.CLOSURE_REVIEW:
        return []
    answered = {answer.question_code: answer.recorded_at for answer in answers.active_answers(job)}
    items: dict[str, SentBackItem] = {}
    for event in job.events.all():
        if event.kind != EventKind.SENT_BACK:
            continue
        reason = event.facts.get("reason", "")
        for item in event.facts["items"]:
            code = item["question"]
            if code not in answered or answered[code] < event.recorded_at:
                items[code] = SentBackItem(code, reason, event.recorded_at, item["photo"])
    return list(items.values())


def needs_review(by: Performer) -> bool:
    """Whether the office looks at a closure of theirs before it is sent."""
    return settings.CLOSURE_REVIEW and by.actor == Actor.ENGINEER


def close_job(
    *,
    job: LockedJob,
    outcome: Outcome,
    by: Performer,
    closed_at: datetime,
    engineer: Engineer | None,
) -> Closure:
    """Write the closure and its event, which the seller receives; with CLOSURE_REVIEW an engineer's closure waits for
    the office (closures.review). Raises ClosureRefused, IllegalEvent.

    `engineer` is who was there, None when nobody was.
    """
    if not is_legal(EventKind.CLOSED, state=JobState(job.state)) or job.state == JobState.IN_REVIEW:
        raise IllegalEvent(job=job, kind=EventKind.CLOSED, state=JobState(job.state))
    # the rules and the message to the seller look at the same rows
    prefetch_related_objects([job], "answers", "photos", "scans", "results")
    context = closing_context(job=job, outcome=outcome, at=closed_at, engineer=engineer)
    refusals = blocking_problems(closure_validation.closure_problems(context))
    if refusals:
        raise ClosureRefused(refusals)
    closure = _write_closure(job, context, by=by, closed_at=closed_at, engineer=engineer)
    # the closure first: the event's message to the seller is built from it
    record = jobs.submit_job if needs_review(by) else jobs.close_job
    record(job=job, by=by, occurred_at=closed_at, facts=closure_facts(closure))
    if needs_review(by):
        _ask_for_review(job, closure)
    return closure


def _ask_for_review(job: Job, closure: Closure) -> None:
    text = coded_text(
        "closure_review",
        job=job.provider_job_id,
        address=job.address,
        engineer=closure.by_name,
        code=closure.code,
    )
    raise_alarm(AlarmKind.CLOSURE_REVIEW, job.provider_job_id, text)


def _write_closure(
    job: Job, context: ClosingContext, *, by: Performer, closed_at: datetime, engineer: Engineer | None
) -> Closure:
    code = context.closure
    secondary = code.secondary(context.secondary_code)
    return Closure.objects.create(
        job=job,
        code=code.code,
        description=code.description,
        secondary_code=secondary.code if secondary else "",
        secondary_description=secondary.description if secondary else "",
        remarks=context.remarks,
        closed_at=closed_at,
        recorded_at=timezone.now(),
        engineer=engineer,
        by_name=by.name,
        without_visit=code.without_visit or context.without_visit,
        checked_answers=_checked_answers(job, context),
    )


def _checked_answers(job: Job, context: ClosingContext) -> list[dict[str, str]]:
    """What did not match the outcome, and was ticked as checked; for our own record, the seller has no field for it."""
    found = {question.code for question in closure_validation.contradicting_questions(context)}
    ticked = found & set(context.checked)
    return [
        {"question": answer.question_code, "text": answer.question_text, "answer": answer.answer_text}
        for answer in answers.active_answers(job)
        if answer.question_code in ticked
    ]


def closure_facts(closure: Closure) -> dict[str, Any]:
    checked = {"checked": closure.checked_answers} if closure.checked_answers else {}
    return checked | {
        "code": closure.code,
        "description": closure.description,
        "secondary_code": closure.secondary_code,
        "secondary_description": closure.secondary_description,
    }
