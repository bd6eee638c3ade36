"""An answer that says a site is unsafe: an alarm in the dispatch office until it is safe again or the job is over."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from closures import answer_validation, answers, flow
from closures.answer_validation import BadAnswer
from closures.question_matrix.matrix import Question
from closures.question_matrix.matrix_editions import matrices_by_edition, matrix_for_job
from closures.question_matrix.translations import readers_language, translated_question
from dispatch.models import Job
from dispatch.states import EventKind
from engineers.models import Engineer
from monitoring import alarms
from monitoring.coded_texts import CodedText, coded_text
from monitoring.models import AlarmKind

# the closing may arrive together with the answer; the office sees the alarm all the same
MIN_ALARM_LENGTH = timedelta(minutes=30)
# another value of these is another danger: it must ring again
DANGER = ("engineer", "question_code", "value")


@dataclass(frozen=True)
class UnsafeAnswer:
    """`engineer`: None where nobody in the field gave the answer."""

    engineer: Engineer | None
    question: Question
    value: Any
    answered_at: datetime


def report_unsafe_site(
    *, job: Job, engineer: Engineer, question: Question, value: Any, answered_at: datetime
) -> None:
    """Raise the alarm for an unsafe answer, also of somebody whose job it is no more; a safe one may end it. An open
    alarm about another danger begins anew: whoever handles that one knows nothing of this one."""
    if value in question.unsafe:
        text = _text(job, engineer, UnsafeAnswer(engineer, question, value, answered_at))
        alarms.raise_or_renew_alarm(AlarmKind.SITE_UNSAFE, job.provider_job_id, text, renewed_by=DANGER)
    elif question.unsafe:
        review_unsafe_sites(job)


def _text(job: Job, engineer: Engineer, answer: UnsafeAnswer) -> CodedText:
    return coded_text(
        "site_unsafe",
        engineer=engineer.name,
        question=answer.question.text,
        answer=answer_validation.stored_text(answer.question, answer.value),
        question_code=answer.question.code,
        value=answer.value,
        matrix_edition=matrix_for_job(job).edition,
        answered_at=answer.answered_at,
        job=job.provider_job_id,
        address=job.address,
        phone=engineer.phone or engineer.name,
    )


def translate_alarm(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Question and answer of an alarm in the reader's language; none of an older alarm, which has only English texts,
    or when the edition is gone."""
    matrix = matrices_by_edition().get(parameters.get("matrix_edition", ""))
    question = matrix.find(parameters["question_code"]) if matrix else None
    if question is None:
        return {}
    translated = translated_question(question, readers_language())
    return {
        "question": translated.text,
        "answer": answer_validation.display(translated, parameters["value"]),
    }


def review_unsafe_sites(job: Job) -> None:
    """An answer was changed or taken back: the alarm is over when none that stands is unsafe; otherwise it names the
    newest of them."""
    found = [*_unsafe_answers(job), *_late_unsafe_answers(job)]
    if not found:
        alarms.clear_alarm(AlarmKind.SITE_UNSAFE, job.provider_job_id)
        return
    newest = max(found, key=lambda answer: answer.answered_at)
    if newest.engineer is not None:
        alarms.raise_alarm(AlarmKind.SITE_UNSAFE, job.provider_job_id, _text(job, newest.engineer, newest))


def _unsafe_answers(job: Job) -> Iterator[UnsafeAnswer]:
    active = {answer.question_code: answer for answer in answers.active_answers(job)}
    current = answers.current_answers(job)
    for question in flow.list_unsafe_questions(matrix_for_job(job), job_type=job.job_type, answers=current):
        answer = active[question.code]
        yield UnsafeAnswer(answer.by, question, answer.value, answer.answered_at)


def unsafe_value(question: Question, value: Any) -> Any:
    """The value as an answer has it if it says that the site is unsafe, None otherwise."""
    try:
        validated = answer_validation.validate(question, value)
    except BadAnswer:
        return None
    return validated if validated in question.unsafe else None


def _late_unsafe_answers(job: Job) -> Iterator[UnsafeAnswer]:
    """Of whoever had the job before, where nobody has answered that question since."""
    answered_at = {answer.question_code: answer.answered_at for answer in answers.active_answers(job)}
    late = job.events.filter(kind=EventKind.REPORTED_LATE, facts__what="answered").order_by("occurred_at")
    newest = {event.facts["body"].get("question"): event for event in late if event.facts.get("body")}
    for code, event in newest.items():
        question = matrix_for_job(job).find(code)
        value = unsafe_value(question, event.facts["body"].get("value")) if question else None
        if question and value is not None and answered_at.get(code, event.occurred_at) <= event.occurred_at:
            engineer = Engineer.objects.filter(user=event.user_id).first()
            yield UnsafeAnswer(engineer, question, value, event.occurred_at)


def watch_unsafe_sites() -> None:
    """Nobody is at a job that is closed or cancelled: its alarm is over once the office had time to see it."""
    old = timezone.now() - MIN_ALARM_LENGTH
    known = alarms.open_alarms().filter(kind=AlarmKind.SITE_UNSAFE, raised_at__lt=old)
    subjects = set(known.values_list("subject", flat=True))
    still = Job.objects.open().filter(provider_job_id__in=subjects).values_list("provider_job_id", flat=True)
    alarms.clear_alarms(AlarmKind.SITE_UNSAFE, subjects - set(still))
