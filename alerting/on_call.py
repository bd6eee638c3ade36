"""Hours of a week: when the office is open and when a contact is on call."""

from collections.abc import Collection
from datetime import datetime, time

from django.utils import timezone

from alerting.models import AlarmContact, AlertingPlan


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
