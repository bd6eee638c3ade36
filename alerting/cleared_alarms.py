"""Alarms that are over: a webhook that got one is notified once, so that its system can close what it opened.

At any hour, also for a contact that is not on call any more. A person gets no message: the board says it.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from alerting.alarm_messages import NotifiedAlarm
from alerting.delivery_records import create_delivery
from alerting.models import AlarmContact, AlarmDelivery, AlarmDeliveryState, AlarmEvent, Channel
from monitoring.models import Alarm

# longer than any delivery is retried; older alarms need not be looked through each minute
CLEARED_WITHIN = timedelta(days=1)


def create_cleared_deliveries(contacts: Iterable[AlarmContact], now: datetime) -> int:
    """How many. The caller holds the lock that keeps a second run away (escalation.py)."""
    count = 0
    for contact in contacts:
        if contact.channel != Channel.WEBHOOK:
            continue
        found = [NotifiedAlarm(alarm, contact.level) for alarm in _cleared_alarms(contact, now)]
        if found:
            create_delivery(contact, found, event=AlarmEvent.CLEARED, now=now)
            count += 1
    return count


def _cleared_alarms(contact: AlarmContact, now: datetime) -> QuerySet[Alarm]:
    """Those whose beginning has arrived at this contact, and whose end was not sent yet."""
    about_it = AlarmDelivery.objects.filter(alarms=OuterRef("pk"), contact=contact)
    known = about_it.filter(event=AlarmEvent.RAISED, state=AlarmDeliveryState.DELIVERED)
    found = Alarm.objects.filter(cleared_at__gt=now - CLEARED_WITHIN)
    return found.filter(Exists(known), ~Exists(about_it.filter(event=AlarmEvent.CLEARED))).order_by("pk")
