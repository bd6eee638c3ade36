"""The seller makes a new appointment itself: after a repair, with a cherry picker, after a cabinet slip."""

from datetime import date, timedelta

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.network import appointments
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import AppointmentType, Cabinet
from seller_sandbox.orders import delays, lifecycle, limits, missed_appointments, reasons, visits
from seller_sandbox.orders.models import Course, Order, VisitPurpose
from seller_sandbox.orders.notification_members import appointment_members
from seller_sandbox.orders.states import Condition, OrderEventKind, OrderState

AFTER_SLIP = "orders.reappoint_after_slip"


def reappoint(order: Order, *, extra_flags: tuple[str, ...] = ()) -> None:
    """The first free slot, a new job pack, and the buyer is told; without a free slot the order waits for a key."""
    if order.state == OrderState.ACKNOWLEDGED:
        # a complex order before its KCI2: its buyer chooses the appointment
        delays.wait_for_new_appointment(order, reasons.DELAY_REAPPOINT)
        return
    is_complex = order.course == Course.COMPLEX
    kind = AppointmentType.INTERNAL if is_complex else AppointmentType.INSTALL
    try:
        slot = appointments.list_slots(
            location=order.location,
            product=order.product,
            buyer=order.buyer,
            appointments_from=None,
            appointment_type=kind,
        )[0]
        appointment = appointments.reserve(
            location=order.location,
            product=order.product,
            buyer=order.buyer,
            slot=slot,
            appointment_type=kind,
        )
    except AppointmentNotPossible:
        delays.wait_for_new_appointment(order, reasons.DELAY_REAPPOINT)
        return
    appointments.book(appointment=appointment)
    order.appointment, order.is_appointment_confirmed = appointment, True
    lifecycle.record(order, OrderEventKind.REAPPOINTED, appointment=appointment_members(appointment))
    purpose = VisitPurpose.INTERNAL if is_complex else VisitPurpose.INSTALL
    visits.plan(order, purpose=purpose, appointment=appointment, extra_flags=extra_flags)


def move_release(cabinet: Cabinet, *, day: date) -> list[Order]:
    """A cabinet goes live on another day: orders with an appointment before it slip (States, cabinet slip)."""
    cabinet.release_on = day
    cabinet.save(update_fields=["release_on"])
    slipped = Order.objects.filter(
        state=OrderState.COMMITTED,
        location__cabinet=cabinet,
        appointment__starts_at__lt=limits.midnight(day + timedelta(days=1)),
    ).values_list("seller_order_reference", flat=True)
    return [_slip(lifecycle.lock(reference), day=day) for reference in list(slipped)]


def _slip(order: Order, *, day: date) -> Order:
    """The appointment is cancelled, the buyer is told, and the seller appoints again after the new live date."""
    visits.request_cancellation(order, code="CABINET", message="The cabinet goes live later")
    missed_appointments.record_slipped(order, order.appointment)
    appointments.release(appointment=order.appointment)
    order.appointment = None
    lifecycle.record(
        order, OrderEventKind.CABINET_SLIPPED, details={"release_on": day.isoformat()}, notify=True
    )
    due_actions.cancel(AFTER_SLIP, subject=order.seller_order_reference)
    due_actions.schedule(
        AFTER_SLIP,
        at=max(limits.midnight(day + timedelta(days=1)), clock.now()),
        subject=order.seller_order_reference,
    )
    return order


@due_action(AFTER_SLIP)
def reappoint_after_slip(subject: str) -> None:
    continue_after_cancellation(lifecycle.lock(subject))


def continue_after_cancellation(order: Order) -> None:
    """A slipped order is appointed again once its cabinet is live and its old visit is cancelled."""
    if Condition.CABINET_SLIP not in order.conditions or not order.is_in_flight:
        return
    release_on = order.location.cabinet.release_on
    if visits.planned(order) is None and (release_on is None or release_on < clock.today()):
        reappoint(order)
