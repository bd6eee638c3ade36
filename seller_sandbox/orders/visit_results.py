"""What the partner's answers and reports about a visit do to its order, in the transaction of the job's change."""

from collections.abc import Callable
from datetime import date, timedelta

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.due_actions import due_action
from seller_sandbox.jobs import codes, dispatching, partner_reports, provisioning
from seller_sandbox.jobs.fsans import normalize_fsan
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.network import appointments, business_days
from seller_sandbox.orders import (
    cancellations,
    completion,
    lifecycle,
    limits,
    reasons,
    takeovers,
    visits,
    waiting_requests,
)
from seller_sandbox.orders.appointments import missed_appointments, reappointments
from seller_sandbox.orders.appointments.appointment_flags import Party
from seller_sandbox.orders.closure_outcomes import ClosureOutcome, OutcomeKind, outcome_of
from seller_sandbox.orders.completion import ScannedOnt
from seller_sandbox.orders.complex import complex_orders
from seller_sandbox.orders.late_orders import delays, open_delays
from seller_sandbox.orders.models import Order, OrderVisit
from seller_sandbox.orders.reasons import FixedVisit
from seller_sandbox.orders.states import OrderEventKind

FAILED_TO_ATTEND = "FTA"
REPAIRED = "orders.repaired"
REPAIR_WORKING_DAYS = 5
_OPEN_VISIT = CompiledQuery(lambda: OrderVisit.objects.filter(job=Parameter("job"), ended_at=None))
_LAST_SCAN = CompiledQuery(
    lambda: (
        InboundMessage.objects.filter(thread=Parameter("thread"), holds_id=True, event="ontScanned")
        .order_by("-id")
        .values_list("body")[:1]
    )
)


def on_job_changed(*, job: Job, event: JobEvent, **_: object) -> None:
    """A job has changed; jobs that belong to no order are none of our business."""
    handler = HANDLERS.get(event)
    visit = _OPEN_VISIT.first(job=job.pk) if handler and job.order_reference else None
    if visit is None or handler is None:
        return
    visit.job = job
    # whoever records something of a job has locked it, and its order before it (lock_order)
    handler(lifecycle.read(job.order_reference), visit, job)


def lock_order(*, job: Job, **_: object) -> None:
    """Before the job itself; a job that belongs to no order needs no other lock."""
    if job.order_reference:
        lifecycle.lock_row(job.order_reference)


def _accepted(order: Order, _: OrderVisit, __: Job) -> None:
    delays.end_if_open(order, reasons.DELAY_PARTNER)


def _refused(order: Order, visit: OrderVisit, job: Job) -> None:
    """The partner does not take the pack: shown, and the order is delayed until somebody sends it again."""
    if order.is_in_flight:
        lifecycle.record(order, OrderEventKind.VISIT_REFUSED, details={"job": job.seller_job_id})
    if dispatching.is_being_cancelled(job):
        # the cancelJob behind the refused pack never goes out: there is nothing to cancel
        visits.end(order, visit, outcome="refused")
        _go_on_without_visit(order, visit)
    elif order.is_in_flight:
        delays.delay(order, reasons.DELAY_PARTNER)


def _cancelled(order: Order, visit: OrderVisit, job: Job) -> None:
    """The partner has cancelled the visit: what waited for that goes on."""
    visits.end(order, visit, outcome="cancelled")
    if order.is_in_flight:
        lifecycle.record(order, OrderEventKind.VISIT_CANCELLED, details={"job": job.seller_job_id})
    _go_on_without_visit(order, visit)


def _go_on_without_visit(order: Order, visit: OrderVisit) -> None:
    """An order whose appointment still stands afterwards has lost its visit by the seller: it needs another one."""
    if not order.is_in_flight or waiting_requests.settle_of_ceases(order):
        return
    waiting_requests.settle_waiting(order)
    reappointments.continue_after_cancellation(order)
    if not order.is_in_flight or order.appointment is None or visits.planned(order):
        return
    if order.appointment == visit.appointment and order.appointment.ends_at <= clock.now():
        # its slot ended while the answer was awaited
        apply_outcome(order, visit, outcome_of(FAILED_TO_ATTEND))
    else:
        missed_appointments.withdraw(order)
        delays.wait_for_new_appointment(order, reasons.DELAY_SELLER)
        takeovers.clear_cease_date(order)


