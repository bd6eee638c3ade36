"""Which open alarms are due for which level of contacts, and who is on call. Each alarm and level is notified once.

Level 1 is notified when an alarm is seen; the next level after `escalation_minutes` in which nobody took care of it. A
level of which nobody is on call is skipped. Urgent kinds are notified at any hour, the others while the office is open.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from alerting.alarm_messages import NotifiedAlarm
from alerting.alarm_rules import notice_urgencies, topic_of
from alerting.delivery_records import create_cleared_deliveries, create_delivery
from alerting.models import AlarmContact, AlarmEvent, AlarmNotice, AlarmTopic, AlertingPlan
from monitoring.alarm_kinds import alarm_kind_facts
from monitoring.alarms import is_grouped, is_unhandled, open_alarms
from monitoring.models import Alarm, Urgency

PLAN_PK = 1


def is_within(moment: datetime, days: Collection[int], starts: time | None, ends: time | None) -> bool:
    """`days`: Monday is 0. All day without hours; with an end before the start they go on over midnight, and belong to
    the day on which they begin."""
    local = timezone.localtime(moment)
    today, now = local.weekday(), local.time()
    if starts is None or ends is None or starts == ends:
        return today in days
    if starts < ends:
        return today in days and starts <= now < ends
    is_evening, is_morning = now >= starts, now < ends
    return (is_evening and today in days) or (is_morning and (today - 1) % 7 in days)


def is_office_open(plan: AlertingPlan, moment: datetime) -> bool:
    return is_within(moment, plan.office_days, plan.office_starts, plan.office_ends)


def is_on_call(contact: AlarmContact, moment: datetime) -> bool:
    return is_within(moment, contact.on_call_days, contact.on_call_starts, contact.on_call_ends)


@dataclass(frozen=True)
class DueNotice:
    """An alarm, the level that is notified now, and who of it is on call."""

    alarm: Alarm
    level: int
    contacts: list[AlarmContact]


@dataclass(frozen=True)
class OnCallRota:
    """What decides at one moment, read once for all alarms."""

    plan: AlertingPlan
    urgencies: dict[str, Urgency]
    contacts: list[AlarmContact]
    # (kind, subject) of an alarm -> when somebody was last notified of it, also of an earlier one
    noticed_at: dict[tuple[str, str], datetime]
    now: datetime

    def is_due(self, alarm: Alarm) -> bool:
        """Whether anybody should be notified of it at this hour."""
        urgency = self.urgencies.get(alarm.kind, Urgency.ANY_HOUR)
        if not is_unhandled(alarm, now=self.now) or urgency == Urgency.BOARD_ONLY:
            return False
        if urgency == Urgency.OFFICE_HOURS and not is_office_open(self.plan, self.now):
            return False
        last = self._last_notice(alarm)
        return last is None or self.now - last >= timedelta(minutes=self.plan.escalation_minutes)

    def _last_notice(self, alarm: Alarm) -> datetime | None:
        """Also of one that was cleared and raised again: what flaps is notified once in the minutes. A person's danger
        is never the one before."""
        if not alarm_kind_facts(alarm.kind).is_danger:
            return self.noticed_at.get((alarm.kind, alarm.subject))
        own = [notice.noticed_at for notice in alarm.notices.all()]
        return max((at for at in own if at <= self.now), default=None)

    def contacts_by_level(self, alarm: Alarm) -> dict[int, list[AlarmContact]]:
        topics = {AlarmTopic.ALL, topic_of(alarm.kind)}
        found: dict[int, list[AlarmContact]] = {}
        for contact in self.contacts:
            if contact.topic in topics and is_on_call(contact, self.now):
                found.setdefault(contact.level, []).append(contact)
        return found


def load_plan() -> AlertingPlan:
    return AlertingPlan.objects.get_or_create(pk=PLAN_PK)[0]


@transaction.atomic
def create_due_deliveries(now: datetime | None = None) -> int:
    """Notices and deliveries of what is due, and deliveries of what is over; how many deliveries. Two runs at the same
    time wait for each other."""
    load_plan()
    plan = AlertingPlan.objects.select_for_update().get(pk=PLAN_PK)
    # not before: what a run that we waited for has noticed would lie ahead of us
    now = now or timezone.now()
    contacts = list(AlarmContact.objects.all())
    if not contacts:
        return 0
    listed = open_alarms().exclude(is_grouped())
    alarms = list(listed.order_by("raised_at", "pk").prefetch_related("notices"))
    rota = OnCallRota(plan, notice_urgencies(), contacts, _last_notices(alarms, now), now)
    due = [notice for alarm in alarms if (notice := _due_notice(alarm, rota))]
    AlarmNotice.objects.bulk_create(
        AlarmNotice(alarm=notice.alarm, level=notice.level, noticed_at=now) for notice in due
    )
    return _create_deliveries(due, now) + create_cleared_deliveries(contacts, now)


def _last_notices(alarms: list[Alarm], now: datetime) -> dict[tuple[str, str], datetime]:
    """Without those of a clock that was ahead and is put back: they would silence an alarm until that moment."""
    known = AlarmNotice.objects.filter(alarm__kind__in={alarm.kind for alarm in alarms}, noticed_at__lte=now)
    rows = known.values_list("alarm__kind", "alarm__subject")
    return {(kind, subject): at for kind, subject, at in rows.annotate(last=Max("noticed_at"))}


def _due_notice(alarm: Alarm, rota: OnCallRota) -> DueNotice | None:
    if not rota.is_due(alarm):
        return None
    notified = max((notice.level for notice in alarm.notices.all()), default=0)
    on_call_now = rota.contacts_by_level(alarm)
    level = min((level for level in on_call_now if level > notified), default=None)
    return None if level is None else DueNotice(alarm, level, on_call_now[level])


def _create_deliveries(due: Iterable[DueNotice], now: datetime) -> int:
    """One for each contact, however many alarms there are: a hundred alarms at once are one message."""
    by_contact: dict[int, tuple[AlarmContact, list[NotifiedAlarm]]] = {}
    for notice in due:
        for contact in notice.contacts:
            notified = by_contact.setdefault(contact.pk, (contact, []))[1]
            notified.append(NotifiedAlarm(notice.alarm, notice.level))
    for contact, notified in by_contact.values():
        create_delivery(contact, notified, event=AlarmEvent.RAISED, now=now)
    return len(by_contact)
