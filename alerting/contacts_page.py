"""The page of alarm contacts: who is notified, when, about what, and what became of it; with forms for a supervisor."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from alerting import escalation
from alerting.alarm_rules import load_urgencies
from alerting.forms import (
    AlertingPlanForm,
    ContactForm,
    UrgencyForm,
    contact_values,
    plan_values,
    urgency_values,
)
from alerting.models import AlarmContact, AlarmDelivery, AlarmDeliveryState, AlertingPlan, Channel
from board.formatting import format_moment
from engineers.former_accounts import name_for_reader
from engineers.models import Weekday
from monitoring.coded_texts import reason_text

MOST_DELIVERIES = 50
TONES = {AlarmDeliveryState.DELIVERED: "good", AlarmDeliveryState.FAILED: "alarm"}


@dataclass(frozen=True)
class ContactLine:
    """`form` only for whoever may change it."""

    pk: int
    name: str
    facts: list[str]
    form: ContactForm | None


@dataclass(frozen=True)
class DeliveryLine:
    """`details`: why it was not delivered, or the next attempt."""

    created: str
    contact: str
    title: str
    state: str
    tone: str
    details: str


@dataclass(frozen=True)
class BoundForms:
    """What was sent and is wrong, with its errors: a contact's form (without `contact_pk` a new one's), or another."""

    contact: ContactForm | None = None
    contact_pk: int | None = None
    plan: AlertingPlanForm | None = None
    urgencies: UrgencyForm | None = None


@dataclass(frozen=True)
class ContactsPage:
    contacts: list[ContactLine]
    plan_text: str
    deliveries: list[DeliveryLine]
    new_form: ContactForm | None
    plan_form: AlertingPlanForm | None
    urgency_form: UrgencyForm | None


def contacts_page(*, can_change: bool, bound: BoundForms | None = None) -> ContactsPage:
    bound = bound or BoundForms()
    plan = escalation.load_plan()
    lines = [_line(contact, bound, can_change=can_change) for contact in AlarmContact.objects.all()]
    deliveries = [_delivery(row) for row in AlarmDelivery.objects.all()[:MOST_DELIVERIES]]
    if not can_change:
        return ContactsPage(lines, _plan_text(plan), deliveries, None, None, None)
    return ContactsPage(
        lines,
        _plan_text(plan),
        deliveries,
        new_form=_new_form(bound),
        plan_form=bound.plan or AlertingPlanForm(initial=plan_values(plan), auto_id="plan-%s"),
        urgency_form=bound.urgencies or _urgency_form(),
    )


def _urgency_form() -> UrgencyForm:
    return UrgencyForm(initial=urgency_values(load_urgencies()), auto_id="kind-%s")


def _new_form(bound: BoundForms) -> ContactForm:
    if bound.contact and bound.contact_pk is None:
        return bound.contact
    return ContactForm(initial=contact_values(AlarmContact()), auto_id="new-%s")


def _line(contact: AlarmContact, bound: BoundForms, *, can_change: bool) -> ContactLine:
    form = None
    if can_change:
        is_bound = bound.contact_pk == contact.pk
        form = bound.contact if is_bound else contact_form(contact)
    return ContactLine(contact.pk, contact.name, _facts(contact), form)


def contact_form(contact: AlarmContact) -> ContactForm:
    return ContactForm(initial=contact_values(contact), auto_id=f"contact-{contact.pk}-%s")


def _facts(contact: AlarmContact) -> list[str]:
    hours = ""
    if contact.on_call_starts and contact.on_call_ends:
        hours = f"{contact.on_call_starts:%H:%M}–{contact.on_call_ends:%H:%M}"
    on_call = " ".join(filter(None, [_days(contact.on_call_days), hours]))
    return [
        _("Level %(level)d") % {"level": contact.level},
        f"{contact.get_channel_display()}: {contact.address}",
        contact.get_topic_display(),
        _("On call: %(hours)s") % {"hours": on_call},
    ]


def _days(days: list[int]) -> str:
    if len(days) == len(Weekday):
        return _("every day")
    return ", ".join(str(Weekday(day).label) for day in sorted(days))


def _plan_text(plan: AlertingPlan) -> str:
    text = ngettext(
        "Office hours: %(days)s, %(starts)s–%(ends)s. The next level is notified after %(minutes)d minute.",
        "Office hours: %(days)s, %(starts)s–%(ends)s. The next level is notified after %(minutes)d minutes.",
        plan.escalation_minutes,
    )
    return text % {
        "days": _days(plan.office_days),
        "starts": f"{plan.office_starts:%H:%M}",
        "ends": f"{plan.office_ends:%H:%M}",
        "minutes": plan.escalation_minutes,
    }


def _state_text(row: AlarmDelivery) -> str:
    """A mail server or an SMS gateway took it: whether it reached anybody is not known."""
    is_handed_over = row.channel != Channel.WEBHOOK and row.state == AlarmDeliveryState.DELIVERED
    return _("Sent") if is_handed_over else row.get_state_display()


def _delivery(row: AlarmDelivery) -> DeliveryLine:
    details = reason_text(row.last_error)
    if row.state == AlarmDeliveryState.WAITING and row.attempts:
        details += " · " + _("Next attempt: %(at)s") % {"at": format_moment(row.due_at)}
    tone = TONES.get(AlarmDeliveryState(row.state), "warning" if row.last_error else "")
    return DeliveryLine(
        created=format_moment(row.created_at),
        contact=f"{name_for_reader(row.contact_name)} ({row.get_channel_display()})",
        title=row.title,
        state=_state_text(row),
        tone=tone,
        details=details,
    )
