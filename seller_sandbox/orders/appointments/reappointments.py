"""The seller makes a new appointment itself: after a repair, with a cherry picker, after a cabinet slip."""

from datetime import date, timedelta

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.network import appointments, locations
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import Appointment, AppointmentType, Cabinet
from seller_sandbox.network.slots import Slot
from seller_sandbox.orders import lifecycle, limits, reasons, steps, takeovers, visits
from seller_sandbox.orders.appointments import missed_appointments
from seller_sandbox.orders.late_orders import delays
from seller_sandbox.orders.models import Course, Order, OrderVisit, VisitPurpose
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
        return
    appointments.book(appointment=appointment)
    steps.close_windows(order)
    order.appointment, order.is_appointment_confirmed = appointment, True
    takeovers.move_cease(order, day=limits.local_day(appointment.starts_at))
    lifecycle.record(order, OrderEventKind.REAPPOINTED, appointment=appointment_members(appointment))
    if visits.planned(order) is None:
        plan_visit(order)


def _reserve_first(order: Order, *, not_before: date | None) -> Appointment:
    """The first free slot from this day on that the losing provider's cease leaves. Raises AppointmentNotPossible."""
    is_complex = order.course == Course.COMPLEX
    kind = AppointmentType.INTERNAL if is_complex else AppointmentType.INSTALL
    subject = {
        "location": order.location,
        "product": order.product,
        "buyer": order.buyer,
        "appointment_type": kind,
    }
    first = max(not_before or date.min, takeovers.earliest_install(order) or date.min)
    slot = appointments.list_slots(appointments_from=first, **subject)[0]
    return appointments.reserve(slot=slot, **subject)


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


def _plan_again(order: Order) -> None:
    """The cancelled visit of a complex order that is not committed yet, with what its pack says now."""
    last = order.visits.select_related("job").last()
    if order.appointment is None or last is None or last.outcome != CANCELLED:
        return
    window = None if last.appointment else Slot(last.job.starts_at, last.job.ends_at)
    visits.plan(order, purpose=VisitPurpose(last.purpose), appointment=order.appointment, window=window)


def change_appointment(order: Order, *, not_before: date | None = None) -> None:
    """The seller moves the appointment of a committed order, or makes one that the order waits for."""
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
    if replaced and replaced != day:
        # the losing provider was notified of the appointment that is given back
        takeovers.move_cease(order, day=day)
    steps.close_windows(order)
    lifecycle.record(order, OrderEventKind.APPOINTMENT_KEPT)
    is_committed = order.state == OrderState.COMMITTED
    lifecycle.notify_buyer(
        order,
        NotificationKind.COMMITTED if is_committed else NotificationKind.MILESTONE,
        appointment=appointment_members(order.appointment),
        notes=notes,
    )


def continue_after_repair(order: Order) -> None:
    """The network is repaired: a new appointment, unless one stands that only a person has delayed."""
    if order.appointment:
        lifecycle.record(order, OrderEventKind.DELAY_ENDED)
    else:
        reappoint(order)


def move_release(cabinet: Cabinet, *, day: date) -> list[Order]:
    """A cabinet goes live on another day: orders with an appointment before it slip (States, cabinet slip)."""
    cabinet.release_on, cabinet.release_set_on = day, clock.today()
    cabinet.save(update_fields=["release_on", "release_set_on"])
    _lock_orders(cabinet)
    committed = Order.objects.filter(state=OrderState.COMMITTED, location__cabinet=cabinet)
    for order in committed.filter(appointment=None):
        if OrderCondition.CABINET_SLIP in order.conditions:
            _schedule_after(order, day=day)
    for order in committed.filter(delay_code=reasons.DELAY_CABINET.code):
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
    is_waiting = order.is_in_flight and order.delay_code == reasons.DELAY_CABINET.code
    if is_waiting and locations.rfs_status_on(order.location, clock.today()) in locations.READY:
        lifecycle.record(order, OrderEventKind.DELAY_ENDED)
        if delays.is_surveyed_first(order):
            # the other delay of an extended install goes on
            delays.mark_delayed(order, reasons.DELAY_SURVEY)


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
        _plan_again(order)
        return
    if order.appointment:
        if not order.visits.filter(appointment=order.appointment).exclude(outcome=CANCELLED).exists():
            plan_visit(order)
        return
    release_on = order.location.cabinet.release_on
    is_slipped = OrderCondition.CABINET_SLIP in order.conditions
    if is_slipped and (release_on is None or release_on < clock.today()):
        reappoint(order)
