"""Personal data over all apps: purge by rule. erasure.py erases one person, personal_data_export.py exports one.

Each app knows its own rows (`retention` modules of engineers, dispatch, closures, seller_link); here they are put
together. docs/operating.md, Personal data, says what ends when and what stays.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django_q.models import Task

import closures.retention
import customer_messages.retention
import dispatch.retention
import engineers.retention
import partner_api.retention
import seller_link.retention
from alerting import delivery_records
from closures.retention import PhotosNotDeleted
from dispatch.models import Job, JobQuerySet
from engineers.audit import expired_entries
from engineers.models import PhoneMessage
from engineers.retention import in_batches
from monitoring.alarms import clear_alarm, raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind

log = structlog.get_logger("background.personal_data")
# a batch must end well within WORKER_TASK_SECONDS, also where each file is one call to a bucket
BATCH_SIZE = 100
# then it is the whole storage
MOST_FAILURES = 1000


@dataclass(frozen=True)
class Retention:
    """One class of data: the setting with its days, which rows are over at a moment, and what ends them.

    `clock` is the column of a partial index of what is left: in its order the few rows are found by it. Without,
    PostgreSQL looks through all others first, since most rows are old and many are not purged, so it expects many.
    """

    name: str
    setting: str
    find: Callable[[datetime], QuerySet[Any]]
    purge: Callable[[Any], int]
    clock: str = ""

    def expired(self, before: datetime) -> QuerySet[Any]:
        return self.find(before).order_by(*filter(None, [self.clock]))


def _purge_jobs(jobs: QuerySet[Job]) -> int:
    """Texts first: once a job is anonymised, nothing finds its answers again."""
    same = Job.objects.filter(pk__in=list(jobs.values_list("pk", flat=True)))
    closures.retention.anonymise_answers(same)
    seller_link.retention.empty_alarms(same)
    return dispatch.retention.anonymise_jobs(jobs)


def _purge_later_events(jobs: QuerySet[Job]) -> int:
    """With the phones' messages that they may have come from."""
    numbers = list(jobs.values_list("provider_job_id", flat=True))
    engineers.retention.purge_phone_messages(PhoneMessage.objects.filter(provider_job_id__in=numbers))
    return _purge_jobs(jobs)


def _expired_jobs(before: datetime) -> JobQuerySet:
    """A dispatcher who corrects a message that the seller refused needs to see what it is about."""
    return dispatch.retention.ended_jobs(before).exclude(seller_link.retention.has_undelivered(job="pk"))


def _jobs_written_again(before: datetime) -> JobQuerySet:
    jobs = dispatch.retention.jobs_written_again(before)
    return jobs.exclude(seller_link.retention.has_undelivered(job="pk"))


def _expired_phone_messages(before: datetime) -> QuerySet[PhoneMessage]:
    still_open = Job.objects.open().filter(provider_job_id=OuterRef("provider_job_id"))
    return engineers.retention.expired_phone_messages(before).exclude(Exists(still_open))


def _delete(rows: QuerySet[Any]) -> int:
    return in_batches(rows, lambda some: some.delete())


