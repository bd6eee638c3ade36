"""The seller makes a new appointment itself: after a repair, with a cherry picker, after a cabinet slip."""

from datetime import date, timedelta
from typing import Any

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import JobState
from seller_sandbox.network import appointments, locations
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import Appointment, AppointmentType, Cabinet
from seller_sandbox.network.slots import Slot
from seller_sandbox.orders import lifecycle, limits, reasons, steps, takeovers, visits
from seller_sandbox.orders.appointments import missed_appointments
from seller_sandbox.orders.late_orders import delays, open_delays
from seller_sandbox.orders.models import Course, Order, OrderVisit, RequestState, VisitPurpose
from seller_sandbox.orders.notification_kinds import NotificationKind
from seller_sandbox.orders.notification_members import appointment_members, order_day
from seller_sandbox.orders.states import OrderCondition, OrderEventKind, OrderState

AFTER_SLIP = "orders.reappoint_after_slip"
# the outcome of a visit that the partner has cancelled
CANCELLED = "cancelled"


def reappoint(order: Order, *, not_before: date | None = None) -> None:
    """The first free slot, and the buyer is told; without a free slot the order waits for a key.

    The job pack goes out at once, or when the partner has cancelled the visit that was planned before.
    """
    if order.state == OrderState.ACKNOWLEDGED:
        # a complex order before its KCI2: its buyer chooses the appointment
        delays.wait_for_new_appointment(order, reasons.DELAY_REAPPOINT)
        return
    try:
        appointment = _reserve_first(order, not_before=not_before)
    except AppointmentNotPossible:
        delays.wait_for_new_appointment(order, reasons.DELAY_REAPPOINT)
        takeovers.clear_cease_date(order)
        return
    appointments.book(appointment=appointment)
    steps.close_windows(order)
    order.appointment, order.is_appointment_confirmed = appointment, True
    takeovers.move_cease(order, day=limits.local_day(appointment.starts_at))
    delays.record_appointed(order, OrderEventKind.REAPPOINTED, appointment=appointment_members(appointment))
    if visits.planned(order) is None:
        plan_visit(order)


def _reserve_first(order: Order, *, not_before: date | None) -> Appointment:
    """Take the first free slot from this day on. Raises AppointmentNotPossible."""
    return appointments.reserve(slot=_first_slot(order, not_before=not_before), **_subject_of(order))


def _first_slot(order: Order, *, not_before: date | None) -> Slot:
    """Of those that the losing provider's cease leaves. Raises AppointmentNotPossible."""
    first = max(not_before or date.min, takeovers.earliest_install(order) or date.min)
    return appointments.list_slots(appointments_from=first, **_subject_of(order))[0]


def _subject_of(order: Order) -> dict[str, Any]:
    is_complex = order.course == Course.COMPLEX
    return {
        "location": order.location,
        "product": order.product,
        "buyer": order.buyer,
        "appointment_type": AppointmentType.INTERNAL if is_complex else AppointmentType.INSTALL,
    }


def plan_visit(order: Order) -> None:
    """Send the pack of a committed order's appointment; no other visit may be planned.

    An appointment that was reserved before the cabinet's date moved behind it slips instead.
    """
    release_on = order.location.cabinet.release_on
    if release_on and order.appointment.starts_at < limits.midnight(release_on):
        _slip(order, day=release_on)
        return
    purpose = VisitPurpose.INTERNAL if order.course == Course.COMPLEX else VisitPurpose.INSTALL
    visits.plan(order, purpose=purpose, appointment=order.appointment)


def replace_refused_pack(order: Order) -> None:
    """The partner has refused a pack that an accepted amendment has changed since: a new one for the same time."""
    last = _last_visit(order)
    if not order.is_in_flight or last is None or last.outcome != JobState.REFUSED or visits.planned(order):
        return
    accepted = order.amendments.filter(state=RequestState.ACCEPTED, settled_at__gte=last.ended_at)
    if accepted.exists():
        delays.end_if_open(order, reasons.DELAY_PARTNER)
        _plan_again(order, last)


def _last_visit(order: Order) -> OrderVisit | None:
    return order.visits.select_related("job", "appointment").last()


def _plan_again(order: Order, last: OrderVisit) -> None:
    """The last visit once more, with what its pack says now; civils have no appointment of their own."""
    if order.appointment is None or (last.appointment and _is_over(order)):
        return
    if order.state == OrderState.COMMITTED:
        plan_visit(order)
        return
    window = None if last.appointment else Slot(last.job.starts_at, last.job.ends_at)
    visits.plan(order, purpose=VisitPurpose(last.purpose), appointment=order.appointment, window=window)


def _is_over(order: Order) -> bool:
    """Whether the slot has ended: no pack goes out for it."""
    return order.appointment.ends_at <= clock.now()


def change_appointment(order: Order, *, not_before: date | None = None) -> None:
    """The seller moves the appointment of a committed order, or makes one that the order waits for.

    Raises ActionNotPossible when none is free from the day that is named: the one that stands is kept then.
    """
    if order.appointment and not_before:
        try:
            _first_slot(order, not_before=not_before)
        except AppointmentNotPossible as problem:
            raise ActionNotPossible(f"{problem.reason} The appointment stays as it is.") from problem
    visits.request_cancellation(order, code="SELLER", message="The seller has changed the appointment")
    if order.appointment:
        missed_appointments.withdraw(order)
    reappoint(order, not_before=not_before)


