"""The buttons of an order: what the seller does with it, and what its buyer or another one sends about it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from seller_sandbox.console import control_requests, text_formats
from seller_sandbox.console.buttons import button, pressed_only
from seller_sandbox.console.orders import buyer_requests, survey_forms
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.orders import network_actions, seller_actions
from seller_sandbox.orders.models import Order


@dataclass(frozen=True)
class Filled:
    """A form that was filled in for an order."""

    reference: str
    data: QueryDict

    def text(self, name: str) -> str:
        """Raises ActionNotPossible for a text that no message can hold."""
        found = self.data.get(name, "").strip()
        try:
            return control_requests.text(found) if found else ""
        except ValueError as problem:
            raise ActionNotPossible(f"{name}: {problem}.") from problem

    def day(self, name: str) -> date:
        """Raises ActionNotPossible, also when there is none."""
        try:
            return control_requests.day(self.text(name))
        except ValueError as problem:
            raise ActionNotPossible(f"Date: {problem}. Choose another one.") from problem

    def day_or_none(self, name: str) -> date | None:
        return self.day(name) if self.text(name) else None


def _cancel(form: Filled) -> str:
    seller_actions.cancel(reference=form.reference, code=form.text("code"), message=form.text("message"))
    return "The order is cancelled by the seller."


def _miss(form: Filled) -> str:
    seller_actions.miss_appointment(reference=form.reference, code=form.text("code"))
    return (
        "The appointment is missed. The partner's job is being cancelled, and the order waits for a new one."
    )


def _reappoint(form: Filled) -> str:
    seller_actions.reappoint(reference=form.reference, not_before=form.day_or_none("day"))
    return "The seller has made a new appointment."


def _complete(form: Filled) -> str:
    seller_actions.complete(reference=form.reference)
    return "The order is completed."


def _delay(form: Filled) -> str:
    seller_actions.delay(reference=form.reference, code=form.text("code"))
    return "The order is delayed."


def _end_delay(form: Filled) -> str:
    seller_actions.end_delay(reference=form.reference, code=form.text("code"))
    return "The delay has ended."


def _repair(form: Filled) -> str:
    seller_actions.record_repair(reference=form.reference)
    return "The network is repaired, and the order has an appointment."


def _activation(form: Filled) -> str:
    succeeded = form.text("succeeded") == "yes"
    seller_actions.record_activation(reference=form.reference, succeeded=succeeded)
    return "The activation succeeded." if succeeded else "The activation failed, and the order is delayed."


def _warn(form: Filled) -> str:
    seller_actions.note_warning(reference=form.reference, code=form.text("code"))
    return "The warning is noted: Completed (KCI3) will carry it."


def _open_case(form: Filled) -> str:
    if not form.text("text"):
        raise ActionNotPossible("Question: write what the buyer is asked.")
    case = seller_actions.open_case(reference=form.reference, text=form.text("text"))
    return f"The case {case.reference} is open."


def _comment_case(form: Filled) -> str:
    if not form.text("text"):
        raise ActionNotPossible("Comment: write what the buyer is told.")
    seller_actions.comment_case(reference=form.reference, case=form.text("case"), text=form.text("text"))
    return "The comment is on its way to the buyer."


def _close_case(form: Filled) -> str:
    seller_actions.close_case(reference=form.reference, case=form.text("case"), text=form.text("text"))
    return f"The case {form.text('case')} is closed."


def _agreed_visit(form: Filled) -> str:
    seller_actions.record_agreed_visit(reference=form.reference, job=form.text("job"))
    return "The visit outside its slot is recorded as agreed."


def _mborc(form: Filled) -> str:
    seller_actions.declare_mborc(reference=form.reference, job=form.text("job"))
    return "The missed appointment counts as beyond reasonable control."


def _exclude(form: Filled) -> str:
    seller_actions.add_exclusion(
        reference=form.reference,
        code=form.text("code"),
        starts_on=form.day("starts_on"),
        ends_on=form.day("ends_on"),
    )
    return "The exclusion is recorded."


def _send_again(form: Filled) -> str:
    number = seller_actions.send_refused_again(reference=form.reference)
    return f"{text_formats.counted(number, 'message goes', 'messages go')} out again."


def _repeat(form: Filled) -> str:
    try:
        message_id = UUID(form.text("message_id"))
    except ValueError as problem:
        raise ActionNotPossible("Notification: choose one of the list.") from problem
    seller_actions.repeat_notification(reference=form.reference, message_id=message_id)
    return "The notification goes out once more, word for word."


ACTIONS: dict[str, Callable[[Filled], str]] = {
    "cancel": _cancel,
    "miss": _miss,
    "reappoint": _reappoint,
    "complete": _complete,
    "delay": _delay,
    "end-delay": _end_delay,
    "repair": _repair,
    "activation": _activation,
    "warn": _warn,
    "open-case": _open_case,
    "comment-case": _comment_case,
    "close-case": _close_case,
    "agreed-visit": _agreed_visit,
    "mborc": _mborc,
    "exclude": _exclude,
    "send-again": _send_again,
    "repeat": _repeat,
    "desktop-survey": lambda form: survey_forms.record_desktop(
        form.reference, form.data, earliest=form.day_or_none("earliest")
    ),
    "physical-survey": lambda form: survey_forms.record_physical(
        form.reference, form.data, earliest=form.day_or_none("earliest")
    ),
    "buyer-cancel": lambda form: buyer_requests.cancel(form.reference, form.data),
    "buyer-amend": lambda form: buyer_requests.amend(form.reference, form.data),
}


@button
def act(request: HttpRequest, reference: str, action: str) -> str:
    """One action on one order."""
    if action not in ACTIONS or not Order.objects.filter(seller_order_reference=reference).exists():
        raise Http404
    return ACTIONS[action](Filled(reference, request.POST))


@button
def move_release(request: HttpRequest, uprn: str) -> str:
    """The cabinet of these premises goes live on another day."""
    day = Filled("", request.POST).day("day")
    slipped = network_actions.move_release(uprn=uprn, day=day)
    orders = text_formats.counted(len(slipped), "order slips", "orders slip")
    return f"The cabinet goes live on {text_formats.full_day(day)}; {orders}."


@pressed_only
def switch_provider(request: HttpRequest, uprn: str) -> HttpResponse:
    """Another buyer takes the line over; the page is that of its order."""
    try:
        placed = buyer_requests.place_takeover(uprn, request.POST)
    except ActionNotPossible as refusal:
        messages.error(request, f"No order was placed. {refusal}")
        return redirect("location", uprn)
    messages.success(request, f"{placed.buyer.name} has ordered a {placed.new_order_type} at UPRN {uprn}.")
    return redirect("order", placed.seller_order_reference)
