"""What an order's delay follows from: the appointments that the buyer was sent, and what failed (D19)."""

from collections.abc import Iterator
from datetime import datetime

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders.appointments.appointment_flags import Party
from seller_sandbox.orders.late_orders.delay_days import Agreement, Failure
from seller_sandbox.orders.late_orders.exclusion_codes import BY_CLOSURE, ExclusionCode
from seller_sandbox.orders.limits import local_day
from seller_sandbox.orders.models import MissedAppointment, Order, OrderEvent, OrderVisit
from seller_sandbox.orders.states import OrderEventKind, OrderState

# surveys and the build to wall of a complex order provide no service
PROVIDING = (AppointmentType.INSTALL, AppointmentType.INTERNAL)
# events whose notification can carry an appointment
CONFIRMING = (OrderEventKind.COMMITTED, OrderEventKind.AMENDMENT_ACCEPTED, OrderEventKind.REAPPOINTED)
_OF_ORDER = {"order": Parameter("order")}
_CONFIRMATIONS = CompiledQuery(
    lambda: OrderEvent.objects.filter(kind__in=CONFIRMING, **_OF_ORDER).values_list("at", "details")
)
_SLIPS = CompiledQuery(
    lambda: OrderEvent.objects.filter(kind=OrderEventKind.CABINET_SLIPPED, **_OF_ORDER).values_list("at")
)
_MISSED = CompiledQuery(lambda: MissedAppointment.objects.select_related("appointment").filter(**_OF_ORDER))
_ATTENDED = CompiledQuery(
    lambda: OrderVisit.objects.attended().select_related("appointment").filter(**_OF_ORDER)
)


def list_agreements(order: Order) -> list[Agreement]:
    """The appointments that the buyer was sent, in their order."""
    sent = [(at, details.get("appointment")) for at, details in _CONFIRMATIONS.rows(order=order.pk)]
    return [
        Agreement(
            key=members["key"],
            agreed_at=at,
            starts_at=datetime.fromisoformat(members["starts_at"]),
            ends_at=datetime.fromisoformat(members["ends_at"]),
        )
        for at, members in sent
        if members and members["appointment_type"] in PROVIDING
    ]


def list_failures(order: Order, agreements: list[Agreement]) -> list[Failure]:
    """Misses, late changes by the seller, visits that did not complete the order, slots that passed without one."""
    events = _MISSED.all(order=order.pk)
    missed = [row for row in events if row.is_failure and row.appointment.appointment_type in PROVIDING]
    known = {row.appointment_id for row in missed}
    visits = [visit for visit in _visits_in_vain(order) if visit.appointment_id not in known]
    # asked for in time, settled perhaps after the slot: when the partner had cancelled the visit
    amended = {str(row.appointment.key) for row in events if row.amended_by == Party.BUYER}
    passed = [agreed for agreed in _passed(order, agreements) if agreed.key not in amended]
    return [
        *map(_failure_of_missed, missed),
        *map(_failure_of_visit, visits),
        *(Failure(agreed.ends_at, agreed.day) for agreed in passed),
    ]


def has_failed(order: Order) -> bool:
    """Whether delivery has failed by now, so that a new appointment is no new base."""
    agreements = list_agreements(order)
    return bool(agreements) and bool(list_failures(order, agreements))


def _passed(order: Order, agreements: list[Agreement]) -> Iterator[Agreement]:
    """Appointments that were neither changed nor taken away before their slot was over."""
    slips = _SLIPS.rows(order=order.pk)
    changes = sorted([*(agreed.agreed_at for agreed in agreements), *(at for (at,) in slips)])
    for agreed in agreements:
        changed_at = next((at for at in changes if at > agreed.agreed_at), None)
        if agreed.ends_at <= clock.now() and (changed_at is None or changed_at >= agreed.ends_at):
            yield agreed


def _visits_in_vain(order: Order) -> Iterator[OrderVisit]:
    for visit in _ATTENDED.all(order=order.pk):
        is_last = order.state == OrderState.COMPLETED and visit.appointment_id == order.appointment_id
        if visit.appointment and visit.appointment.appointment_type in PROVIDING and not is_last:
            yield visit


def _failure_of_missed(row: MissedAppointment) -> Failure:
    code = ""
    if row.is_mborc:
        code = ExclusionCode.MBORC
    elif row.missed_by == Party.BUYER:
        code = ExclusionCode.ACCESS
    return Failure(row.occurred_at, local_day(row.appointment.starts_at), code)


def _failure_of_visit(visit: OrderVisit) -> Failure:
    """By the day of its appointment: a closure may be reported late."""
    day = local_day(visit.appointment.starts_at)
    return Failure(visit.ended_at, day, BY_CLOSURE.get(visit.outcome, ""))
