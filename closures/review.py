"""The office's look at a closure before the seller gets it (CLOSURE_REVIEW): approve it, or send something back.

While a job is in review nothing of it changes but provisioning results, and the seller has the engineer on site. A
photo that comes late is stored all the same. The second of two decisions is refused with who decided first.
"""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from closures import answers, closing, closure_validation
from closures.closing import Outcome
from closures.models import Answer, Closure
from closures.position_proofs import lacks_position
from closures.question_matrix.matrix import PICTURE_KINDS
from dispatch import job_events, jobs
from dispatch.job_events import LockedJob, Performer
from dispatch.models import Job
from dispatch.problems import ActionRefused, Problem, blocking_problems
from dispatch.states import EventKind, JobState
from monitoring.alarms import clear_alarm
from monitoring.models import AlarmKind


class ReviewOver(ActionRefused):
    """Somebody decided before, or the job has changed since this person looked at it; nothing has changed."""


class ReviewRefused(ActionRefused):
    """The decision cannot be carried out like this; nothing has changed."""


@dataclass(frozen=True)
class ReviewItem:
    """What is sent back: the answer to a question, or one photo of it."""

    question_code: str
    photo_id: str = ""


def review_problems(job: Job) -> list[Problem]:
    """What speaks against the closure that waits: warnings, and what has come to block it since; none without one."""
    closure = Closure.objects.filter(job=job).first()
    if closure is None or closure.without_visit:
        return []
    outcome = Outcome(closure.code, closure.secondary_code, closure.remarks)
    context = closing.closing_context(job=job, outcome=outcome)
    # the engineer was there when it was written
    checked = {answer["question"] for answer in closure.checked_answers}
    found = closure_validation.closure_problems(replace(context, state=JobState.ON_SITE, checked=checked))
    return [*found, *_position_problems(job, closure)]


def _position_problems(job: Job, closure: Closure) -> list[Problem]:
    """For the office alone: the engineer cannot give a position afterwards."""
    if not lacks_position(job, closure):
        return []
    message = _(
        "No access, but neither “On site” nor a photo has a position: nothing shows where the engineer was."
    )
    return [Problem("no_position", "closure", message, blocks=False)]


def approve(*, job: LockedJob, by: Performer, seen: int) -> None:
    """Close the job as the engineer did, and so tell the seller. `seen` is the number of the newest event that the
    person saw. Raises ReviewOver, ReviewRefused."""
    _refuse_unless_in_review(job, seen)
    refusals = blocking_problems(review_problems(job))
    if refusals:
        raise ReviewRefused(refusals)
    closure = Closure.objects.get(job=job)
    # who closed it is the user of its SUBMITTED event
    facts = {**closing.closure_facts(closure), "reviewed": True}
    jobs.close_job(job=job, by=by, occurred_at=closure.closed_at, facts=facts)
    clear_alarm(AlarmKind.CLOSURE_REVIEW, job.provider_job_id)


def send_back(*, job: LockedJob, by: Performer, seen: int, items: list[ReviewItem], reason: str) -> None:
    """Open these questions again and put the job back on site, with the reason for the engineer. The closure itself
    stays in the history. Raises ReviewOver, ReviewRefused."""
    _refuse_unless_in_review(job, seen)
    reason = reason.strip()
    active = {answer.question_code: answer for answer in Answer.objects.active().filter(job=job)}
    _refuse_bad_request(items, reason, active)
    closure = Closure.objects.get(job=job)
    facts = {
        "reason": reason,
        "items": [_item_facts(item, active[item.question_code]) for item in items],
        "closure": {**closing.closure_facts(closure), "remarks": closure.remarks},
    }
    for item in items:
        # of several photos of one question each is taken out in turn
        answer = Answer.objects.active().filter(job=job, question_code=item.question_code).first()
        if answer:
            answers.send_back_answer(answer=answer, photo_id=item.photo_id)
    closure.delete()
    jobs.send_back_job(job=job, by=by, facts=facts)
    clear_alarm(AlarmKind.CLOSURE_REVIEW, job.provider_job_id)


def _item_facts(item: ReviewItem, answer: Answer) -> dict[str, str]:
    return {"question": item.question_code, "text": answer.question_text, "photo": item.photo_id}


def _refuse_bad_request(items: list[ReviewItem], reason: str, active: dict[str, Answer]) -> None:
    found = []
    if not items:
        message = _("Choose at least one answer or photo to send back.")
        found.append(Problem("nothing_chosen", "items", message))
    if not reason:
        message = _("Enter a reason. The engineer sees it on the phone.")
        found.append(Problem("reason_missing", "reason", message))
    for item in items:
        answer = active.get(item.question_code)
        if answer is None or not _has_photo(answer, item.photo_id):
            message = _("%(question)s no longer has this answer.") % {"question": item.question_code}
            found.append(Problem("unknown_item", "items", message))
    if found:
        raise ReviewRefused(found)


def _has_photo(answer: Answer, photo_id: str) -> bool:
    """Whether the photo is one of the answer's; without an id the answer as a whole is meant."""
    return not photo_id or (answer.kind in PICTURE_KINDS and photo_id in answer.value)


def _refuse_unless_in_review(job: LockedJob, seen: int) -> None:
    if job.state == JobState.IN_REVIEW and job.last_event_seq == seen:
        return
    raise ReviewOver([Problem("review_over", "review", _why_over(job))])


def _why_over(job: Job) -> str:
    newest = job_events.newest_event(job)
    parameters = {
        "event": EventKind(newest.kind).label,
        "who": newest.user.display_name if newest.user else newest.get_actor_display(),
    }
    if job.state == JobState.IN_REVIEW:
        return (
            _("The job has changed since you looked at it (%(event)s, %(who)s). Look at it again.")
            % parameters
        )
    return _("This review has ended: %(event)s, %(who)s.") % parameters
