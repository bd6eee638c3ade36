"""Alarms: raised once per kind and subject, cleared when the cause is gone. A row keeps a key and its parameters
(monitoring.coded_texts).
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

import structlog
from django.db import models, transaction
from django.db.models import Case, Exists, F, OuterRef, Q, When
from django.utils import timezone

from monitoring import request_ids
from monitoring.alarm_kinds import alarm_kind_facts
from monitoring.coded_texts import CodedText
from monitoring.models import Alarm, AlarmKind

# whose subject is the cause of the alarms that they stand for
GROUP_KINDS = frozenset({AlarmKind.MESSAGES_FAILING})


log = structlog.get_logger("monitoring.alarms")


def raise_alarm(kind: AlarmKind, subject: str, text: CodedText) -> None:
    """Open it, or give the open one its newest text, which explains to a dispatcher what is wrong and what to do."""
    message = _row_of(text)
    changed_at = Case(When(**message, then=F("changed_at")), default=timezone.now())
    if _open(kind, subject).update(**message, changed_at=changed_at):
        return
    _, is_new = Alarm.objects.get_or_create(
        kind=kind, subject=subject, cleared_at=None, defaults={**message, **_beginning()}
    )
    if is_new:
        log.error("alarm", kind=kind, subject=subject)


def _row_of(text: CodedText) -> dict[str, Any]:
    """The fields of an alarm that says so."""
    return {"text": text.key, "parameters": text.parameters_json(), "cause": text.cause}


def _beginning() -> dict[str, Any]:
    """When it begins, and what for."""
    return {"raised_at": timezone.now(), "request_id": request_ids.current_request_id()}


def clear_alarm(kind: AlarmKind, subject: str) -> None:
    """It is over; nothing happens when it was not open."""
    if _open(kind, subject).update(cleared_at=timezone.now()):
        log.info("alarm over", kind=kind, subject=subject)


def clear_alarms(kind: AlarmKind, subjects: Collection[str]) -> None:
    """The same for many subjects with one statement, which locks them by subject: two of them never wait for each
    other."""
    if not subjects:
        return
    found = open_alarms().filter(kind=kind, subject__in=subjects).order_by("subject").select_for_update()
    with transaction.atomic(savepoint=False):
        Alarm.objects.filter(pk__in=found.values("pk"), cleared_at=None).update(cleared_at=timezone.now())


def raise_or_renew_alarm(
    kind: AlarmKind, subject: str, text: CodedText, *, renewed_by: Collection[str]
) -> None:
    """The same as `raise_alarm`; another value of a parameter in `renewed_by` lets the open one begin anew."""
    parameters = text.parameters_json()
    for alarm in _open(kind, subject):
        if any(alarm.parameters.get(name) != parameters.get(name) for name in renewed_by):
            _renew(alarm)
    raise_alarm(kind, subject, text)


def _renew(alarm: Alarm) -> None:
    """Nobody takes care of it yet, and its contacts are notified again, from the first level on."""
    alarm.notices.all().delete()
    anew = {"owner": None, "acknowledged_at": None, "snoozed_until": None, **_beginning()}
    Alarm.objects.filter(pk=alarm.pk, cleared_at=None).update(**anew)
    log.error("alarm", kind=alarm.kind, subject=alarm.subject)


def acknowledge_alarm(alarm: Alarm, *, owner_id: int) -> bool:
    """Somebody takes care of it; False when somebody already does, or it is over."""
    now = timezone.now()
    return _handle(_waiting(alarm), alarm, owner_id=owner_id, acknowledged_at=now, snoozed_until=None)


def snooze_alarm(alarm: Alarm, *, owner_id: int, until: datetime) -> bool:
    """Nobody is reminded before then; afterwards it counts as unhandled again. False as above."""
    return _handle(_waiting(alarm), alarm, owner_id=owner_id, snoozed_until=until)


def release_alarm(alarm: Alarm) -> bool:
    """Whoever took care of it does so no longer, or nobody wants to be reminded later only; False when it is over."""
    unfinished = Alarm.objects.filter(pk=alarm.pk, cleared_at=None)
    return _handle(unfinished, alarm, owner=None, acknowledged_at=None, snoozed_until=None)


def _handle(found: models.QuerySet[Alarm], alarm: Alarm, **changes: Any) -> bool:
    """Whether `found`, which is the alarm or nothing, was changed; then those that it stands for, too, but none of
    which somebody else takes care."""
    if not found.update(**changes):
        return False
    if alarm.kind in GROUP_KINDS:
        same = Q(owner=None) | Q(owner_id=alarm.owner_id)
        open_alarms().filter(same, cause=alarm.subject).update(**changes)
    return True


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


def raise_alarms(kind: AlarmKind, texts: Mapping[str, CodedText]) -> None:
    """The same as `raise_alarm` for many subjects; an open alarm whose text stays the same is not written."""
    _raise_changed(kind, texts, known=known_alarms(kind)[kind])


def known_alarms(*kinds: AlarmKind) -> dict[AlarmKind, dict[str, Alarm]]:
    """Those that are open, by their subjects. For replace_alarms, before anybody looks who is in trouble: one that is
    raised after that look is news, and not over."""
    found: dict[AlarmKind, dict[str, Alarm]] = {kind: {} for kind in kinds}
    for alarm in open_alarms().filter(kind__in=kinds):
        found[AlarmKind(alarm.kind)][alarm.subject] = alarm
    return found


def replace_alarms(kind: AlarmKind, texts: Mapping[str, CodedText], *, known: Mapping[str, Alarm]) -> None:
    """Exactly these subjects are in trouble now: the others of this kind that were `known` before are over. An open one
    takes a changed text; with another engineer in it, it is news for whoever took care of it."""
    _raise_changed(kind, texts, known=known)
    if known.keys() - texts.keys():
        clear_alarms(kind, known.keys() - texts.keys())


def _raise_changed(kind: AlarmKind, texts: Mapping[str, CodedText], *, known: Mapping[str, Alarm]) -> None:
    for subject, text in texts.items():
        if subject not in known:
            raise_alarm(kind, subject, text)
        elif (known[subject].text, known[subject].parameters) != (text.key, text.parameters_json()):
            _change_text(known[subject], text)


def _change_text(alarm: Alarm, text: CodedText) -> None:
    changes: dict[str, Any] = {**_row_of(text), "changed_at": timezone.now()}
    if alarm.parameters.get("engineer") != changes["parameters"].get("engineer"):
        changes |= {"acknowledged_at": None, "snoozed_until": None}
    Alarm.objects.filter(pk=alarm.pk, cleared_at=None).update(**changes)


def replace_parameters(found: models.QuerySet[Alarm], parameters: Mapping[str, Any]) -> int:
    """Other personal data in what they say, or none; how many there were."""
    return found.update(parameters=parameters, changed_at=timezone.now())


def open_alarms() -> models.QuerySet[Alarm]:
    return Alarm.objects.filter(cleared_at=None)


def is_grouped() -> Exists:
    """Whether an open alarm stands for an alarm and for others of the same cause: it alone is listed, and contacts are
    notified of it alone."""
    return Exists(_groups().filter(cleared_at=None))


def was_grouped() -> Exists:
    """The same of an alarm that is over, when it ended."""
    until = Q(cleared_at=None) | Q(cleared_at__gte=OuterRef("cleared_at"))
    return Exists(_groups().filter(until, raised_at__lte=OuterRef("cleared_at")))


def _groups() -> models.QuerySet[Alarm]:
    return Alarm.objects.filter(kind__in=GROUP_KINDS, subject=OuterRef("cause"))


def _open(kind: AlarmKind, subject: str) -> models.QuerySet[Alarm]:
    return Alarm.objects.filter(kind=kind, subject=subject, cleared_at=None)


def text_of(alarm: Alarm) -> CodedText:
    """What it says; `str()` in the language of whoever reads it."""
    return CodedText(alarm.text, alarm.parameters)