# in the order in which they run; files last, so that a bucket that is away stops nothing else
CLASSES = [
    Retention(
        "messages from the seller",
        "RETENTION_MESSAGE_DAYS",
        seller_link.retention.expired_inbound,
        seller_link.retention.mask_inbound,
        clock="received_at",
    ),
    Retention(
        "messages to the seller",
        "RETENTION_MESSAGE_DAYS",
        seller_link.retention.expired_outbound,
        seller_link.retention.mask_outbound,
        clock="created_at",
    ),
    Retention(
        "phone messages",
        "RETENTION_PHONE_MESSAGE_DAYS",
        _expired_phone_messages,
        engineers.retention.purge_phone_messages,
        clock="received_at",
    ),
    Retention("job packs", "RETENTION_PACK_DAYS", _expired_jobs, _purge_jobs, clock="received_at"),
    Retention(
        "later events of jobs",
        "RETENTION_PACK_DAYS",
        _jobs_written_again,
        _purge_later_events,
        clock="written_again_at",
    ),
    Retention(
        "photos that never came",
        "RETENTION_PHOTO_DAYS",
        closures.retention.expired_announcements,
        closures.retention.purge_announcements,
    ),
    Retention("drives", "TRAVEL_KEPT_DAYS", dispatch.retention.expired_drives, _delete),
    Retention(
        "customer messages",
        "RETENTION_LOG_DAYS",
        customer_messages.retention.expired_messages,
        customer_messages.retention.purge_messages,
    ),
    Retention("webhooks", "RETENTION_LOG_DAYS", partner_api.retention.expired_events, _delete),
    Retention("alarms", "RETENTION_LOG_DAYS", seller_link.retention.expired_alarms, _delete),
    Retention(
        "alarm deliveries",
        "RETENTION_LOG_DAYS",
        delivery_records.expired_deliveries,
        _delete,
    ),
    Retention(
        "failed tasks", "RETENTION_LOG_DAYS", lambda before: Task.objects.filter(stopped__lt=before), _delete
    ),
    *(
        Retention(
            name,
            "RETENTION_LOG_DAYS",
            lambda before, log=log: log.objects.filter(attempt_time__lt=before),  # type: ignore[misc]
            _delete,
        )
        for name, log in (
            ("failed sign-ins", AccessAttempt),
            ("failed sign-ins by time", AccessFailureLog),
            ("sign-ins", AccessLog),
        )
    ),
    Retention(
        "rejected callers",
        "RETENTION_LOG_DAYS",
        seller_link.retention.expired_callers,
        seller_link.retention.merge_callers,
    ),
    Retention(
        "lone-worker check-ins",
        "RETENTION_PHONE_MESSAGE_DAYS",
        engineers.retention.expired_check_ins,
        _delete,
    ),
    Retention(
        "reasons of absences",
        "RETENTION_AUDIT_DAYS",
        engineers.retention.expired_absences,
        engineers.retention.purge_reasons,
    ),
    Retention(
        "reasons of replays",
        "RETENTION_AUDIT_DAYS",
        seller_link.retention.expired_replays,
        seller_link.retention.purge_reasons,
    ),
    Retention("audit", "RETENTION_AUDIT_DAYS", expired_entries, _delete),
    Retention(
        "changes in the administration",
        "RETENTION_AUDIT_DAYS",
        lambda before: LogEntry.objects.filter(action_time__lt=before),
        _delete,
    ),
    Retention(
        "photos",
        "RETENTION_PHOTO_DAYS",
        closures.retention.expired_photos,
        closures.retention.purge_photos,
    ),
    Retention(
        "signatures",
        "RETENTION_SIGNATURE_DAYS",
        closures.retention.expired_signatures,
        closures.retention.purge_photos,
    ),
]


class PurgeIncomplete(Exception):
    """These classes of data could not be purged; of the others so many rows were."""

    def __init__(self, names: list[str], *, counts: dict[str, int]) -> None:
        super().__init__(f"not purged: {', '.join(names)}")
        self.counts = counts


def count_expired(now: datetime) -> dict[str, int]:
    """What `purge` would end at this moment: class of data to number of rows. Changes nothing."""
    return {retention.name: retention.find(_before(retention, now)).count() for retention in CLASSES}


def purge(now: datetime, *, seconds: float = math.inf) -> dict[str, int]:
    """End what is older than its setting says, a batch at a time; class of data to number of rows.

    Begins no batch after that many seconds. May run twice and be stopped at any point: the next run goes on with
    what is left. Raises PurgeIncomplete, after all other classes were purged.
    """
    end = time.monotonic() + seconds
    counts, problems = dict[str, int](), dict[str, Exception]()
    for retention in CLASSES:
        try:
            counts[retention.name] = _purge_until(retention, _before(retention, now), end)
        except Exception as problem:
            # the database is away, for the other classes too
            if not connection.is_usable():
                raise
            log.error("not purged", data=retention.name, error=type(problem).__name__)
            problems[retention.name] = problem
    if problems:
        raise PurgeIncomplete(list(problems), counts=counts) from next(iter(problems.values()))
    return counts


def count_waiting_for_delivery(now: datetime) -> list[str]:
    """Numbers of the jobs whose time is over and whose data stay, since the seller does not have every message."""
    before = now - timedelta(days=settings.RETENTION_PACK_DAYS)
    waiting = dispatch.retention.ended_jobs(before).filter(seller_link.retention.has_undelivered(job="pk"))
    return list(waiting.values_list("provider_job_id", flat=True))


def _purge_until(retention: Retention, before: datetime, end: float) -> int:
    """How many rows. What cannot be purged stops nothing else of its class, and is an alarm."""
    done, remaining, is_finished = 0, dict[Any, str](), False
    while not is_finished and time.monotonic() < end and len(remaining) < MOST_FAILURES:
        expired = retention.expired(before).exclude(pk__in=remaining)
        keys = list(expired.values_list("pk", flat=True)[:BATCH_SIZE])
        try:
            purged = retention.purge(expired.order_by().filter(pk__in=keys)) if keys else 0
            is_finished = not purged
        except PhotosNotDeleted as problem:
            purged, remaining = problem.deleted, remaining | problem.remaining
        done += purged
    subject = f"purge of {retention.name}"
    if remaining:
        text = coded_text("photos_not_deleted", photos=len(remaining), error=next(iter(remaining.values())))
        raise_alarm(AlarmKind.DUTY_FAILING, subject, text)
    elif is_finished:
        clear_alarm(AlarmKind.DUTY_FAILING, subject)
    return done


def _before(retention: Retention, now: datetime) -> datetime:
    return now - timedelta(days=getattr(settings, retention.setting))
