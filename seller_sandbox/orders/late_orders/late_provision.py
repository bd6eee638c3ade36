"""Late Provision Notification: how late an order was, and whose the days are (order-provisioning.md; D18 to D20)."""

from datetime import date, timedelta
from typing import Any

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.due_actions import due_action
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import appointments
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import Appointment, AppointmentType
from seller_sandbox.orders import lifecycle, limits
from seller_sandbox.orders.late_orders import delay_days, provision_history
from seller_sandbox.orders.late_orders.delay_days import ONE_DAY, Delay, Period
from seller_sandbox.orders.late_orders.exclusion_codes import ExclusionCode
from seller_sandbox.orders.limits import local_day
from seller_sandbox.orders.models import Exclusion, LateProvision, Order
from seller_sandbox.orders.states import OrderEventKind

NOTIFY = "orders.notify_late_provision"
_EXCLUSIONS = CompiledQuery(
    lambda: (
        Exclusion.objects.filter(order=Parameter("order"))
        .order_by("-is_by_seller", "id")
        .values_list("code", "starts_on", "ends_on")
    )
)


def schedule(order: Order) -> None:
    """The order has been completed or cancelled; only after an SLA failure something falls due (Timing rules)."""
    delay = count_delay(order)
    if delay is None:
        return
    day = delay.ended_on + timedelta(days=limits.LATE_PROVISION_FIRST_DAY)
    due_actions.schedule(NOTIFY, at=limits.midnight(day), subject=order.seller_order_reference)


def count_delay(order: Order) -> Delay | None:
    """The delay of an order that has ended; None when it was not late, or the buyer was never sent an appointment."""
    ended_on = local_day(order.ended_at)
    agreements = provision_history.list_agreements(order)
    # most orders are in time: what follows asks for more rows
    if not any(agreement.day < ended_on for agreement in agreements):
        return None
    failures = provision_history.list_failures(order, agreements)
    base = delay_days.find_base(agreements, failures)
    if base is None or base.day >= ended_on:
        return None
    found = delay_days.failure_periods(failures, agreements, ended_on=ended_on)
    exclusions = delay_days.apportion([*_recorded(order), *found], base_on=base.day, ended_on=ended_on)
    return Delay(base.day, ended_on, exclusions)


def _recorded(order: Order) -> list[Period]:
    """What a person has entered goes first."""
    return [Period(*row) for row in _EXCLUSIONS.rows(order=order.pk)]


@due_action(NOTIFY)
def notify(subject: str) -> None:
    """On the 15th calendar day after KCI3 or the cancellation: all have it by the 21st (Timing rules)."""
    order = lifecycle.lock(subject)
    delay = count_delay(order)
    late = LateProvision.objects.create(
        order=order,
        base_on=delay.base_on,
        ended_on=delay.ended_on,
        total_days=delay.total_days,
        seller_days=delay.seller_days,
        other_days=delay.other_days,
        payable_days=delay.payable_days,
        exclusions=[_entry(period) for period in delay.exclusions],
        notified_at=clock.now(),
    )
    lifecycle.record(
        order,
        OrderEventKind.LATE_PROVISION_NOTIFIED,
        late_provision=_members(late),
        details={"payable_days": late.payable_days},
    )


def _members(late: LateProvision) -> dict[str, Any]:
    """What the notification says beside its references."""
    return {
        "total_days": late.total_days,
        "seller_days": late.seller_days,
        "other_days": late.other_days,
        "exclusions": late.exclusions,
    }


def _entry(period: Period) -> dict[str, Any]:
    return {
        "reason": str(period.code),
        "starts_on": period.starts_on.isoformat(),
        "ends_on": period.ends_on.isoformat(),
        "days": period.days,
    }


# --- exclusions ---------------------------------------------------------------------------------------------
def add_exclusion(order: Order, *, code: str, starts_on: date, ends_on: date) -> Exclusion:
    """The seller enters days that are not its own; the order is locked. Raises ActionNotPossible.

    Days outside the delay do not count, and a day has one reason: what a person has entered goes before what follows
    from closures, the earlier entry before the later one.
    """
    _check_exclusion(order, code=code, starts_on=starts_on, ends_on=ends_on)
    exclusion = order.exclusions.create(
        code=code, starts_on=starts_on, ends_on=ends_on, is_by_seller=True, recorded_at=clock.now()
    )
    lifecycle.record(
        order,
        OrderEventKind.NOTED,
        details={"text": f"Exclusion {code} from {starts_on.isoformat()} to {ends_on.isoformat()}"},
    )
    return exclusion


def _check_exclusion(order: Order, *, code: str, starts_on: date, ends_on: date) -> None:
    if code not in ExclusionCode.values:
        raise ActionNotPossible(f"code: {code!r} is none of {', '.join(ExclusionCode.values)}")
    if ends_on < starts_on:
        raise ActionNotPossible("ends_on: give the day of starts_on or a later one")
    if LateProvision.objects.filter(order=order).exists():
        raise ActionNotPossible("order: its Late Provision Notification has been sent and cannot change")


def record_choice(order: Order, *, previous: Appointment | None) -> None:
    """After a failure the buyer has chosen another day; what that adds is not the seller's (RC036, RC037; D19).

    `previous` is the appointment that the buyer gives up for it, None when it had none any more.
    """
    if not provision_history.has_failed(order):
        return
    is_amended = previous is not None and _is_ahead(order, previous)
    code = ExclusionCode.DATE_AMENDED if is_amended else ExclusionCode.NOT_EARLIEST
    since = local_day(previous.starts_at) if is_amended else _earliest_offered(order)
    chosen = local_day(order.appointment.starts_at)
    if since and since < chosen:
        order.exclusions.create(code=code, starts_on=since, ends_on=chosen - ONE_DAY, recorded_at=clock.now())


def _is_ahead(order: Order, appointment: Appointment) -> bool:
    """Whether it could still have been kept."""
    is_attended = order.visits.attended().filter(appointment=appointment).exists()
    return appointment.ends_at > clock.now() and not is_attended


def _earliest_offered(order: Order) -> date | None:
    try:
        slots = appointments.list_slots(
            location=order.location,
            product=order.product,
            buyer=order.buyer,
            appointments_from=None,
            appointment_type=AppointmentType(order.appointment.appointment_type),
        )
    except AppointmentNotPossible:
        return None
    return slots[0].day
