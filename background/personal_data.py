"""Personal data over all apps: purge by rule, erase one person on request, export one person's data.

Each app knows its own rows (`retention` modules of engineers, dispatch, closures, seller_link); here they are put
together. docs/operating.md, Personal data, says what ends when and what stays.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django_q.models import Task

import closures.retention
import customer_messages.retention
import dispatch.retention
import engineers.retention
import partner_api.retention
import seller_link.retention
from alerting.models import AlarmDelivery
from board.models import SavedFilter
from dispatch.models import Job, JobQuerySet, Visit
from dispatch.problems import ActionRefused, Problem
from engineers import second_factor, staff
from engineers.audit import expired_entries
from engineers.models import Engineer, PhoneMessage, User
from engineers.retention import in_batches
from seller_link.models import OutboundMessage

# a batch must end well within WORKER_TASK_SECONDS, also where each file is one call to a bucket
BATCH_SIZE = 100


@dataclass(frozen=True)
class Retention:
    """One class of data: the setting with its days, which rows are over at a moment, and what ends them."""

    name: str
    setting: str
    find: Callable[[datetime], QuerySet[Any]]
    purge: Callable[[Any], int]


class PersonNotFound(ActionRefused):
    """Nobody and nothing matches; nothing has changed."""


class JobStillOpen(ActionRefused):
    """A job of this person is still to be done; nothing has changed."""


class MessagesUndelivered(ActionRefused):
    """The seller does not have every message about this person's jobs yet; nothing has changed."""


def _purge_jobs(jobs: QuerySet[Job]) -> int:
    """Texts first: once a job is anonymised, nothing finds its answers again."""
    same = Job.objects.filter(pk__in=list(jobs.values_list("pk", flat=True)))
    closures.retention.anonymise_answers(same)
    seller_link.retention.empty_alarms(same)
    return dispatch.retention.anonymise_jobs(jobs)


def _expired_jobs(before: datetime) -> JobQuerySet:
    """A dispatcher who corrects a message that the seller refused needs to see what it is about."""
    return dispatch.retention.ended_jobs(before).exclude(seller_link.retention.has_undelivered(job="pk"))


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
    ),
    Retention(
        "messages to the seller",
        "RETENTION_MESSAGE_DAYS",
        seller_link.retention.expired_outbound,
        seller_link.retention.mask_outbound,
    ),
    Retention(
        "phone messages",
        "RETENTION_PHONE_MESSAGE_DAYS",
        _expired_phone_messages,
        engineers.retention.purge_phone_messages,
    ),
    Retention("job packs", "RETENTION_PACK_DAYS", _expired_jobs, _purge_jobs),
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
        lambda before: AlarmDelivery.objects.filter(created_at__lt=before),
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
    Retention("audit", "RETENTION_AUDIT_DAYS", expired_entries, _delete),
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


def count_expired(now: datetime) -> dict[str, int]:
    """What `purge` would end at this moment: class of data to number of rows. Changes nothing."""
    return {retention.name: retention.find(_before(retention, now)).count() for retention in CLASSES}


def purge(now: datetime, *, seconds: float = math.inf) -> dict[str, int]:
    """End what is older than its setting says, a batch at a time; class of data to number of rows.

    Begins no batch after that many seconds. May run twice and be stopped at any point: the next run goes on with
    what is left.
    """
    end = time.monotonic() + seconds
    return {retention.name: _purge_until(retention, _before(retention, now), end) for retention in CLASSES}


def count_waiting_for_delivery(now: datetime) -> list[str]:
    """Numbers of the jobs whose time is over and whose data stay, since the seller does not have every message."""
    before = now - timedelta(days=settings.RETENTION_PACK_DAYS)
    waiting = dispatch.retention.ended_jobs(before).filter(seller_link.retention.has_undelivered(job="pk"))
    return list(waiting.values_list("provider_job_id", flat=True))


def _purge_until(retention: Retention, before: datetime, end: float) -> int:
    done = 0
    while time.monotonic() < end:
        expired = retention.find(before).order_by()
        keys = list(expired.values_list("pk", flat=True)[:BATCH_SIZE])
        purged = retention.purge(expired.filter(pk__in=keys)) if keys else 0
        if not purged:
            break
        done += purged
    return done


def _before(retention: Retention, now: datetime) -> datetime:
    return now - timedelta(days=getattr(settings, retention.setting))


# --- one person ---


def jobs_of_customer(contact: str) -> JobQuerySet:
    """Jobs whose site contact has this telephone number or e-mail address, or the job with this number.

    A name is not enough: two people may share it. Raises PersonNotFound.
    """
    digits = "".join(character for character in contact if character.isdigit())
    found = Q(contact_email__iexact=contact.strip()) | Q(provider_job_id=contact.strip().upper())
    if digits:
        same = [
            pk
            for pk, phone in Job.objects.exclude(contact_phone="").values_list("pk", "contact_phone")
            if "".join(character for character in phone if character.isdigit()) == digits
        ]
        found |= Q(pk__in=same)
    jobs = Job.objects.filter(found) if contact.strip() else Job.objects.none()
    if not jobs.exists():
        sentence = _("No job has this telephone number, e-mail address or job number.")
        raise PersonNotFound([Problem("person_not_found", "customer", sentence)])
    return jobs


