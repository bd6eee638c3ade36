"""The losing provider's side of a Switch, a WLTO or a regrade (order-provisioning.md, Switch and WLTO rules)."""

from datetime import date, datetime, timedelta
from typing import NamedTuple

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.due_actions import due_action
from seller_sandbox.network import services
from seller_sandbox.network.models import Service
from seller_sandbox.orders import lifecycle, limits, placing, steps, visits
from seller_sandbox.orders.appointments import missed_appointments
from seller_sandbox.orders.configurations import in_force
from seller_sandbox.orders.late_orders import delays
from seller_sandbox.orders.models import Course, Order, OrderKind, OrderQuerySet
from seller_sandbox.orders.notification_kinds import NotificationKind
from seller_sandbox.orders.notification_members import date_text, linked_members, order_day
from seller_sandbox.orders.states import OrderEventKind, OrderState

# the courses that end the service that is live
CEASING = (Course.SWITCH, Course.WLTO, Course.REGRADE)
_CEASES = CompiledQuery(
    lambda: (
        Order.objects.in_flight()
        .filter(linked_order=Parameter("order"), kind=OrderKind.CEASE)
        .values_list("seller_order_reference", "state", "service")
    )
)


class CeaseInFlight(NamedTuple):
    """The reference and state of a cease that an order waits for, and the number of the service that it ends."""

    reference: str
    state: str
    service: int


def is_line_taken(service: Service | None, *, by_others_than: Order) -> bool:
    """Whether an order in flight has been validated that ends this service: a line changes hands once at a time.

    The document knows one gaining provider for one cease (rules 1); the order that was validated first is that one.
    """
    orders = Order.objects.in_flight().filter(course__in=CEASING, service=service)
    return service is not None and orders.exclude(pk=by_others_than.pk).exists()


def begin_cease(order: Order) -> None:
    """Cease the live service for the order that takes its line, unless its cease is in flight (rules 1).

    It may be another one than when the order was validated: that was long ago for an order that had to wait.
    """
    service = services.find_live(order.location)
    if service is None or (service != order.service and not _may_take(order, service)):
        return
    order.service = service
    order.save_changes()
    known = Order.objects.in_flight().filter(kind=OrderKind.CEASE, service=order.service).first()
    if known:
        # somebody's own cease: linked, also after an earlier gaining provider has cancelled, and never cancelled with
        # the gaining provider's order
        Order.objects.filter(pk=known.pk).update(linked_order=order)
        _wait_for_own_cease(order, known)
        return
    cease = placing.new_order(
        buyer=service.buyer,
        kind=OrderKind.CEASE,
        course=Course.CEASE,
        request={"service_identifier": service.service_identifier},
        uprn=service.location.uprn,
        new_order_type=order.new_order_type or "Regrade",
        requested_date=order_day(order),
        configuration=in_force(service),
        service=service,
        service_identifier=service.service_identifier,
        linked_order=order,
        is_unsolicited=True,
    )
    lifecycle.record(cease, OrderEventKind.UNSOLICITED_CEASE, unsolicited_cease=linked_members(cease))
    lifecycle.notify_buyer(cease, NotificationKind.PENDING)
    due_actions.schedule(steps.VALIDATE, at=steps.next_step(), subject=cease.seller_order_reference)


def _may_take(order: Order, service: Service) -> bool:
    """Whether an order ends a service that has begun since: a regrade only its buyer's own, and none that another
    order ends."""
    is_right = order.course != Course.REGRADE or service.buyer_id == order.buyer_id
    return is_right and not is_line_taken(service, by_others_than=order)


def cease_again(cease: Order) -> None:
    """A cancelled cease leaves orders that take its line without one: the seller begins it for them (rules 1).

    Not for the order that an unsolicited one was made for: they are cancelled together.
    """
    waiting = Order.objects.filter(state=OrderState.COMMITTED, course__in=CEASING, service=cease.service)
    if cease.is_unsolicited and cease.linked_order:
        waiting = waiting.exclude(pk=cease.linked_order.pk)
    _begin_ceases(waiting)


def cease_activated(order: Order) -> None:
    """A line is live anew by this order: a committed one that takes it, and found no service to end, gets its cease
    (rules 1)."""
    waiting = Order.objects.filter(
        state=OrderState.COMMITTED, course__in=CEASING, location=order.location
    ).exclude(pk=order.pk)
    _begin_ceases(waiting)


def _begin_ceases(waiting: OrderQuerySet) -> None:
    # each in a transaction of its own: the order of locks
    for reference in waiting.order_by("pk").values_list("seller_order_reference", flat=True):
        due_actions.schedule(steps.BEGIN_CEASE, at=clock.now(), subject=reference)


@due_action(steps.BEGIN_CEASE)
def begin_cease_again(subject: str) -> None:
    order = lifecycle.lock(subject)
    if order.state == OrderState.COMMITTED:
        begin_cease(order)


def ceases_in_flight(order: Order) -> OrderQuerySet:
    """The ceases that an order waits for; only one that takes a line has any."""
    if order.course not in CEASING:
        return Order.objects.none()
    return Order.objects.in_flight().filter(linked_order=order, kind=OrderKind.CEASE)


def list_ceases(order: Order) -> list[CeaseInFlight]:
    """What a completion asks of them, which every order has."""
    found = _CEASES.rows(order=order.pk) if order.course in CEASING else []
    return [CeaseInFlight(*row) for row in found]


def list_linked(order: Order) -> list[str]:
    """The references of the order that a cease belongs to, and of the ceases of one that takes a line."""
    gaining = order.linked_order if order.kind == OrderKind.CEASE else None
    is_waiting = gaining is not None and gaining.is_in_flight
    return [
        *([gaining.seller_order_reference] if is_waiting else []),
        *(cease.reference for cease in list_ceases(order)),
    ]