def keep_appointment(order: Order, visit: OrderVisit, *, notes: str) -> None:
    """A visit goes on in its own appointment; one that was to replace it is given back, and the buyer is told."""
    replaced, day = order_day(order), limits.local_day(visit.appointment.starts_at)
    if order.appointment and order.appointment != visit.appointment:
        appointments.release(appointment=order.appointment)
    appointments.book_again(appointment=visit.appointment)
    order.appointment = visit.appointment
    if replaced != day:
        # the losing provider was notified of the appointment that is given back, or that there is none
        takeovers.move_cease(order, day=day)
    steps.close_windows(order)
    delays.record_appointed(order, OrderEventKind.APPOINTMENT_KEPT)
    is_committed = order.state == OrderState.COMMITTED
    lifecycle.notify_buyer(
        order,
        NotificationKind.COMMITTED if is_committed else NotificationKind.MILESTONE,
        appointment=appointment_members(order.appointment),
        notes=notes,
    )


def continue_after_repair(order: Order) -> None:
    """The network is repaired: a new appointment, unless one stands that only a person has delayed."""
    if order.appointment is None:
        reappoint(order)
    # an appointment ends it; the buyer may have to choose one
    delays.end_if_open(order, reasons.DELAY_NETWORK)


def move_release(cabinet: Cabinet, *, day: date) -> list[Order]:
    """A cabinet goes live on another day: orders with an appointment before it slip (States, cabinet slip)."""
    cabinet.release_on, cabinet.release_set_on = day, clock.today()
    cabinet.save(update_fields=["release_on", "release_set_on"])
    _lock_orders(cabinet)
    committed = Order.objects.filter(state=OrderState.COMMITTED, location__cabinet=cabinet)
    for order in committed.filter(appointment=None):
        if OrderCondition.CABINET_SLIP in order.conditions:
            _schedule_after(order, day=day)
    for order in committed.exclude(delay_code=""):
        if open_delays.is_open(order, reasons.DELAY_CABINET):
            steps.watch_cabinet(order, day=day)
    slipped = committed.filter(appointment__starts_at__lt=limits.midnight(day))
    references = list(slipped.values_list("seller_order_reference", flat=True))
    orders = [lifecycle.lock(reference) for reference in references]
    # a visit that has begun is made, whatever the cabinet's date says
    return [_slip(order, day=day) for order in orders if not visits.has_engineer_on_site(order)]


def _lock_orders(cabinet: Cabinet) -> None:
    """Whoever commits or amends one of them at this moment has done so before, or reads the new day afterwards."""
    orders = Order.objects.in_flight().filter(location__cabinet=cabinet).order_by("pk")
    for reference in list(orders.values_list("seller_order_reference", flat=True)):
        lifecycle.lock_row(reference)


@due_action(steps.CABINET_LIVE)
def end_cabinet_delay(subject: str) -> None:
    """The cabinet of a pre-order is live and awaited no more (Other codes, 210).

    As with every delay that ends, no notification says so: the appointment stands, and the buyer has nothing to do.
    """
    order = lifecycle.lock(subject)
    is_waiting = order.is_in_flight and open_delays.is_open(order, reasons.DELAY_CABINET)
    if is_waiting and locations.rfs_status_on(order.location, clock.today()) in locations.READY:
        delays.end(order, reasons.DELAY_CABINET.code)


def _slip(order: Order, *, day: date) -> Order:
    """The appointment is cancelled, the buyer is told, and the seller appoints again after the new live date."""
    visits.request_cancellation(order, code="CABINET", message="The cabinet goes live later")
    missed_appointments.withdraw(order)
    lifecycle.record(
        order,
        OrderEventKind.CABINET_SLIPPED,
        details={"release_on": day.isoformat()},
        notes=f"The cabinet goes live on {day.isoformat()}. A new appointment follows.",
    )
    takeovers.clear_cease_date(order)
    _schedule_after(order, day=day)
    return order


def _schedule_after(order: Order, *, day: date) -> None:
    """Appoint again at the beginning of the day after this one."""
    reference = order.seller_order_reference
    due_actions.cancel(AFTER_SLIP, subject=reference)
    due_actions.schedule(AFTER_SLIP, at=limits.midnight(day + timedelta(days=1)), subject=reference)


@due_action(AFTER_SLIP)
def reappoint_after_slip(subject: str) -> None:
    continue_after_cancellation(lifecycle.lock(subject))


def continue_after_cancellation(order: Order) -> None:
    """The old visit is out of the way: a pack for the new appointment, or a new appointment once the cabinet is live.

    An appointment that stays, since only what its pack says was amended or its change was refused, gets a new pack too.
    """
    if not order.is_in_flight or visits.planned(order):
        return
    if order.state != OrderState.COMMITTED:
        last = _last_visit(order)
        if last and last.outcome == CANCELLED:
            _plan_again(order, last)
        return
    if order.appointment:
        if (
            not _is_over(order)
            and not order.visits.filter(appointment=order.appointment).exclude(outcome=CANCELLED).exists()
        ):
            plan_visit(order)
        return
    release_on = order.location.cabinet.release_on
    is_slipped = OrderCondition.CABINET_SLIP in order.conditions
    if not is_slipped or (release_on and release_on >= clock.today()):
        return
    if open_delays.is_reviewed(order):
        # a person decides what follows: it is looked at again next day
        _schedule_after(order, day=clock.today())
    else:
        reappoint(order)