def erase_customer(contact: str, *, by: User | None = None) -> dict[str, int]:
    """Anonymise everything about the site contact of these jobs; class of data to number of rows.

    Work photos, choices, measurements, ids, order references and times stay: the seller must be able to prove them.
    Raises PersonNotFound, JobStillOpen while one of the jobs is still to be done, and MessagesUndelivered.
    """
    jobs = jobs_of_customer(contact)
    still_open = list(jobs.open().values_list("provider_job_id", flat=True))
    if still_open:
        sentence = _("Close or cancel these jobs first: %(jobs)s.") % {"jobs": ", ".join(still_open)}
        raise JobStillOpen([Problem("job_still_open", "customer", sentence)])
    numbers = list(jobs.values_list("provider_job_id", flat=True))
    remaining = Job.objects.filter(provider_job_id__in=numbers)
    _refuse_undelivered(seller_link.retention.outbound_of(remaining), where="customer")
    phone_messages = PhoneMessage.objects.filter(provider_job_id__in=numbers)
    texts = _identifying_texts(remaining, contact.strip())
    names = {contact, *remaining.values_list("contact_name", flat=True)}
    counts = {
        "signatures": closures.retention.purge_photos(closures.retention.list_signatures(remaining)),
        "messages from the seller": seller_link.retention.mask_inbound(
            seller_link.retention.inbound_of(remaining, mentioning=texts)
        ),
        "messages to the seller": seller_link.retention.mask_outbound(
            seller_link.retention.outbound_of(remaining)
        ),
        "phone messages": engineers.retention.purge_phone_messages(phone_messages),
        "alarms": seller_link.retention.empty_alarms(remaining),
        "customer messages": customer_messages.retention.purge_messages(
            customer_messages.retention.messages_of(remaining)
        ),
        "saved filters": SavedFilter.objects.about(names).delete()[0],
        "answers and remarks": closures.retention.anonymise_answers(remaining),
        "drives": dispatch.retention.delete_drives(remaining),
        "job packs": dispatch.retention.anonymise_jobs(remaining),
    }
    staff.record_audit(
        actor=by, action="erased_customer", subject=f"{len(numbers)} jobs", after={"jobs": numbers}
    )
    return counts


def _identifying_texts(jobs: QuerySet[Job], contact: str) -> set[str]:
    """Texts that a refused message about these jobs or this contact would contain."""
    columns = jobs.values_list("contact_phone", "contact_email", "seller_job_id", "provider_job_id")
    return {contact, *(text for row in columns for text in row)}


def _refuse_undelivered(messages: QuerySet[OutboundMessage], *, where: str) -> None:
    jobs = seller_link.retention.undelivered(messages)
    if jobs:
        sentence = _(
            "The seller has not received all messages for these jobs: %(jobs)s. Wait until they "
            "are delivered, and correct any that the seller rejected."
        )
        raise MessagesUndelivered(
            [Problem("messages_undelivered", where, sentence % {"jobs": ", ".join(jobs)})]
        )


def engineer_of(staff_number: str) -> Engineer:
    """Raises PersonNotFound."""
    engineer = Engineer.objects.filter(staff_number=staff_number.strip()).select_related("user").first()
    if engineer is None:
        sentence = _("No engineer has the staff number %(number)s.") % {"number": staff_number}
        raise PersonNotFound([Problem("person_not_found", "engineer", sentence)])
    return engineer


def erase_engineer(staff_number: str, *, by: User | None = None) -> None:
    """Anonymise an engineer who has left; what was done and when stays under the staff number.

    Raises PersonNotFound, JobStillOpen while the engineer has a job to do, and MessagesUndelivered.
    """
    engineer = engineer_of(staff_number)
    current = Visit.objects.current().attended_by([engineer]).values_list("job__provider_job_id", flat=True)
    if current:
        sentence = _("Reassign these jobs first: %(jobs)s.") % {"jobs": ", ".join(current)}
        raise JobStillOpen([Problem("job_still_open", "engineer", sentence)])
    _refuse_undelivered(seller_link.retention.of_engineer(engineer), where="engineer")
    jobs = dispatch.retention.jobs_of_engineer(engineer)
    SavedFilter.objects.filter(user=engineer.user).delete()
    SavedFilter.objects.about({engineer.name}).delete()
    dispatch.retention.forget_engineer(engineer)
    closures.retention.forget_engineer_name(engineer)
    seller_link.retention.forget_engineer(engineer)
    engineers.retention.forget_name_in_answers(engineer, jobs.values("provider_job_id"))
    for log in (AccessAttempt, AccessFailureLog, AccessLog):
        log.objects.filter(username=engineer.user.username).delete()
    second_factor.reset(user=engineer.user, by=by)
    engineers.retention.anonymise_engineer(engineer, by=by)
