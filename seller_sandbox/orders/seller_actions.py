"""What a person at the seller does with an order: one function for each action of console and control interface.

Each locks its order. What cannot be done now raises ActionNotPossible, whose sentence says why and what to do; an
unknown order raises Order.DoesNotExist.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any
from uuid import UUID

from django.db import transaction

from seller_sandbox import due_actions
from seller_sandbox.jobs import dispatching
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.messages import outbox
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.network import products
from seller_sandbox.orders import (
    cancellations,
    cases,
    completion,
    lifecycle,
    reasons,
    steps,
    visit_results,
    visits,
)
from seller_sandbox.orders.appointments import missed_appointments, missed_visits, reappointments
from seller_sandbox.orders.completion import ScannedOnt
from seller_sandbox.orders.complex import complex_surveys
from seller_sandbox.orders.late_orders import delays, late_provision, open_delays
from seller_sandbox.orders.lifecycle import EventNotPossible
from seller_sandbox.orders.models import Case, Exclusion, Order, OrderKind, OrderVisit
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderEventKind, OrderState

# what `delay` and `note_warning` take, by code
DELAYS: dict[str, Reason] = {
    code: found for code, found in reasons.by_code().items() if code in delays.NEXT_BEST_ACTIONS
}
WARNINGS: dict[str, Reason] = {
    found.code: found for found in (reasons.WARNING_NO_CPE, reasons.WARNING_SPEED, reasons.WARNING_PARTIAL)
}


@contextmanager
def _locked(reference: str) -> Iterator[Order]:
    """The order, locked; what its state does not allow is not possible."""
    with transaction.atomic():
        try:
            yield lifecycle.lock(reference)
        except EventNotPossible as problem:
            raise ActionNotPossible(
                f"{problem}. Look at the state of the order and choose another action."
            ) from problem


# --- course and end of an order -------------------------------------------------------------------------------
def cancel(*, reference: str, code: str = "", message: str = "") -> Order:
    """The order can no longer progress (States, seller cancel); a code that is not known needs a message."""
    reason = cancellations.reason_of_seller(code, message)
    with _locked(reference) as order:
        _refuse_on_site(order)
        cancellations.end(order, OrderEventKind.SELLER_CANCELLED, reason)
    return order


def reappoint(*, reference: str, not_before: date | None = None) -> Order:
    """A new appointment of the seller's choice: the first free slot from this day on, or from the earliest day.

    A visit that is planned is cancelled at the partner first; the new pack follows.
    """
    with _locked(reference) as order:
        if order.state != OrderState.COMMITTED or not order.is_appointed:
            raise ActionNotPossible(
                "The seller appoints only an order with an engineer that is Committed; "
                "before that the buyer adds an appointment."
            )
        _refuse_on_site(order)
        reappointments.change_appointment(order, not_before=not_before)
    return order


def _refuse_on_site(order: Order) -> None:
    """The partner cancels no visit that has begun (job-messages.md, cancelJob)."""
    if visits.has_engineer_on_site(order):
        raise ActionNotPossible(
            "The engineer is on site: neither order nor appointment can be cancelled now. Wait for the closeJob."
        )


def complete(*, reference: str, ont: ScannedOnt | None = None) -> Order:
    """An order that waits for a person is provided after all: KCI3.

    `ont` is the device at the premises; without it the one scanned last, or the one known there.
    """
    with _locked(reference) as order:
        if order.state != OrderState.COMMITTED:
            raise ActionNotPossible("Only an order that is Committed can be completed.")
        if visits.planned(order):
            raise ActionNotPossible(
                "A visit of the partner is planned. Wait for its closeJob, or cancel the order."
            )
        scanned = ont or _scanned_last(order)
        if order.kind == OrderKind.NEW_INSTALL and not scanned and not products.find_ont(order.location):
            raise ActionNotPossible("No ONT is known at the premises. Give the ont that was installed.")
        if not completion.can_use(order, scanned):
            raise ActionNotPossible(
                f"An ONT with the FSAN {scanned.fsan} is installed elsewhere, or there is none. Give the right ont."
            )
        completion.complete(order, scanned=scanned)
    return order


def _scanned_last(order: Order) -> ScannedOnt | None:
    visit = order.visits.select_related("job__thread").last()
    return visit_results.scanned_by(visit.job) if visit else None


def delay(*, reference: str, code: str) -> Order:
    """Delay an order with one of DELAYS, for example 220 because of pets; a planned visit stays as it is.

    Those that give the buyer 30 days begin them, and are not possible while an appointment or a date stands.
    """
    if code not in DELAYS:
        raise ActionNotPossible(f"code: {code!r} is none of {', '.join(sorted(DELAYS))}")
    with _locked(reference) as order:
        delays.delay_by_hand(order, DELAYS[code])
    return order


def end_delay(*, reference: str, code: str = "") -> Order:
    """What the order waited for is there; no notification says so. Its other delays go on.

    `code` is that of an open delay; without it the newest one ends. An order that then has no appointment, and no
    window in which its buyer must make one, is delayed by 232 with 30 days.
    """
    with _locked(reference) as order:
        delays.end_by_hand(order, code or order.delay_code)
    return order


def record_repair(*, reference: str) -> Order:
    """The network is repaired: the seller appoints again at once instead of after the usual days.

    An appointment that stands is kept.
    """
    with _locked(reference) as order:
        if not open_delays.is_open(order, reasons.DELAY_NETWORK):
            raise ActionNotPossible("The order does not wait for a repair (delay 233).")
        due_actions.cancel(visit_results.REPAIRED, subject=reference)
        reappointments.continue_after_repair(order)
    return order


def record_activation(*, reference: str, succeeded: bool) -> Order:
    """The result of an activation without an engineer: a failed one delays the order until one succeeds.

    A success completes the order on its date, or at once when that has passed.
    """
    with _locked(reference) as order:
        is_remote = order.kind == OrderKind.NEW_INSTALL and not order.is_appointed
        if not is_remote or order.state != OrderState.COMMITTED:
            raise ActionNotPossible(
                "Only an order without an engineer that is Committed is activated by the seller. "
                "For a visit, send the provisioning result of its job."
            )
        if not succeeded:
            due_actions.cancel(steps.COMPLETE, subject=reference)
            delays.delay(order, reasons.DELAY_ACTIVATION)
            return order
        delays.end_if_open(order, reasons.DELAY_ACTIVATION)
        steps.schedule_completion(order)
    return order


def note_warning(*, reference: str, code: str) -> Order:
    """No CPE (590), a failed speed check (591) or a failed CPE install (592): KCI3 will carry the warning."""
    if code not in WARNINGS:
        raise ActionNotPossible(f"code: {code!r} is none of {', '.join(sorted(WARNINGS))}")
    with _locked(reference) as order:
        lifecycle.record(order, OrderEventKind.WARNED, details=WARNINGS[code].as_members())
    return order


# --- surveys of a complex order -------------------------------------------------------------------------------
def record_desktop_survey(*, reference: str, **result: Any) -> Order:
    """End the desktop survey; `result` as complex_surveys.record_desktop_survey takes it."""
    with _locked(reference) as order:
        complex_surveys.record_desktop_survey(order, **result)
    return order


def record_physical_survey(*, reference: str, **result: Any) -> Order:
    """Finalise the cost; `result` as complex_surveys.record_physical_survey takes it."""
    with _locked(reference) as order:
        complex_surveys.record_physical_survey(order, **result)
    return order


def miss_appointment(*, reference: str, code: str) -> Order:
    """Nobody could work in the slot that has begun; `code` is one of missed_visits.MISSED."""
    with _locked(reference) as order:
        missed_visits.miss(order, code=code)
    return order


# --- compensation ---------------------------------------------------------------------------------------------
def record_agreed_visit(*, reference: str, job: str = "") -> Order:
    """The engineer came outside the slot and the end customer had agreed (Missed Appointment rules 3).

    `job` is the sellerJobId of the visit; without it the last one.
    """
    with _locked(reference) as order:
        missed_visits.agree_visit(order, _visit(order, job))
    return order


def declare_mborc(*, reference: str, job: str = "") -> Order:
    """What happened to the appointment of this visit was beyond reasonable control."""
    with _locked(reference) as order:
        appointment = _visit(order, job).appointment
        if appointment is None:
            raise ActionNotPossible("This visit had no appointment. Choose one that had.")
        missed_appointments.declare_mborc(order, appointment=appointment)
    return order


def add_exclusion(*, reference: str, code: str, starts_on: date, ends_on: date) -> Exclusion:
    """Days of the delay that are not the seller's (Exclusion reason codes)."""
    with _locked(reference) as order:
        return late_provision.add_exclusion(order, code=code, starts_on=starts_on, ends_on=ends_on)


