"""Verbs about answers: give one, take one back. A new answer to the same question replaces the old one."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from closures import answer_validation, flow
from closures.answer_validation import BadAnswer
from closures.models import Answer, Photo
from closures.question_matrix.matrix import PICTURE_KINDS, Question
from closures.question_matrix.matrix_editions import matrix_for_job
from dispatch.job_events import LockedJob
from dispatch.models import Job
from dispatch.problems import ActionRefused, Problem
from dispatch.states import JobState
from engineers.models import Engineer


class JobIsClosed(ActionRefused):
    """Answers of a closed or cancelled job do not change any more."""

    def __init__(self, job: Job) -> None:
        sentence = _("Job %(job)s can no longer be changed. Its status is “%(state)s”.")
        parameters = {"job": job, "state": job.get_state_display()}
        super().__init__([Problem("job_is_over", "job", sentence % parameters)])


def record_answer(
    *, job: LockedJob, question_code: str, value: Any, answered_at: datetime, by: Engineer | None
) -> Answer:
    """Keep one answer with the text that was shown. Raises BadAnswer, JobIsClosed.

    The same value again is the answer already given: nothing changes. A colleague's answer to a safety question is
    replaced all the same.
    """
    if not _can_change(job):
        raise JobIsClosed(job)
    matrix = matrix_for_job(job)
    question = matrix.find(question_code)
    if question is None or job.job_type not in question.job_types:
        where = f"question:{question_code}"
        sentence = _("This job has no question %(question)s.")
        raise BadAnswer([Problem("unknown_question", where, sentence % {"question": question_code})])
    validated = answer_validation.validate(question, value)
    active = Answer.objects.active().filter(job=job, question_code=question_code).first()
    is_own = active is not None and (question.stage != "safety" or by is None or active.by_id == by.pk)
    if active and is_own and active.value == validated:
        return active
    if question.is_picture:
        _check_pictures(validated, job=job, question=question, by=by)
    _withdraw(active)
    return Answer.objects.create(
        job=job,
        question_code=question.code,
        question_text=question.text,
        kind=question.kind,
        value=validated,
        answer_text=_display_text(question, validated),
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
    before = {photo_id for value in _validated_value(job, question) for photo_id in value}
    fitting = {
        str(photo.pk) for photo in announced if by is None or photo.by_id == by.pk or str(photo.pk) in before
    }
    if not fitting.issuperset(ids):
        message = _("This photo belongs to another question. Take a new photo for this one.")
        raise BadAnswer([Problem("photo_of_another_answer", f"question:{question.code}", message)])


def _validated_value(job: Job, question: Question) -> list[list[str]]:
    answers = Answer.objects.filter(job=job, question_code=question.code)
    return list(answers.values_list("value", flat=True))


def _display_text(question: Question, validated: Any) -> str:
    if question.is_picture:
        return _picture_text(question.kind, validated)
    return answer_validation.stored_text(question, validated)


def _picture_text(kind: str, ids: list[str]) -> str:
    """A signature is shown with the name of who signed, which came with its picture."""
    if kind == "signature":
        signer = Photo.objects.filter(pk__in=ids).exclude(signer="").values_list("signer", flat=True).first()
        if signer:
            return f"Signed by {signer}"
    return answer_validation.stored_picture_text(kind, len(ids))


def withdraw_answer(*, job: LockedJob, question_code: str) -> None:
    """Take an answer back; it stays as history. Raises JobIsClosed; an unanswered question is left alone."""
    if not _can_change(job):
        raise JobIsClosed(job)
    _withdraw(Answer.objects.active().filter(job=job, question_code=question_code).first())


def _can_change(job: Job) -> bool:
    """What the office is reviewing does not change under its eyes."""
    return job.is_open and job.state != JobState.IN_REVIEW


def _withdraw(answer: Answer | None) -> None:
    if answer is not None:
        answer.withdrawn_at = timezone.now()
        answer.save(update_fields=["withdrawn_at"])


def send_back_answer(*, answer: Answer, photo_id: str = "") -> None:
    """The office wants it again: the question is open, or, where it has more photos, misses this one. `photo_id` is one
    of the answer's pictures."""
    remaining = [value for value in answer.value if value != photo_id] if photo_id else []
    _withdraw(answer)
    if remaining:
        now = timezone.now()
        answer.pk, answer.withdrawn_at, answer.value = None, None, remaining
        answer.answer_text = _picture_text(answer.kind, remaining)
        answer.recorded_at = now
        answer._state.adding = True
        answer.save()


def current_answers(job: Job) -> dict[str, Any]:
    """The active answers by question code, whoever gave them."""
    return {answer.question_code: answer.value for answer in active_answers(job)}


def counting_answers(job: Job, *, engineer_id: int | None) -> dict[str, Any]:
    """The active answers by question code, as `flow` and `rules` take them. Of the safety questions only what this
    engineer answered, who has the job: nobody else knows whether it is safe for whoever is there now."""
    safety = {question.code for question in matrix_for_job(job).questions if question.stage == "safety"}
    return {
        answer.question_code: answer.value
        for answer in active_answers(job)
        if answer.question_code not in safety or answer.by_id in {None, engineer_id}
    }


def active_answers(job: Job) -> list[Answer]:
    """Those that stand, in the order of `job.answers`; no query where these were fetched before."""
    return [answer for answer in job.answers.all() if answer.withdrawn_at is None]


def photos_in_no_answer(photos: Iterable[Photo], answers: Iterable[Answer]) -> set[UUID]:
    """Which of these photos were deleted, taken again or refused; `answers` are all of their jobs, withdrawn ones too.

    An answer follows its photos, and the label's photo belongs to a scan: without any answer to its question a photo is
    none of these.
    """
    asked, answered = set(), set()
    for answer in answers:
        asked.add((answer.job_id, answer.question_code))
        if answer.withdrawn_at is None and answer.kind in PICTURE_KINDS:
            answered.update(answer.value)
    return {
        photo.pk
        for photo in photos
        if (photo.job_id, photo.question_code) in asked and str(photo.pk) not in answered
    }


def claim_unreported(job: Job, *, at: datetime) -> list[Answer]:
    """The answers that the seller has not received, for the event that is being recorded: marked as reported at this
    moment, under the job's lock. Photos and signatures wait for the closing; a changed answer is a new one."""
    waiting = Answer.objects.active().filter(job=job, reported_at=None).exclude(kind__in=PICTURE_KINDS)
    if not waiting.exists():
        return []
    found = [
        answer
        for answer in applicable_answers(job, closure_code="")
        if answer.reported_at is None and answer.kind not in PICTURE_KINDS
    ]
    Answer.objects.filter(pk__in=[answer.pk for answer in found]).update(reported_at=at)
    return found


def applicable_answers(job: Job, *, closure_code: str) -> list[Answer]:
    """The active answers whose question is still asked, in the order of the matrix.

    An answer behind a condition that no longer holds (asked first, then the earlier answer was changed) stays
    as history and is not sent to the seller.
    """
    active = {answer.question_code: answer for answer in active_answers(job)}
    asked = flow.list_questions(
        matrix_for_job(job),
        job_type=job.job_type,
        answers={code: answer.value for code, answer in active.items()},
        closure_code=closure_code,
    )
    return [active[question.code] for question in asked if question.code in active]
