"""Alarms: raised once per kind and subject, cleared when the cause is gone. A row keeps a key and its parameters;
the sentence is made in the language of the reader.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import structlog
from django.db import models
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from monitoring.models import Alarm

TEXTS: dict[str, Promise] = {
    "seller_untrusted": gettext_lazy(
        "No messages are sent to %(endpoint)s: %(reason)s. Check SELLER_CA and our client certificate."
    ),
    "seller_unreachable": gettext_lazy(
        "The seller can't be reached (%(reason)s). Messages are queued in order and retried automatically."
    ),
    "message_held": gettext_lazy(
        "Job %(job)s: %(reason)s. Later messages for this job are waiting. Other jobs are not affected."
    ),
    "message_id_reused": gettext_lazy(
        "The seller used message id %(id)s for two different messages. The first was applied, the second was rejected; "
        "both are in the message log. Ask the seller to send the second one again with a new id."
    ),
    "certificate_unreadable": gettext_lazy(
        "%(name)s (%(setting)s) cannot be read. Replace it with a readable PEM file."
    ),
    "certificate_expired": gettext_lazy(
        "%(name)s (%(setting)s) expired on %(end_at)s. No messages are sent or received until it is replaced."
    ),
    "certificate_expiring": ngettext_lazy(
        "%(name)s (%(setting)s) expires on %(end_at)s, within %(days)d day. Replace it; no restart is needed.",
        "%(name)s (%(setting)s) expires on %(end_at)s, within %(days)d days. Replace it; no restart is needed.",
        "days",
    ),
    "seller_certificate_expired": gettext_lazy(
        "The seller's certificate at %(url)s has expired. Nothing is sent there until the seller installs a new one: "
        "ask the seller's team."
    ),
    "seller_certificate_expiring": ngettext_lazy(
        "The seller's certificate at %(url)s expires on %(end_at)s, within %(days)d day. Ask the seller's team to "
        "renew it.",
        "The seller's certificate at %(url)s expires on %(end_at)s, within %(days)d days. Ask the seller's team to "
        "renew it.",
        "days",
    ),
    "clock_differs": gettext_lazy(
        "The seller's clock at %(url)s differs from ours by %(difference_seconds)d s. Check the time service of this "
        "machine first, then ask the seller's team."
    ),
    "process_stuck": gettext_lazy(
        "No heartbeat from %(process)s since %(since_at)s. Nothing is lost: its work waits or other processes do it. "
        "If it is still running, stop it and start it again; its log shows what it did last."
    ),
    "worker_not_starting": gettext_lazy(
        "The background worker keeps failing to start. See its log. Photos wait for their thumbnails."
    ),
    "disk_full": gettext_lazy(
        "%(problem)s. When the disk is full, nothing new is stored: jobs, photos and messages are answered "
        "“try again” and come back later. Free up space or enlarge the disk."
    ),
    "evidence_unavailable": gettext_lazy(
        "Photos cannot be stored (%(error)s). The phones keep them and send them again. "
        "Check the bucket or disk where evidence is stored."
    ),
    "provisioning_overdue": gettext_lazy(
        "Job %(job)s, %(postcode)s: the seller announced another provisioning attempt for %(due_at)s but sent no "
        "result. The engineer is waiting. Call the order desk."
    ),
    "cancelled_en_route": gettext_lazy(
        "The seller cancelled job %(job)s, %(address)s, while %(engineer)s was on the way. Call %(phone)s."
    ),
    "provisioning_failed": gettext_lazy(
        "Provisioning result %(result)s at %(address)s, job %(job)s: %(details)s"
    ),
    "engineer_absent": ngettext_lazy(
        "%(engineer)s is absent and still has %(jobs)d job today.",
        "%(engineer)s is absent and still has %(jobs)d jobs today.",
        "jobs",
    ),
    "closure_review": gettext_lazy(
        "%(address)s, job %(job)s: %(engineer)s closed it with %(code)s. Nothing is sent to the seller before you "
        "approve."
    ),
    "job_late": gettext_lazy(
        "Job %(job)s, %(address)s: %(engineer)s will not be there before the window ends (%(window_end_at)s)."
    ),
    "job_missed": gettext_lazy(
        "Job %(job)s, %(address)s: the window has ended (%(window_end_at)s) and nobody was on site."
    ),
    "job_late_unassigned": gettext_lazy(
        "Job %(job)s, %(address)s has no engineer, and the window ends soon (%(window_end_at)s)."
    ),
    "network_pattern_splitter": gettext_lazy(
        "Splitter %(element)s: %(jobs)d jobs with a network fault since %(since_at)s (%(numbers)s). Jobs ahead there: "
        "%(ahead)d, on hold: %(held)d."
    ),
    "network_pattern_node": gettext_lazy(
        "Node %(element)s: %(jobs)d jobs with a network fault since %(since_at)s (%(numbers)s). Jobs ahead there: "
        "%(ahead)d, on hold: %(held)d."
    ),
    "network_pattern_street": gettext_lazy(
        "%(element)s: %(jobs)d jobs with a network fault since %(since_at)s (%(numbers)s). Jobs ahead there: "
        "%(ahead)d, on hold: %(held)d."
    ),
    "network_hold": ngettext_lazy(
        "%(jobs)d job is still on hold: %(numbers)s.", "%(jobs)d jobs are still on hold: %(numbers)s.", "jobs"
    ),
    "site_unsafe": gettext_lazy(
        "%(engineer)s answered “%(question)s” with “%(answer)s” (%(answered_at)s). Job %(job)s, %(address)s. "
        "Call %(phone)s now."
    ),
    "duty_failing": gettext_lazy(
        "The background duty “%(duty)s” has failed %(times)d times in a row. Messages are still sent. See its log."
    ),
    "thumbnail_failed": gettext_lazy(
        "No thumbnail of photo %(question)s, job %(job)s, could be made in %(attempts)d attempts. The photo itself is "
        "stored and shown. Open it; if it is damaged, ask the engineer for another one."
    ),
    "task_rejected": gettext_lazy(
        "The background worker was asked to run %(name)s, which is not one of its tasks, and did not run it. "
        "Somebody who should not be able to can write to the task queue."
    ),
}


@dataclass(frozen=True)
class AlarmText:
    """A key of TEXTS with its parameters; `str()` is the sentence in the current language."""

    key: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Empty where retention has removed the parameters, or for a key of another version."""
        displayed = {name: _display(name, value) for name, value in self.parameters.items()}
        try:
            return str(TEXTS[self.key] % displayed)
        except KeyError:
            return ""

    def as_json(self) -> dict[str, Any]:
        """The parameters as a row keeps them."""
        return {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in self.parameters.items()
        }


