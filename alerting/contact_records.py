"""Contacts, office hours and kinds of alarms as a supervisor changes them; each change is in the audit, without
addresses. A change names the version that its form was opened with. They are for all areas: whoever is limited to some
changes none, and gets PermissionDenied."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.utils import timezone

from alerting import escalation
from alerting.alarm_rules import load_urgencies
from alerting.delivery_records import create_delivery, give_up_deliveries, readdress_deliveries
from alerting.models import AlarmContact, AlarmDelivery, AlarmEvent, AlarmRule, AlertingPlan
from engineers.area_scope import check_unlimited, scope_of
from engineers.audit import record_audit
from engineers.models import User
from monitoring.coded_texts import coded_text
from monitoring.task_queue import enqueue_by_name

SEND_TASK = "alerting.delivery_tasks.send_deliveries"
# why a delivery to it failed
CONTACT_DELETED = coded_text("contact_deleted")
AUDITED = ("channel", "level", "topic", "on_call_days")
CONTACT_MEMBERS = (
    *("name", "channel", "address", "language", "level", "topic"),
    *("on_call_days", "on_call_starts", "on_call_ends"),
)
PLAN_MEMBERS = ("escalation_minutes", "office_days", "office_starts", "office_ends")


class AlertingChanged(Exception):
    """A colleague has saved this since the form was opened."""


class ContactGone(Exception):
    """A colleague has deleted this contact since the form was opened."""


def contact_version(contact: AlarmContact) -> str:
    return _version(_members(contact, CONTACT_MEMBERS))


def plan_version(plan: AlertingPlan) -> str:
    return _version(_members(plan, PLAN_MEMBERS))


def urgencies_version(urgencies: Mapping[str, str]) -> str:
    """Of all kinds of alarms together, as they are on one form."""
    return _version(urgencies)


@transaction.atomic
def add_contact(*, changes: dict[str, Any], by: User) -> AlarmContact:
    """`changes`: by the names of AlarmContact's fields."""
    check_unlimited(scope_of(by))
    contact = AlarmContact.objects.create(**changes)
    record_audit(actor=by, action="alarm_contact_added", subject=contact.name, after=_facts(contact))
    return contact


@transaction.atomic
def change_contact(*, pk: int, changes: dict[str, Any], seen: str, by: User) -> bool:
    """Whether anything was different. `seen` is the contact's version when the form was opened.

    Raises AlertingChanged, ContactGone.
    """
    check_unlimited(scope_of(by))
    contact = _locked_contact(pk)
    if contact is None:
        raise ContactGone
    earlier = _members(contact, changes)
    if earlier == changes:
        return False
    if contact_version(contact) != seen:
        raise AlertingChanged
    before = _facts(contact)
    for name, value in changes.items():
        setattr(contact, name, value)
    contact.save(update_fields=changes.keys())
    if {"channel", "address"} & {name for name, value in changes.items() if value != earlier[name]}:
        readdress_deliveries(contact, now=timezone.now())
    record_audit(
        actor=by, action="alarm_contact_changed", subject=contact.name, before=before, after=_facts(contact)
    )
    return True


@transaction.atomic
def delete_contact(*, pk: int, by: User) -> str:
    """Its name, empty where it was gone already. What was sent to it stays on the page until retention deletes it."""
    check_unlimited(scope_of(by))
    contact = _locked_contact(pk)
    if contact is None:
        return ""
    record_audit(actor=by, action="alarm_contact_deleted", subject=contact.name, before=_facts(contact))
    give_up_deliveries(contact, reason=CONTACT_DELETED, now=timezone.now())
    contact.delete()
    return contact.name


def send_test(*, contact: AlarmContact) -> AlarmDelivery:
    """A delivery like any other, sent by the worker at once."""
    delivery = create_delivery(contact, [], event=AlarmEvent.TEST, now=timezone.now())
    enqueue_by_name(SEND_TASK)
    return delivery


@transaction.atomic
def change_plan(*, changes: dict[str, Any], seen: str, by: User) -> bool:
    """Whether anything was different. `changes`: every name of PLAN_MEMBERS; `seen`: the plan's version when the form
    was opened. Raises AlertingChanged."""
    check_unlimited(scope_of(by))
    plan = _locked_plan()
    if _members(plan, PLAN_MEMBERS) == changes:
        return False
    if plan_version(plan) != seen:
        raise AlertingChanged
    before = _plan_facts(plan)
    for name in PLAN_MEMBERS:
        setattr(plan, name, changes[name])
    plan.save()
    record_audit(
        actor=by, action="alarm_hours_changed", subject="alarms", before=before, after=_plan_facts(plan)
    )
    return True


@transaction.atomic
def change_urgencies(urgencies: Mapping[str, str], *, seen: str, by: User) -> list[str]:
    """The kinds that are changed by it; the others stay as they are. `seen`: the version of all when the form was
    opened. Raises AlertingChanged."""
    check_unlimited(scope_of(by))
    # a kind has no row before its first change, so the plan's row is locked in its place
    _locked_plan()
    before = load_urgencies()
    changed = {kind: urgency for kind, urgency in urgencies.items() if before[kind] != urgency}
    if not changed:
        return []
    if urgencies_version(before) != seen:
        raise AlertingChanged
    for kind, urgency in changed.items():
        AlarmRule.objects.update_or_create(kind=kind, defaults={"urgency": urgency})
    record_audit(
        actor=by,
        action="alarm_rules_changed",
        subject="alarms",
        before={kind: before[kind] for kind in changed},
        after=changed,
    )
    return list(changed)


def _locked_contact(pk: int) -> AlarmContact | None:
    # first the plan, which is locked while deliveries are created: none is to an address that we are changing
    _locked_plan()
    return AlarmContact.objects.select_for_update().filter(pk=pk).first()


def _locked_plan() -> AlertingPlan:
    escalation.load_plan()
    return AlertingPlan.objects.select_for_update().get()


def _members(record: AlarmContact | AlertingPlan, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names}


def _version(values: Mapping[str, Any]) -> str:
    """Changes with every value."""
    text = json.dumps(values, cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _facts(contact: AlarmContact) -> dict[str, Any]:
    hours = [str(contact.on_call_starts or ""), str(contact.on_call_ends or "")]
    return {name: getattr(contact, name) for name in AUDITED} | {"on_call_hours": hours}


def _plan_facts(plan: AlertingPlan) -> dict[str, Any]:
    return {name: _plain(getattr(plan, name)) for name in PLAN_MEMBERS}


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | list) else str(value)
