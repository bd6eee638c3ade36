"""Verbs about answers: give one, take one back. A new answer to the same question replaces the old one."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from closures import answer_validation, flow, matrix_versions
from closures.answer_validation import BadAnswer
from closures.matrix import PICTURE_KINDS, Question
from closures.models import Answer, Photo
from dispatch import job_events
from dispatch.models import Job
from dispatch.problems import ActionRefused, Problem
from engineers.models import Engineer


class JobIsClosed(ActionRefused):
    """Answers of a closed or cancelled job do not change any more."""

    def __init__(self, job: Job) -> None:
        sentence = _("Job %(job)s can no longer be changed. Its status is “%(state)s”.")
        given = {"job": job, "state": job.get_state_display()}
        super().__init__([Problem("job_is_over", "job", sentence % given)])


@transaction.atomic
def record_answer(
    *, job: Job, question_code: str, value: Any, answered_at: datetime, by: Engineer | None
) -> Answer:
    """Keep one answer with the text that was shown. Raises BadAnswer, JobIsOver.

    The same value again is the answer already given: nothing changes.
    """
    job = job_events.lock_job(job)
    if not job.is_open:
        raise JobIsClosed(job)
    matrix = matrix_versions.matrix_for_job(job)
    question = matrix.find(question_code)
    if question is None or job.job_type not in question.job_types:
        where = f"question:{question_code}"
        sentence = _("This job has no question %(question)s.")
        raise BadAnswer([Problem("unknown_question", where, sentence % {"question": question_code})])
    kept = answer_validation.validate(question, value)
    standing = Answer.objects.active().filter(job=job, question_code=question_code).first()
    if standing and standing.value == kept:
        return standing
    if question.is_picture:
        _check_pictures(kept, job=job, question=question, by=by)
    _withdraw(standing)
    return Answer.objects.create(
        job=job,
        question_code=question.code,
        question_text=question.text,
        kind=question.kind,
        value=kept,
        answer_text=_words(question, kept),
        matrix_edition=matrix.edition,
        answered_at=answered_at,
        recorded_at=timezone.now(),
        by=by,
    )


def _check_pictures(ids: list[str], *, job: Job, question: Question, by: Engineer | None) -> None:
    """A photo proves one answer of one job only: it was announced for this question, by whoever answers.

    A colleague who takes the job over keeps the photos that answered the question before. Raises BadAnswer.
    """
    announced = Photo.objects.filter(pk__in=ids, job=job, question_code=question.code)
    before = {one for value in _validated_value(job, question) for one in value}
    fitting = {str(one.pk) for one in announced if by is None or one.by_id == by.pk or str(one.pk) in before}
    if not fitting.issuperset(ids):
        message = _("This photo belongs to another question. Take a new photo for this one.")
        raise BadAnswer([Problem("photo_of_another_answer", f"question:{question.code}", message)])


def _validated_value(job: Job, question: Question) -> list[list[str]]:
    answers = Answer.objects.filter(job=job, question_code=question.code)
    return list(answers.values_list("value", flat=True))


def _words(question: Question, kept: Any) -> str:
    """A signature is shown with the name of who signed, which came with its picture."""
    if question.kind == "signature":
        signer = Photo.objects.filter(pk__in=kept).exclude(signer="").values_list("signer", flat=True).first()
        if signer:
            return f"Signed by {signer}"
    return answer_validation.stored_text(question, kept)


@transaction.atomic
def withdraw_answer(*, job: Job, question_code: str) -> None:
    """Take an answer back; it stays as history. Raises JobIsOver; an unanswered question is left alone."""
    job = job_events.lock_job(job)
    if not job.is_open:
        raise JobIsClosed(job)
    _withdraw(Answer.objects.active().filter(job=job, question_code=question_code).first())


def _withdraw(answer: Answer | None) -> None:
    if answer is not None:
        answer.withdrawn_at = timezone.now()
        answer.save(update_fields=["withdrawn_at"])


def current_answers(job: Job) -> dict[str, Any]:
    """The standing answers by question code, as `flow` and `rules` take them."""
    return dict(Answer.objects.active().filter(job=job).values_list("question_code", "value"))


def claim_unreported(job: Job) -> list[Answer]:
    """The answers that the seller has not heard of, for the event that is being recorded: marked as reported, under
    the job's lock. Photos and signatures wait for the closing; a changed answer is a new one."""
    waiting = Answer.objects.active().filter(job=job, reported_at=None).exclude(kind__in=PICTURE_KINDS)
    if not waiting.exists():
        return []
    found = [
        answer
        for answer in applicable_answers(job, closure_code="")
        if answer.reported_at is None and answer.kind not in PICTURE_KINDS
    ]
    Answer.objects.filter(pk__in=[answer.pk for answer in found]).update(reported_at=timezone.now())
    return found


def applicable_answers(job: Job, *, closure_code: str) -> list[Answer]:
    """The standing answers whose question is still asked, in the order of the matrix.

    An answer behind a condition that no longer holds (asked first, then the earlier answer was changed) stays
    as history and is not told to the seller.
    """
    asked = flow.list_questions(
        matrix_versions.matrix_for_job(job),
        job_type=job.job_type,
        answers=current_answers(job),
        closure_code=closure_code,
    )
    place = {question.code: number for number, question in enumerate(asked)}
    standing = Answer.objects.active().filter(job=job, question_code__in=place)
    return sorted(standing, key=lambda answer: place[answer.question_code])
