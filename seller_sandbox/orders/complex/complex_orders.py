"""The course of a complex order from its surveys to KCI2 (order-provisioning.md, Complex-order rules, Limits).

Desktop survey, estimate, physical survey, finalised cost, civils if needed, build to wall; only then it is committed,
with the appointment of its standard install. complex_surveys.py records what the surveys find.
"""

from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Any

from seller_sandbox import clock, due_actions
from seller_sandbox.network import appointments, business_days, slots
from seller_sandbox.network.models import Appointment, Half
from seller_sandbox.network.slots import Slot
from seller_sandbox.orders import cancellations, lifecycle, limits, reasons, steps, visits
from seller_sandbox.orders.appointments import missed_appointments
from seller_sandbox.orders.appointments.appointment_flags import Party
from seller_sandbox.orders.complex import complex_rules, complex_surveys
from seller_sandbox.orders.complex.complex_members import CIVILS_WORKING_DAYS, awaited_actions, load
from seller_sandbox.orders.late_orders import delays, open_delays
from seller_sandbox.orders.models import ComplexOrder, ComplexStage, Course, Order, OrderVisit, VisitPurpose
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderEventKind, OrderState

Changes = dict[str, Any]
REJECTIONS = {
    "rejectEstimate": reasons.ESTIMATE_REJECTED,
    "rejectCost": reasons.COST_REJECTED,
}
# what an amendment must name so that the order can go on
MOVING = {"complex_answer", "reservation_key"}


def begin(order: Order) -> None:
    """An acknowledged complex order starts its course."""
    _, is_new = ComplexOrder.objects.get_or_create(order=order)
    if is_new:
        complex_surveys.schedule_desktop_survey(order)


def is_ready_to_commit(order: Order) -> bool:
    """KCI2 comes only after the Standard Install appointment is booked (States)."""
    return load(order).stage == ComplexStage.STANDARD_INSTALL and order.appointment is not None


# --- amendments: answers and appointments -------------------------------------------------------------------
def check_amendment(order: Order, changes: Changes, _: datetime) -> Iterator[Reason]:
    """Reasons against what an amendment asks of a complex order."""
    return complex_rules.check(order, changes)


def reserve_survey_day(order: Order, changes: Changes) -> Changes:
    """The changes with the key of a slot on the survey day that the buyer asks for without naming a slot."""
    if "survey_date" not in changes or "reservation_key" in changes:
        return changes
    day = date.fromisoformat(changes["survey_date"])
    appointment = appointments.reserve(
        location=order.location,
        product=order.product,
        buyer=order.buyer,
        slot=complex_rules.survey_slots_on(order, day)[0],
        appointment_type=complex_rules.SURVEY,
    )
    return {**changes, "reservation_key": str(appointment.key)}


def note_amendment(order: Order, changes: Changes) -> None:
    """Keep the answer of an accepted amendment and the stage that it leads to, before the buyer is notified."""
    if order.course != Course.COMPLEX or not changes.keys() & MOVING:
        return
    progress = load(order)
    match changes.get("complex_answer"):
        case "acceptEstimate":
            progress.estimate_accepted_at = clock.now()
        case "acceptCost":
            progress.cost_accepted_at = clock.now()
    _release_lapsed_appointment(order)
    if order.appointment and not awaited_actions(order, progress):
        progress.stage = _stage_when_booked(progress)
    if order.appointment and progress.stage == ComplexStage.PHYSICAL_SURVEY:
        progress.confirmed_survey_date = limits.local_day(order.appointment.starts_at)
    progress.save()


def _release_lapsed_appointment(order: Order) -> None:
    """A survey appointment was booked before the estimate was accepted, and its slot has begun without a visit."""
    appointment = order.appointment
    if appointment and appointment.starts_at <= clock.now() and order.state == OrderState.ACKNOWLEDGED:
        appointments.release(appointment=appointment)
        order.appointment, order.is_appointment_confirmed = None, False


def _stage_when_booked(progress: ComplexOrder) -> ComplexStage:
    """The stage to which answer and appointment lead; another appointment of the same stage leads nowhere."""
    match ComplexStage(progress.stage):
        case ComplexStage.DESKTOP_SURVEY_COMPLETED:
            return ComplexStage.PHYSICAL_SURVEY
        case ComplexStage.COST_FINALISED if progress.needs_civils:
            return ComplexStage.CIVILS
        case ComplexStage.COST_FINALISED | ComplexStage.CIVILS_COMPLETED:
            return ComplexStage.BUILD_TO_WALL
        case ComplexStage.BUILD_TO_WALL_COMPLETED:
            return ComplexStage.STANDARD_INSTALL
        case stage:
            return stage


def apply_amendment(order: Order, changes: Changes, *, received_at: datetime) -> None:
    """Carry out what an accepted amendment asks of a complex order."""
    rejection = REJECTIONS.get(changes.get("complex_answer", ""))
    if rejection:
        cancellations.end(
            order,
            OrderEventKind.SELLER_CANCELLED,
            rejection.as_members(),
            by=Party.BUYER,
            asked_at=received_at,
        )
    elif (
        order.course == Course.COMPLEX and order.state == OrderState.ACKNOWLEDGED and changes.keys() & MOVING
    ):
        _go_on(order, load(order))