def _cancel_refused(order: Order, visit: OrderVisit, _: Job) -> None:
    """The engineer is on site: the order stays in its state, and the buyer's cancellation is rejected.

    A partner that reports nothing more has missed the slot all the same.
    """
    _reject_waiting(order, reasons.VISIT_BEGUN)
    _keep_replaced(order, visit, notes="The engineer is on site already.")
    if order.is_in_flight:
        visits.watch_again(order, visit, has_started=True)


def _cancel_failed(order: Order, visit: OrderVisit, _: Job) -> None:
    """The visit stands, and nothing says that anybody is there: a person may send the cancelJob again.

    Its slot may have ended while the answer was awaited.
    """
    _reject_waiting(order, reasons.VISIT_NOT_CANCELLED)
    if visit.appointment and visit.appointment.ends_at > clock.now():
        _keep_replaced(order, visit, notes="The visit could not be cancelled.")
    if order.is_in_flight:
        visits.watch_again(order, visit)


def _keep_replaced(order: Order, visit: OrderVisit, *, notes: str) -> None:
    """The seller had made another appointment, and that of the visit stands: the other one is given back."""
    replaces = order.is_in_flight and order.appointment and visit.appointment
    if replaces and order.appointment != visit.appointment:
        reappointments.keep_appointment(order, visit, notes=notes)


def _reject_waiting(order: Order, fixed: FixedVisit) -> None:
    waiting_requests.settle_waiting(order, fixed=fixed)
    waiting_requests.settle_of_ceases(order, fixed=fixed)


def _closed(order: Order, visit: OrderVisit, job: Job) -> None:
    visits.end(order, visit, outcome=job.closure_code, at=partner_reports.closed_at(job))
    if not order.is_in_flight:
        return
    lifecycle.record(
        order,
        OrderEventKind.VISIT_ENDED,
        details={"job": job.seller_job_id, "closure_code": job.closure_code, "secondary": job.secondary_code},
    )
    apply_outcome(order, visit, _outcome(job))
    waiting_requests.settle_of_ceases(order)
    waiting_requests.settle_waiting(order)


def _outcome(job: Job) -> ClosureOutcome:
    """A code of another family (a strict seller refuses it) is looked into: it says nothing of this visit."""
    family = codes.job_type_of(job.closure_code)
    if family not in {None, job.job_type}:
        return ClosureOutcome(OutcomeKind.REFUSE, reasons.DELAY_REVIEW)
    return outcome_of(job.closure_code, secondary=job.secondary_code)


HANDLERS: dict[JobEvent, Callable[[Order, OrderVisit, Job], None]] = {
    JobEvent.ACCEPTED: _accepted,
    JobEvent.REFUSED: _refused,
    JobEvent.CANCELLED: _cancelled,
    JobEvent.CANCEL_REFUSED: _cancel_refused,
    JobEvent.CANCEL_FAILED: _cancel_failed,
    JobEvent.CLOSED: _closed,
}


# --- outcomes of a closed visit -------------------------------------------------------------------------------
def _complete(order: Order, visit: OrderVisit, outcome: ClosureOutcome) -> None:
    """KCI3 only after provisioning result 1 or 2 (order-decisions.md, Completed), on a device that can be here."""
    scanned = scanned_by(visit.job)
    if not provisioning.has_succeeded(visit.job) or not completion.can_use(order, scanned):
        _forget_appointment(order, visit)
        delays.wait_for_new_appointment(order, reasons.DELAY_ACTIVATION)
        return
    warning = reasons.WARNING_PARTIAL if outcome.kind == OutcomeKind.COMPLETE_WITH_WARNING else None
    completion.complete(order, warning=warning, scanned=scanned)


def scanned_by(job: Job) -> ScannedOnt | None:
    """The device of the last scan that was accepted."""
    last = _LAST_SCAN.row(thread=job.thread_id)
    if not last:
        return None
    ont = last[0]["ont"]
    return ScannedOnt(normalize_fsan(ont["fsan"]) or ont["fsan"], ont["serialNumber"])


def _delay(order: Order, visit: OrderVisit, outcome: ClosureOutcome) -> None:
    _forget_appointment(order, visit)
    delays.wait_for_new_appointment(order, outcome.reason)


