"""Contacts and office hours as a supervisor changes them; each change is in the audit, without addresses."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from alerting import escalation
from alerting.delivery_records import create_delivery
from alerting.models import AlarmContact, AlarmDelivery, AlarmEvent, AlertingPlan
from engineers.models import User
from engineers.staff import record_audit
from monitoring.task_queue import enqueue_by_name

SEND_TASK = "alerting.delivery_tasks.send_deliveries"
AUDITED = ("channel", "level", "topic", "on_call_days")
PLAN_MEMBERS = ("escalation_minutes", "office_days", "office_starts", "office_ends")


@transaction.atomic
def save_contact(*, contact: AlarmContact | None, changes: dict[str, Any], by: User) -> AlarmContact:
    """Without `contact` a new one. `changes`: by the names of AlarmContact's fields."""
    before = _facts(contact) if contact else None
    saved = contact or AlarmContact()
    for name, value in changes.items():
        setattr(saved, name, value)
    saved.save()
    action = "alarm_contact_changed" if before else "alarm_contact_added"
    record_audit(actor=by, action=action, subject=saved.name, before=before, after=_facts(saved))
    return saved


@transaction.atomic
def delete_contact(*, contact: AlarmContact, by: User) -> None:
    """What was sent to it stays on the page until retention deletes it."""
    record_audit(actor=by, action="alarm_contact_deleted", subject=contact.name, before=_facts(contact))
    contact.delete()


def send_test(*, contact: AlarmContact) -> AlarmDelivery:
    """A delivery like any other, sent by the worker at once."""
    delivery = create_delivery(contact, [], event=AlarmEvent.TEST, now=timezone.now())
    enqueue_by_name(SEND_TASK)
    return delivery


@transaction.atomic
def change_plan(*, changes: dict[str, Any], by: User) -> AlertingPlan:
    """`changes`: every name of PLAN_MEMBERS."""
    escalation.load_plan()
    plan = AlertingPlan.objects.select_for_update().get()
    before = _plan_facts(plan)
    for name in PLAN_MEMBERS:
        setattr(plan, name, changes[name])
    plan.save()
    record_audit(
        actor=by, action="alarm_hours_changed", subject="alarms", before=before, after=_plan_facts(plan)
    )
    return plan


def _facts(contact: AlarmContact) -> dict[str, Any]:
    hours = [str(contact.on_call_starts or ""), str(contact.on_call_ends or "")]
    return {name: getattr(contact, name) for name in AUDITED} | {"on_call_hours": hours}


def _plan_facts(plan: AlertingPlan) -> dict[str, Any]:
    return {name: _plain(getattr(plan, name)) for name in PLAN_MEMBERS}


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | list) else str(value)
