"""Alarms: raised once per kind and subject, cleared when the cause is gone. A row keeps a key and its parameters;
the sentence is made in the language of the reader.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog
from django.db import models
from django.db.models import Case, F, When
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from monitoring.alarm_kinds import alarm_kind_facts
from monitoring.alarm_texts import TEXTS
from monitoring.models import Alarm, AlarmKind


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


def raise_alarm(kind: AlarmKind, subject: str, text: AlarmText) -> None:
    """Open it, or give the open one its newest text, which explains to a dispatcher what is wrong and what to do."""
    message = {"text": text.key, "parameters": text.as_json()}
    changed_at = Case(When(**message, then=F("changed_at")), default=timezone.now())
    if _open(kind, subject).update(**message, changed_at=changed_at):
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


def raise_or_renew_alarm(
    kind: AlarmKind, subject: str, text: AlarmText, *, renewed_by: Collection[str]
) -> None:
    """The same as `raise_alarm`; another value of a parameter in `renewed_by` lets the open one begin anew."""
    parameters = text.as_json()
    for alarm in _open(kind, subject):
        if any(alarm.parameters.get(name) != parameters.get(name) for name in renewed_by):
            _renew(alarm)
    raise_alarm(kind, subject, text)


def _renew(alarm: Alarm) -> None:
    """Nobody takes care of it yet, and its contacts are notified again, from the first level on."""
    alarm.notices.all().delete()
    anew = {"owner": None, "acknowledged_at": None, "snoozed_until": None, "raised_at": timezone.now()}
    Alarm.objects.filter(pk=alarm.pk, cleared_at=None).update(**anew)
    log.error("alarm", kind=alarm.kind, subject=alarm.subject)


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
    """Dealt with, where only a person can say so; False where its check must clear it, or it is over."""
    if not alarm_kind_facts(alarm.kind).is_dismissible:
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
    changes: dict[str, Any] = {"text": text.key, "parameters": text.as_json(), "changed_at": timezone.now()}
    if alarm.parameters.get("engineer") != changes["parameters"].get("engineer"):
        changes |= {"acknowledged_at": None, "snoozed_until": None}
    Alarm.objects.filter(pk=alarm.pk, cleared_at=None).update(**changes)


def replace_parameters(found: models.QuerySet[Alarm], parameters: Mapping[str, Any]) -> int:
    """Other personal data in what they say, or none; how many there were."""
    return found.update(parameters=parameters, changed_at=timezone.now())


def open_alarms() -> models.QuerySet[Alarm]:
    return Alarm.objects.filter(cleared_at=None)


def _open(kind: AlarmKind, subject: str) -> models.QuerySet[Alarm]:
    return Alarm.objects.filter(kind=kind, subject=subject, cleared_at=None)


def text_of(alarm: Alarm) -> AlarmText:
    """What it says; `str()` in the language of whoever reads it."""
    return AlarmText(alarm.text, alarm.parameters)