def _go_on(order: Order, progress: ComplexOrder) -> None:
    """Plan the visit of the stage, if answer and appointment are there and no visit is planned yet."""
    action = ACTIONS.get(ComplexStage(progress.stage))
    if action is None or order.appointment is None:
        return
    if planned := visits.planned(order):
        if planned.purpose == VisitPurpose.CIVILS:
            _continue_civils(order)
        return
    _end_delays(order)
    action(order)


def _continue_civils(order: Order) -> None:
    """The build that they precede has another appointment; a pack that the partner refused stays a delay."""
    visits.watch_build_slot(order, order.appointment)
    _end_delays(order, apart_from=reasons.DELAY_PARTNER)


def _end_delays(order: Order, *, apart_from: Reason | None = None) -> None:
    steps.close_windows(order)
    for reason in open_delays.list_open(order):
        if reason != apart_from:
            delays.end(order, reason.code)


def _plan_survey(order: Order) -> None:
    visits.plan(order, purpose=VisitPurpose.SURVEY, appointment=order.appointment)


def _plan_civils(order: Order) -> None:
    """On a working day of the seller's choice, before the appointment that they prepare."""
    day = business_days.add_business_days(clock.today(), CIVILS_WORKING_DAYS)
    window = Slot(slots.slot_on(day, Half.AM).starts_at, slots.slot_on(day, Half.PM).ends_at)
    visits.plan(order, purpose=VisitPurpose.CIVILS, appointment=order.appointment, window=window)


def _plan_external(order: Order) -> None:
    visits.plan(order, purpose=VisitPurpose.EXTERNAL, appointment=order.appointment)


def _schedule_commit(order: Order) -> None:
    due_actions.schedule(steps.COMMIT, at=clock.now(), subject=order.seller_order_reference)


ACTIONS: dict[ComplexStage, Callable[[Order], None]] = {
    ComplexStage.PHYSICAL_SURVEY: _plan_survey,
    ComplexStage.CIVILS: _plan_civils,
    ComplexStage.BUILD_TO_WALL: _plan_external,
    ComplexStage.STANDARD_INSTALL: _schedule_commit,
}


# --- visits ---------------------------------------------------------------------------------------------------
def visit_completed(order: Order, visit: OrderVisit) -> None:
    """EXTCOMP or CIVCOMP: the next milestone."""
    COMPLETED[VisitPurpose(visit.purpose)](order, load(order))


def _survey_completed(order: Order, progress: ComplexOrder) -> None:
    """The cost is finalised later, by a person or by itself."""
    _mark_appointment_used(order)
    complex_surveys.reach(order, progress, ComplexStage.PHYSICAL_SURVEY_COMPLETED)
    complex_surveys.schedule_cost(order)


def _civils_completed(order: Order, progress: ComplexOrder) -> None:
    """The build to wall follows on its day; civils that took longer have left it no appointment, or one in vain."""
    appointment = order.appointment
    is_in_time = appointment is not None and limits.local_day(appointment.starts_at) > clock.today()
    if appointment and not is_in_time:
        _give_up_build(order, appointment)
    complex_surveys.reach(order, progress, ComplexStage.CIVILS_COMPLETED)
    if is_in_time:
        progress.stage = ComplexStage.BUILD_TO_WALL
        progress.save(update_fields=["stage"])
        _plan_external(order)
    elif appointment:
        delays.wait_for_new_appointment(order, reasons.DELAY_REAPPOINT)


def _give_up_build(order: Order, appointment: Appointment) -> None:
    if appointment.ends_at <= clock.now():
        _record_missed_build(order, appointment)
    else:
        missed_appointments.withdraw(order)


def miss_build(order: Order) -> None:
    """The slot of the build has passed before its civils were done: KCI 2.1 later, Delay now, a new key."""
    _record_missed_build(order, order.appointment)
    delays.wait_for_new_appointment(order, reasons.DELAY_SELLER)


def _record_missed_build(order: Order, appointment: Appointment) -> None:
    """The seller's doing, for civils are its own work."""
    missed_appointments.record_missed(order, appointment, moment=clock.now(), by_seller=True, is_mborc=False)
    lifecycle.record(order, OrderEventKind.APPOINTMENT_MISSED)
    _mark_appointment_used(order)


def _external_completed(order: Order, progress: ComplexOrder) -> None:
    """30 days for the appointment of the standard install (Limits)."""
    _mark_appointment_used(order)
    progress.earliest_appointment_date = business_days.add_business_days(clock.today(), 1)
    steps.open_window(order, days=limits.INTERNAL_WINDOW_DAYS, reason=reasons.NO_APPOINTMENT)
    complex_surveys.reach(order, progress, ComplexStage.BUILD_TO_WALL_COMPLETED)


def _mark_appointment_used(order: Order) -> None:
    if order.appointment:
        appointments.mark_used(appointment=order.appointment)
    order.appointment, order.is_appointment_confirmed = None, False


COMPLETED: dict[VisitPurpose, Callable[[Order, ComplexOrder], None]] = {
    VisitPurpose.SURVEY: _survey_completed,
    VisitPurpose.CIVILS: _civils_completed,
    VisitPurpose.EXTERNAL: _external_completed,
}
