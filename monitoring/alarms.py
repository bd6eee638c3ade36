"""Alarms: raised once per kind and subject, cleared when the cause is gone. A row keeps a key and its parameters;
the sentence is made in the language of the reader.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import structlog
from django.db import models
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from monitoring.alarm_texts import TEXTS
from monitoring.models import Alarm


@dataclass(frozen=True)
class AlarmText:
    """A key of TEXTS with its parameters; `str()` is the sentence in the current language."""

    key: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Empty where retention has removed the parameters, or for a key of another version."""
        translate = _translations.get(self.key)
        translated = translate(self.parameters) if translate else {}
        displayed = {name: _display(name, value) for name, value in self.parameters.items()}
        try:
            return str(TEXTS[self.key] % {**displayed, **translated})
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


# by the name of a parameter: how a key that a row keeps is written in the reader's language
_displays: dict[str, Callable[[Any], str]] = {}


def register_display(parameter: str, display: Callable[[Any], str]) -> None:
    """For an app that knows what the values of this parameter stand for; from its `apps.ready()`."""
    _displays[parameter] = display


# by the key of a text: those of its parameters that need several others to be written in the reader's language
_translations: dict[str, Callable[[Mapping[str, Any]], Mapping[str, str]]] = {}


def register_translation(key: str, translate: Callable[[Mapping[str, Any]], Mapping[str, str]]) -> None:
    """`translate` gets the parameters as the row keeps them and returns those that read differently."""
    _translations[key] = translate


def _display(name: str, value: Any) -> Any:
    if name in _displays:
        return _displays[name](value)
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
    MESSAGE_UNCONFIRMED = "message_unconfirmed"
    MESSAGE_ID_REUSED = "message_id_reused"
    CERTIFICATE_ENDING = "certificate_ending"
    CLOCK_DIFFERS = "clock_differs"
    PROCESS_STUCK = "process_stuck"
    DISK_FULL = "disk_full"
    BACKUP_OVERDUE = "backup_overdue"
    EVIDENCE_UNAVAILABLE = "evidence_unavailable"
    TRAVEL_SERVER_UNREACHABLE = "travel_server_unreachable"
    PROVISIONING_OVERDUE = "provisioning_overdue"
    DUTY_FAILING = "duty_failing"
    SITE_UNSAFE = "site_unsafe"
    CHECK_IN_OVERDUE = "check_in_overdue"
    CANCELLED_EN_ROUTE = "cancelled_en_route"
    STARTED_ON_HOLD = "started_on_hold"
    PROVISIONING_FAILED = "provisioning_failed"
    HANDOVER_REQUESTED = "handover_requested"
    ENGINEER_ABSENT = "engineer_absent"
    CLOSURE_REVIEW = "closure_review"
    JOB_LATE = "job_late"
    NETWORK_PATTERN = "network_pattern"
    CAPACITY_SHORT = "capacity_short"
    THUMBNAIL_FAILED = "thumbnail_failed"
    WEBHOOK_FAILING = "webhook_failing"
    TASK_REFUSED = "task_refused"


# about something that has happened: nothing but a person can say that it is dealt with
DISMISSIBLE = frozenset(
    {AlarmKind.CANCELLED_EN_ROUTE, AlarmKind.STARTED_ON_HOLD, AlarmKind.MESSAGE_ID_REUSED}
)
# about the installation itself and not about a job: settle them before anything is changed
CRITICAL = frozenset(
    {
        *(AlarmKind.SELLER_UNTRUSTED, AlarmKind.SELLER_UNREACHABLE, AlarmKind.CERTIFICATE_ENDING),
        *(AlarmKind.CLOCK_DIFFERS, AlarmKind.PROCESS_STUCK, AlarmKind.DISK_FULL),
        *(AlarmKind.EVIDENCE_UNAVAILABLE, AlarmKind.DUTY_FAILING, AlarmKind.TASK_REFUSED),
    }
)


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


def release_alarm(alarm: Alarm) -> bool:
    """Whoever took care of it does so no longer, or nobody wants to be reminded later only; False when it is over."""
    unfinished = Alarm.objects.filter(pk=alarm.pk, cleared_at=None)
    return bool(unfinished.update(owner=None, acknowledged_at=None, snoozed_until=None))


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
