"""What a person must look at: raised once per kind and subject, cleared by whoever sees that it is over."""

from collections.abc import Collection
from enum import StrEnum

import structlog
from django.db import models
from django.utils import timezone

from monitoring.alarm_texts import AlarmText
from monitoring.models import Alarm

log = structlog.get_logger("monitoring.alarms")


class AlarmKind(StrEnum):
    """docs/operating.md says what each means and what to do."""

    SELLER_UNTRUSTED = "seller_untrusted"
    SELLER_UNREACHABLE = "seller_unreachable"
    MESSAGE_HELD = "message_held"
    MESSAGE_ID_REUSED = "message_id_reused"
    CERTIFICATE_ENDING = "certificate_ending"
    CLOCK_DIFFERS = "clock_differs"
    PROCESS_STUCK = "process_stuck"
    DISK_FULL = "disk_full"
    EVIDENCE_UNAVAILABLE = "evidence_unavailable"
    PROVISIONING_OVERDUE = "provisioning_overdue"
    DUTY_FAILING = "duty_failing"
    SITE_UNSAFE = "site_unsafe"
    TASK_SET_ASIDE = "task_set_aside"
    TASK_REFUSED = "task_refused"


def raise_alarm(kind: AlarmKind, subject: str, text: AlarmText) -> None:
    """Open it, or give the open one its newest text, which tells a dispatcher what is wrong and what to do."""
    said = {"text": text.key, "parameters": text.as_json()}
    if _open(kind, subject).update(**said):
        return
    _, is_new = Alarm.objects.get_or_create(
        kind=kind, subject=subject, cleared_at=None, defaults={**said, "raised_at": timezone.now()}
    )
    if is_new:
        log.error("alarm", kind=kind, subject=subject)


def clear_alarm(kind: AlarmKind, subject: str) -> None:
    """It is over; nothing happens when it was not open."""
    if _open(kind, subject).update(cleared_at=timezone.now()):
        log.info("alarm over", kind=kind, subject=subject)


def clear_alarms(kind: AlarmKind, subjects: Collection[str]) -> None:
    """The same for many subjects with one statement."""
    Alarm.objects.filter(kind=kind, subject__in=subjects, cleared_at=None).update(cleared_at=timezone.now())


def open_alarms() -> models.QuerySet[Alarm]:
    return Alarm.objects.filter(cleared_at=None)


def _open(kind: AlarmKind, subject: str) -> models.QuerySet[Alarm]:
    return Alarm.objects.filter(kind=kind, subject=subject, cleared_at=None)


def text_of(alarm: Alarm) -> AlarmText:
    """What it says; `str()` in the language of whoever reads it."""
    return AlarmText(alarm.text, alarm.parameters)
