"""A closure that waits for the office: what speaks against it, and what the office decides: approve it, or send
something back.
"""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from board.jobs.actions import dispatcher_of, job_or_404, run_action, run_form
from board.jobs.answer_presenter import AnswerLine, answer_lines
from board.jobs.corrections import CorrectableForm, CorrectionChoice
from board.jobs.evidence_presenter import PhotoLine, photo_lines
from board.jobs.forms import reason_field
from closures import review
from closures.models import Closure, Photo
from dispatch import job_events
from dispatch.models import Job
from dispatch.states import JobState
from engineers.input_values import read_number
from engineers.models import Right
from engineers.permissions import for_right


@dataclass(frozen=True)
class ReviewLine:
    """One choice of the form; `value` names an answer or a photo (`read_item`)."""

    value: str
    question: str
    answer: str
    url: str = ""
    small_url: str = ""


@dataclass(frozen=True)
class ReviewView:
    """`blocking` stand in the way of the approval, `warnings` are to be judged."""

    seen: int
    blocking: list[str]
    warnings: list[str]
    answers: list[ReviewLine]
    photos: list[ReviewLine]


def review_view(job: Job, answers: list[AnswerLine], photos: list[PhotoLine]) -> ReviewView | None:
    """None for a job that is not in review."""
    if job.state != JobState.IN_REVIEW or not Closure.objects.filter(job=job).exists():
        return None
    problems = review.review_problems(job)
    answered = {answer.code for answer in answers}
    # a photo that was replaced on the phone is in no answer: nothing could be sent back
    answering = [photo for photo in photos if photo.is_answered and photo.question_code in answered]
    with_photos = {photo.question_code for photo in answering}
    return ReviewView(
        seen=job.last_event_seq,
        blocking=[problem.message for problem in problems if problem.blocks],
        warnings=[problem.message for problem in problems if not problem.blocks],
        answers=[
            ReviewLine(f"{answer.code}:", answer.question, answer.answer)
            for answer in answers
            if answer.code not in with_photos
        ],
        photos=[
            ReviewLine(
                f"{photo.question_code}:{photo.photo_id}",
                photo.question,
                photo.at,
                photo.url,
                photo.small_url,
            )
            for photo in answering
        ],
    )


def load_review(job: Job) -> ReviewView | None:
    """The same of a job alone."""
    photos = photo_lines(job, list(Photo.objects.filter(job=job).select_related("by__user")))
    return review_view(job, answer_lines(job), photos)


def read_item(value: str) -> review.ReviewItem:
    """What ReviewLine.value says: `SAF01:` is an answer, `PHO01:<id>` one of its photos."""
    question_code, _colon, photo_id = value.partition(":")
    return review.ReviewItem(question_code, photo_id)


class SendBackForm(CorrectableForm):
    """`seen`: the number of the newest event on the page; `item` several times (ReviewLine.value)."""

    seen = forms.CharField(required=False)
    item = forms.Field(required=False, widget=forms.SelectMultiple)
    reason = reason_field(gettext_lazy("Reason for the engineer"), most=500)
    button_text = gettext_lazy("Send back to the engineer")

    def list_choices(self, job: Job) -> list[CorrectionChoice]:
        view, chosen = load_review(job), self["item"].value() or []
        lines = [*view.photos, *view.answers] if view else []
        return [
            CorrectionChoice("item", line.value, f"{line.question} {line.answer}", line.value in chosen)
            for line in lines
        ]


@for_right(Right.CLOSE_JOBS)
@require_POST
def approve(request: HttpRequest, job_id: str) -> HttpResponse:
    """Field `seen`: the number of the newest event on the page."""
    job = job_or_404(job_id)

    @transaction.atomic
    def act() -> str:
        seen = read_number(request.POST.get("seen", "")) or 0
        review.approve(job=job_events.lock_job(job), by=dispatcher_of(request), seen=seen)
        return _("%(place)s approved. The seller is being notified.") % {"place": job.title}

    return run_action(request, job, act)


@for_right(Right.CLOSE_JOBS)
@require_POST
def send_back(request: HttpRequest, job_id: str) -> HttpResponse:
    """Fields as SendBackForm has them."""

    @transaction.atomic
    def act(job: Job, data: dict[str, Any]) -> str:
        review.send_back(
            job=job_events.lock_job(job),
            by=dispatcher_of(request),
            seen=read_number(data["seen"]) or 0,
            items=[read_item(value) for value in data["item"] or []],
            reason=data["reason"],
        )
        return _("%(place)s sent back. The engineer sees it on the phone.") % {"place": job.title}

    return run_form(request, job_id, SendBackForm, act)
