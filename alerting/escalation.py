"""Which open alarms are due for which level of contacts. Each alarm and level is notified once.

Level 1 is notified when an alarm is seen; the next level after `escalation_minutes` in which nobody took care of it. A
level of which nobody is on call is skipped. Urgent kinds are notified at any hour, the others while the office is open.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from alerting import cleared_alarms, on_call
from alerting.alarm_messages import NotifiedAlarm
from alerting.alarm_rules import load_urgencies, topic_of
from alerting.delivery_records import create_delivery
from alerting.models import AlarmContact, AlarmEvent, AlarmNotice, AlarmTopic, AlertingPlan, Urgency
from monitoring.alarms import is_unhandled, open_alarms
from monitoring.models import Alarm

PLAN_PK = 1


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
        if urgency == Urgency.OFFICE_HOURS and not on_call.is_office_open(self.plan, self.now):
            return False
        # also where it was cleared and raised again: what flaps is notified once in this time
        last = self.noticed_at.get((alarm.kind, alarm.subject))
        return last is None or self.now - last >= timedelta(minutes=self.plan.escalation_minutes)

    def contacts_by_level(self, alarm: Alarm) -> dict[int, list[AlarmContact]]:
        topics = {AlarmTopic.ALL, topic_of(alarm.kind)}
        found: dict[int, list[AlarmContact]] = {}
        for contact in self.contacts:
            if contact.topic in topics and on_call.is_on_call(contact, self.now):
                found.setdefault(contact.level, []).append(contact)
        return found


def load_plan() -> AlertingPlan:
    return AlertingPlan.objects.get_or_create(pk=PLAN_PK)[0]


@transaction.atomic
def create_due_deliveries(now: datetime | None = None) -> int:
    """Notices and deliveries of what is due, and deliveries of what is over; how many deliveries. Two runs at the same
    time wait for each other."""
    now = now or timezone.now()
    load_plan()
    plan = AlertingPlan.objects.select_for_update().get(pk=PLAN_PK)
    contacts = list(AlarmContact.objects.all())
    if not contacts:
        return 0
    alarms = list(open_alarms().order_by("raised_at", "pk").prefetch_related("notices"))
    rota = OnCallRota(plan, load_urgencies(), contacts, _last_notices(alarms), now)
    due = [notice for alarm in alarms if (notice := _due_notice(alarm, rota))]
    AlarmNotice.objects.bulk_create(
        AlarmNotice(alarm=notice.alarm, level=notice.level, noticed_at=now) for notice in due
    )
    return _create_deliveries(due, now) + cleared_alarms.create_cleared_deliveries(contacts, now)


def _last_notices(alarms: list[Alarm]) -> dict[tuple[str, str], datetime]:
    kinds = {alarm.kind for alarm in alarms}
    rows = AlarmNotice.objects.filter(alarm__kind__in=kinds).values_list("alarm__kind", "alarm__subject")
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
