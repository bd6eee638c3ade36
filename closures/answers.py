"""Verbs about answers: give one, take one back. A new answer to the same question replaces the old one."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from closures import editions, flow, values
from closures.matrix import Question
from closures.models import Answer, Photo
from closures.values import BadAnswer
from dispatch import history
from dispatch.models import Job
from dispatch.problems import Problem, Refused
from engineers.models import Engineer


class JobIsOver(Refused):
    """Answers of a closed or cancelled job do not change any more."""

    def __init__(self, job: Job) -> None:
        super().__init__([Problem("job_is_over", "job", f"Job {job} is {job.get_state_display().lower()}.")])


@transaction.atomic
def give(*, job: Job, question_code: str, value: Any, answered_at: datetime, by: Engineer | None) -> Answer:
    """Keep one answer with the text that was shown. Raises BadAnswer, JobIsOver.

    The same value again is the answer already given: nothing changes.
    """
    job = history.lock(job)
    if not job.is_open:
        raise JobIsOver(job)
    matrix = editions.of(job)
    question = matrix.find(question_code)
    if question is None or job.job_type not in question.job_types:
        where = f"question:{question_code}"
        raise BadAnswer(
            [Problem("unknown_question", where, f"There is no question {question_code} for this job.")]
        )
    kept = values.clean(question, value)
    standing = Answer.objects.standing().filter(job=job, question_code=question_code).first()
    if standing and standing.value == kept:
        return standing
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


def _words(question: Question, kept: Any) -> str:
    """A signature is shown with the name of who signed, which came with its picture."""
    if question.kind == "signature":
        signer = Photo.objects.filter(pk__in=kept).exclude(signer="").values_list("signer", flat=True).first()
        if signer:
            return f"Signed by {signer}"
    return values.shown(question, kept)


@transaction.atomic
def withdraw(*, job: Job, question_code: str) -> None:
    """Take an answer back; it stays as history. Raises JobIsOver; an unanswered question is left alone."""
    job = history.lock(job)
    if not job.is_open:
        raise JobIsOver(job)
    _withdraw(Answer.objects.standing().filter(job=job, question_code=question_code).first())


def _withdraw(answer: Answer | None) -> None:
    if answer is not None:
        answer.withdrawn_at = timezone.now()
        answer.save(update_fields=["withdrawn_at"])


def given(job: Job) -> dict[str, Any]:
    """The standing answers by question code, as `flow` and `rules` take them."""
    return dict(Answer.objects.standing().filter(job=job).values_list("question_code", "value"))


def that_count(job: Job, *, closure_code: str) -> list[Answer]:
    """The standing answers whose question is still asked, in the order of the matrix.

    An answer behind a condition that no longer holds (asked first, then the earlier answer was changed) stays
    as history and is not told to the seller.
    """
    asked = flow.asked(editions.of(job), job_type=job.job_type, answers=given(job), closure_code=closure_code)
    place = {question.code: number for number, question in enumerate(asked)}
    standing = Answer.objects.standing().filter(job=job, question_code__in=place)
    return sorted(standing, key=lambda answer: place[answer.question_code])