def alarm_text(key: str, **parameters: Any) -> AlarmText:
    """`parameters`: those that the text of this key names; texts, numbers and aware moments."""
    return AlarmText(key, parameters)


def _display(name: str, value: Any) -> Any:
    moment = parse_datetime(value) if name.endswith("_at") and isinstance(value, str) else value
    if isinstance(moment, datetime):
        return date_format(timezone.localtime(moment), _("D j M, H:i"))
    return value


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
    CANCELLED_EN_ROUTE = "cancelled_en_route"
    PROVISIONING_FAILED = "provisioning_failed"
    ENGINEER_ABSENT = "engineer_absent"
    CLOSURE_REVIEW = "closure_review"
    JOB_LATE = "job_late"
    NETWORK_PATTERN = "network_pattern"
    THUMBNAIL_FAILED = "thumbnail_failed"
    TASK_REFUSED = "task_refused"


# about something that has happened: nothing but a person can say that it is dealt with
DISMISSIBLE = frozenset({AlarmKind.CANCELLED_EN_ROUTE, AlarmKind.MESSAGE_ID_REUSED})


def raise_alarm(kind: AlarmKind, subject: str, text: AlarmText) -> None:
    """Open it, or give the open one its newest text, which explains to a dispatcher what is wrong and what to do."""
    message = {"text": text.key, "parameters": text.as_json()}
    if _open(kind, subject).update(**message):
        return
    _, is_new = Alarm.objects.get_or_create(
        kind=kind, subject=subject, cleared_at=None, defaults={**message, "raised_at": timezone.now()}
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


def acknowledge_alarm(alarm: Alarm, *, owner_id: int) -> bool:
    """Somebody takes care of it; False when somebody already does, or it is over."""
    now = timezone.now()
    return bool(_waiting(alarm).update(owner_id=owner_id, acknowledged_at=now, snoozed_until=None))


def snooze_alarm(alarm: Alarm, *, owner_id: int, until: datetime) -> bool:
    """Nobody is reminded before then; afterwards it counts as unhandled again. False as above."""
    return bool(_waiting(alarm).update(owner_id=owner_id, snoozed_until=until))


def dismiss_alarm(alarm: Alarm, *, owner_id: int) -> bool:
    """Dealt with, where only a person can say so (DISMISSIBLE); False where its check must clear it, or it is over."""
    if alarm.kind not in DISMISSIBLE:
        return False
    unfinished = Alarm.objects.filter(pk=alarm.pk, cleared_at=None)
    return bool(unfinished.update(owner_id=owner_id, cleared_at=timezone.now()))


def _waiting(alarm: Alarm) -> models.QuerySet[Alarm]:
    """The alarm, while it is open and nobody takes care of it: a page may be some seconds old."""
    return Alarm.objects.filter(pk=alarm.pk, cleared_at=None, acknowledged_at=None)


def is_unhandled(alarm: Alarm, *, now: datetime) -> bool:
    """Whether somebody must still look at it."""
    is_snoozed = alarm.snoozed_until is not None and alarm.snoozed_until > now
    return alarm.acknowledged_at is None and not is_snoozed


def replace_alarms(kind: AlarmKind, texts: Mapping[str, AlarmText]) -> None:
    """Exactly these subjects are in trouble now: the others of this kind are over. An open one takes a changed text;
    with another engineer in it, it is news for whoever took care of it."""
    known = {alarm.subject: alarm for alarm in open_alarms().filter(kind=kind)}
    for subject, text in texts.items():
        if subject not in known:
            raise_alarm(kind, subject, text)
        elif (known[subject].text, known[subject].parameters) != (text.key, text.as_json()):
            _change_text(known[subject], text)
    if known.keys() - texts.keys():
        clear_alarms(kind, known.keys() - texts.keys())


def _change_text(alarm: Alarm, text: AlarmText) -> None:
    changes: dict[str, Any] = {"text": text.key, "parameters": text.as_json()}
    if alarm.parameters.get("engineer") != changes["parameters"].get("engineer"):
        changes |= {"acknowledged_at": None, "snoozed_until": None}
    Alarm.objects.filter(pk=alarm.pk, cleared_at=None).update(**changes)


def open_alarms() -> models.QuerySet[Alarm]:
    return Alarm.objects.filter(cleared_at=None)


def _open(kind: AlarmKind, subject: str) -> models.QuerySet[Alarm]:
    return Alarm.objects.filter(kind=kind, subject=subject, cleared_at=None)


def text_of(alarm: Alarm) -> AlarmText:
    """What it says; `str()` in the language of whoever reads it."""
    return AlarmText(alarm.text, alarm.parameters)
