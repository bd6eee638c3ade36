"""An answer that says a site is unsafe: an alarm in the dispatch office until it is safe again or the job is over."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from closures import answer_validation, answers, flow
from closures.answer_validation import BadAnswer
from closures.matrix import Question
from closures.matrix_editions import matrices_by_edition, matrix_for_job
from closures.translations import readers_language, translated_question
from dispatch.models import Job
from dispatch.states import EventKind
from engineers.models import Engineer
from monitoring import alarms
from monitoring.alarms import AlarmKind, alarm_text

# the closing may arrive together with the answer; the office sees the alarm all the same
MIN_ALARM_SECONDS = timedelta(minutes=30)


def report_unsafe_site(
    *, job: Job, engineer: Engineer, question: Question, value: Any, answered_at: datetime
) -> None:
    """Raise the alarm for an unsafe answer, also of somebody whose job it is no more; a safe one may end it."""
    if value in question.unsafe:
        text = alarm_text(
            "site_unsafe",
            engineer=engineer.name,
            question=question.text,
            answer=answer_validation.stored_text(question, value),
            question_code=question.code,
            value=value,
            matrix_edition=matrix_for_job(job).edition,
            answered_at=answered_at,
            job=job.provider_job_id,
            address=job.address,
            phone=engineer.phone or engineer.name,
        )
        alarms.raise_alarm(AlarmKind.SITE_UNSAFE, job.provider_job_id, text)
    elif question.unsafe:
        review_unsafe_sites(job)


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
    """An answer was changed or taken back: the alarm is over when none that stands is unsafe."""
    current = answers.current_answers(job)
    unsafe = flow.list_unsafe_questions(matrix_for_job(job), job_type=job.job_type, answers=current)
    if not unsafe and not _has_late_unsafe_answer(job):
        alarms.clear_alarm(AlarmKind.SITE_UNSAFE, job.provider_job_id)


def unsafe_value(question: Question, value: Any) -> Any:
    """The value as an answer has it if it says that the site is unsafe, None otherwise."""
    try:
        validated = answer_validation.validate(question, value)
    except BadAnswer:
        return None
    return validated if validated in question.unsafe else None


def _has_late_unsafe_answer(job: Job) -> bool:
    """Whether somebody who had the job before reported an unsafe site, and nobody has answered that question since."""
    answered_at = {answer.question_code: answer.answered_at for answer in answers.active_answers(job)}
    late = job.events.filter(kind=EventKind.REPORTED_LATE, facts__what="answered").order_by("occurred_at")
    newest = {event.facts["body"].get("question"): event for event in late if event.facts.get("body")}
    return any(
        question is not None
        and unsafe_value(question, event.facts["body"].get("value")) is not None
        and answered_at.get(code, event.occurred_at) <= event.occurred_at
        for code, event in newest.items()
        for question in [matrix_for_job(job).find(code)]
    )


def watch_unsafe_sites() -> None:
    """Nobody is at a job that is closed or cancelled: its alarm is over once the office had time to see it."""
    old = timezone.now() - MIN_ALARM_SECONDS
    known = alarms.open_alarms().filter(kind=AlarmKind.SITE_UNSAFE, raised_at__lt=old)
    subjects = set(known.values_list("subject", flat=True))
    still = Job.objects.open().filter(provider_job_id__in=subjects).values_list("provider_job_id", flat=True)
    alarms.clear_alarms(AlarmKind.SITE_UNSAFE, subjects - set(still))