def is_past_no_return(order: Order, *, at: datetime | None = None) -> bool:
    """Whether a moment (now) is after the point of no return on the business day before (rules 4)."""
    day = order_day(order)
    return day is not None and (at or clock.now()) >= limits.no_return(day)


def move_cease(order: Order, *, day: date) -> None:
    """The gaining provider's date has changed: the losing one is notified, and the cease follows unless that provider
    controls its date or had ordered it itself (rules 3; Events)."""
    for found in ceases_in_flight(order):
        cease = lifecycle.lock(found.seller_order_reference)
        follows = cease.is_unsolicited and not cease.is_date_controlled
        if follows:
            cease.requested_date = day
        lifecycle.record(
            cease,
            OrderEventKind.LINKED_DATE_CHANGED,
            requested_date=date_text(day),
            notes=None if follows else "The date of this cease stays as it is.",
        )
        if follows:
            reschedule(cease)


def clear_cease_date(order: Order) -> None:
    """The engineer has no day any more: nor has the cease, unless its provider controls the date or had ordered it.

    That provider is notified. The service goes on until there is a new appointment (move_cease).
    """
    following = ceases_in_flight(order).filter(is_unsolicited=True, is_date_controlled=False)
    for found in following.exclude(requested_date=None):
        cease = lifecycle.lock(found.seller_order_reference)
        cease.requested_date = None
        due_actions.cancel(steps.COMPLETE, subject=cease.seller_order_reference)
        lifecycle.record(
            cease,
            OrderEventKind.LINKED_DATE_CHANGED,
            notes="The gaining order has no appointment now. The date of this cease follows with a new one.",
        )


def resume_ceases(order: Order) -> None:
    """Nothing waits any more that could have kept an unsolicited cease from its day (completion.py)."""
    if order.course not in CEASING:
        return
    for cease in ceases_in_flight(order).filter(is_unsolicited=True, state=OrderState.COMMITTED):
        if not due_actions.is_scheduled(steps.COMPLETE, subject=cease.seller_order_reference):
            reschedule(lifecycle.lock(cease.seller_order_reference))


def earliest_install(order: Order) -> date | None:
    """The first day that the losing provider's cease leaves to a WLTO; None when it leaves any (rules 3, D13).

    After a cease whose date that provider controls; on or after the day of one that it had ordered itself.
    """
    if order.course != Course.WLTO:
        return None
    ceases = (
        ceases_in_flight(order)
        .exclude(requested_date=None)
        .exclude(is_unsolicited=True, is_date_controlled=False)
    )
    return max(
        (cease.requested_date + timedelta(days=cease.is_date_controlled) for cease in ceases), default=None
    )


def follow_cease(cease: Order, *, day: date) -> None:
    """The losing provider has moved its cease; the date of one that was unsolicited it controls now (rules 3 and 6)."""
    if cease.linked_order is None or not cease.linked_order.is_in_flight:
        return
    gaining = lifecycle.lock(cease.linked_order.seller_order_reference)
    if gaining.course != Course.WLTO or visits.has_engineer_on_site(gaining):
        # only when the engineer came between the amendment and this: the line is taken today
        return
    if cease.is_unsolicited and gaining.is_appointed and is_past_no_return(gaining):
        _delay_reappoint(gaining)
    else:
        _move_to(gaining, day)


def _wait_for_own_cease(order: Order, cease: Order) -> None:
    """A WLTO installs on or after the day of the cease that its losing provider had ordered before (rules 3)."""
    if order.course == Course.WLTO and cease.requested_date and not cease.is_unsolicited:
        _move_to(order, cease.requested_date)


def _move_to(gaining: Order, day: date) -> None:
    """An order whose date or appointment is before this day waits for it."""
    wanted = order_day(gaining)
    if gaining.is_appointed:
        if wanted and day > wanted:
            _delay_reappoint(gaining)
    elif wanted is None or day > wanted:
        gaining.requested_date = day
        lifecycle.record(gaining, OrderEventKind.LINKED_DATE_CHANGED, requested_date=date_text(day))
        reschedule(gaining)


def _delay_reappoint(gaining: Order) -> None:
    _give_up_appointment(gaining)
    delays.delay_reappoint(gaining)


def _give_up_appointment(order: Order) -> None:
    """The engineer would come before the line is free."""
    if order.appointment is None:
        return
    visits.request_cancellation(order, code="CEASE", message="The losing provider has moved its date")
    missed_appointments.withdraw(order)


def reschedule(order: Order) -> None:
    """A committed order without a visit is completed on its new date; an earlier one comes to that by itself.

    The cease for an engineer who has no day yet waits for that day, and a failed activation for one that succeeds.
    """
    has_day = order.requested_date is not None or not order.is_unsolicited
    is_dated = order.state == OrderState.COMMITTED and not order.is_appointed and has_day
    if is_dated and not _ends_with_visit(order) and not delays.has_failed_activation(order):
        steps.schedule_completion(order)


def _ends_with_visit(order: Order) -> bool:
    """Whether the engineer of a Switch or WLTO ends the old service, and no midnight.

    Until then the gaining provider may cancel, and the cease with its order (rules 2, D14), or nobody may come. A date
    that the losing provider controls is kept (rules 3), and so is that of a regrade (Regrade rules 3).
    """
    gaining = order.linked_order
    if gaining is None or not order.is_unsolicited or order.is_date_controlled:
        return False
    return gaining.is_takeover and gaining.is_appointed
