"""An answer that says a site is unsafe: an alarm in the dispatch office until it is safe again or the job is over."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from closures import answer_validation, answers, flow
from closures.matrix import Question
from closures.matrix_editions import matrix_for_job
from dispatch.models import Job
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
            answered_at=answered_at,
            job=job.provider_job_id,
            address=job.address,
            phone=engineer.phone or engineer.name,
        )
        alarms.raise_alarm(AlarmKind.SITE_UNSAFE, job.provider_job_id, text)
    elif question.unsafe:
        review_unsafe_sites(job)


def review_unsafe_sites(job: Job) -> None:
    """An answer was changed or taken back: the alarm is over when none that stands is unsafe."""
    current = answers.current_answers(job)
    if not flow.is_unsafe_answer(matrix_for_job(job), job_type=job.job_type, answers=current):
        alarms.clear_alarm(AlarmKind.SITE_UNSAFE, job.provider_job_id)


def watch_unsafe_sites() -> None:
    """Nobody is at a job that is closed or cancelled: its alarm is over once the office had time to see it."""
    old = timezone.now() - MIN_ALARM_SECONDS
    known = alarms.open_alarms().filter(kind=AlarmKind.SITE_UNSAFE, raised_at__lt=old)
    subjects = set(known.values_list("subject", flat=True))
    still = Job.objects.open().filter(provider_job_id__in=subjects).values_list("provider_job_id", flat=True)
    alarms.clear_alarms(AlarmKind.SITE_UNSAFE, subjects - set(still))