def _missed(order: Order, visit: OrderVisit, outcome: ClosureOutcome) -> None:
    """A missed appointment: KCI 2.1 later, Delay now, a new key within 30 days."""
    missed_appointments.record_missed(
        order,
        visit.appointment,
        moment=visit.ended_at or min(clock.now(), visit.appointment.ends_at),
        by_seller=outcome.kind != OutcomeKind.MISSED_BY_END_USER,
        is_mborc=outcome.kind == OutcomeKind.MISSED_BEYOND_CONTROL,
    )
    lifecycle.record(order, OrderEventKind.APPOINTMENT_MISSED)
    _delay(order, visit, outcome)


def _cancel(order: Order, _: OrderVisit, outcome: ClosureOutcome) -> None:
    by = Party.BUYER if outcome.reason == reasons.COST_REJECTED else Party.SELLER
    cancellations.end(order, OrderEventKind.SELLER_CANCELLED, outcome.reason.as_members(), by=by)


def _repair(order: Order, visit: OrderVisit, outcome: ClosureOutcome) -> None:
    """Delay, and a new pack once the network is repaired."""
    _forget_appointment(order, visit)
    delays.delay(order, outcome.reason)
    due_actions.cancel(REPAIRED, subject=order.seller_order_reference)
    _schedule_repaired(order, business_days.add_business_days(clock.today(), REPAIR_WORKING_DAYS))


def _schedule_repaired(order: Order, day: date) -> None:
    due_actions.schedule(REPAIRED, at=limits.midnight(day), subject=order.seller_order_reference)


@due_action(REPAIRED)
def continue_after_repair(subject: str) -> None:
    """Not while a person decides what follows: it is looked at again next day."""
    order = lifecycle.lock(subject)
    if not order.is_in_flight or not open_delays.is_open(order, reasons.DELAY_NETWORK):
        return
    if open_delays.is_reviewed(order):
        _schedule_repaired(order, clock.today() + timedelta(days=1))
    else:
        reappointments.continue_after_repair(order)


def _send_cherry_picker(order: Order, visit: OrderVisit, outcome: ClosureOutcome) -> None:
    """The new pack says what was missing (order_packs.py)."""
    if open_delays.is_reviewed(order):
        _review(order, visit, outcome)
        return
    _forget_appointment(order, visit)
    reappointments.reappoint(order)


def _review(order: Order, visit: OrderVisit, outcome: ClosureOutcome) -> None:
    """Delayed until a person decides on the console."""
    _forget_appointment(order, visit)
    delays.delay(order, outcome.reason or reasons.DELAY_REVIEW)


def _forget_appointment(order: Order, visit: OrderVisit) -> None:
    """The visit has used it up; civils have not used that of the build which they were to precede."""
    if order.appointment and order.appointment != visit.appointment:
        missed_appointments.withdraw(order)
    elif order.appointment and order.appointment.starts_at > clock.now():
        # closed before its day: somebody else can have the visit
        appointments.release(appointment=order.appointment)
    elif order.appointment:
        appointments.mark_used(appointment=order.appointment)
    order.appointment = None
    order.save(update_fields=["appointment"])
    # the cease of a regrade is over by now, unless this was closed before its day
    takeovers.clear_cease_date(order)


def _milestone(order: Order, visit: OrderVisit, _: ClosureOutcome) -> None:
    complex_orders.visit_completed(order, visit)


def apply_outcome(order: Order, visit: OrderVisit, outcome: ClosureOutcome) -> None:
    """What a closure code means for the order, whoever has given it."""
    OUTCOMES[outcome.kind](order, visit, outcome)


OUTCOMES: dict[OutcomeKind, Callable[[Order, OrderVisit, ClosureOutcome], None]] = {
    OutcomeKind.COMPLETE: _complete,
    OutcomeKind.COMPLETE_WITH_WARNING: _complete,
    OutcomeKind.DELAY_FOR_APPOINTMENT: _delay,
    OutcomeKind.MISSED_BY_END_USER: _missed,
    OutcomeKind.MISSED_BY_SELLER: _missed,
    OutcomeKind.MISSED_BEYOND_CONTROL: _missed,
    OutcomeKind.CANCEL: _cancel,
    OutcomeKind.REPAIR: _repair,
    OutcomeKind.CHERRY_PICKER: _send_cherry_picker,
    OutcomeKind.MILESTONE: _milestone,
    OutcomeKind.REVIEW: _review,
    # a code of another family: a strict seller has refused the message, a lenient one looks into it
    OutcomeKind.REFUSE: _review,
}
