"""The row of one message to one contact; the worker sends it (deliveries.py)."""

from collections.abc import Sequence
from datetime import datetime

from alerting.alarm_messages import NotifiedAlarm, compose
from alerting.models import AlarmContact, AlarmDelivery, AlarmEvent


def create_delivery(
    contact: AlarmContact, notified: Sequence[NotifiedAlarm], *, event: AlarmEvent, now: datetime
) -> AlarmDelivery:
    """Text and address are frozen here. A test has no alarms."""
    message = compose(notified, event=event, language=contact.language, now=now)
    delivery = AlarmDelivery.objects.create(
        contact=contact,
        contact_name=contact.name,
        channel=contact.channel,
        address=contact.address,
        event=event,
        alarm_count=len(notified),
        title=message.title,
        text=message.text,
        payload=message.payload,
        created_at=now,
        due_at=now,
    )
    delivery.alarms.set([each.alarm for each in notified])
    return delivery