def _visit(order: Order, job: str) -> OrderVisit:
    found = order.visits.select_related("appointment", "job")
    visit = found.filter(job__seller_job_id=job).first() if job else found.last()
    if visit is None:
        raise ActionNotPossible("The order has no such visit. Its visits are listed with the order.")
    return visit


# --- cases ----------------------------------------------------------------------------------------------------
def open_case(*, reference: str, text: str) -> Case:
    """Ask the buyer something; it replies by amendment."""
    with _locked(reference) as order:
        return cases.open_case(order, text=text)


def comment_case(*, reference: str, case: str, text: str) -> Case:
    with _locked(reference) as order:
        found = _open_case(order, case)
        cases.comment(order, found, text=text, by_buyer=False)
    return found


def close_case(*, reference: str, case: str, text: str = "") -> Case:
    with _locked(reference) as order:
        found = _open_case(order, case)
        cases.close_case(order, found, text=text)
    return found


def _open_case(order: Order, case: str) -> Case:
    found = order.cases.filter(reference=case).first()
    if found is None:
        raise ActionNotPossible(f"The order has no case {case}. Its cases are listed with the order.")
    if found.closed_at:
        raise ActionNotPossible(f"The case {case} is closed. Open another one.")
    return found


# --- messages -------------------------------------------------------------------------------------------------
@transaction.atomic
def send_refused_again(*, reference: str) -> int:
    """Queue what the buyer or the partner refused once more, with its id; says how many messages."""
    order = lifecycle.lock(reference)
    planned = order.visits.filter(ended_at=None).select_related("job__thread")
    return dispatching.send_all_refused_again(order.thread, [visit.job for visit in planned])


@transaction.atomic
def repeat_notification(*, reference: str, message_id: UUID | None = None) -> OutboundMessage:
    """Send a delivered notification again, byte for byte: the last one, or the one with this messageId."""
    order = lifecycle.lock(reference)
    delivered = order.thread.outbound.filter(state=OutboundState.DELIVERED)
    chosen = delivered.filter(message_id=message_id) if message_id else delivered
    message = chosen.order_by("seq").last()
    if message is None:
        raise ActionNotPossible(
            "No such notification of this order was delivered yet. Wait until the worker has sent it."
        )
    return outbox.repeat(message)
