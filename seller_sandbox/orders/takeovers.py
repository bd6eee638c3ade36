"""The losing provider's side of a Switch, a WLTO or a regrade (order-provisioning.md, Switch and WLTO rules)."""

from datetime import date, datetime

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.network.models import Service
from seller_sandbox.orders import delays, lifecycle, limits, missed_appointments, placing, steps, visits
from seller_sandbox.orders.models import Course, Order, OrderKind, OrderQuerySet
from seller_sandbox.orders.notification_kinds import NotificationKind
from seller_sandbox.orders.notification_members import date_text, linked_members, order_day
from seller_sandbox.orders.states import OrderEventKind, OrderState

# the courses that end the service that is live
CEASING = (Course.SWITCH, Course.WLTO, Course.REGRADE)


def is_line_taken(service: Service | None, *, by_others_than: Order) -> bool:
    """Whether an order in flight has been validated that ends this service: a line changes hands once at a time.

    The document knows one gaining provider for one cease (rules 1); the order that was validated first is that one.
    """
    orders = Order.objects.in_flight().filter(course__in=CEASING, service=service)
    return service is not None and orders.exclude(pk=by_others_than.pk).exists()


def begin_cease(order: Order) -> None:
    """Cease the live service for the order that takes its line, unless its cease is in flight (rules 1)."""
    if order.service is None:
        return
    known = Order.objects.in_flight().filter(kind=OrderKind.CEASE, service=order.service).first()
    if known:
        # somebody's own cease: linked, also after an earlier gaining provider has cancelled, and never cancelled with
        # the gaining provider's order
        Order.objects.filter(pk=known.pk).update(linked_order=order)
        _wait_for_own_cease(order, known)
        return
    service = order.service
    cease = placing.new_order(
        buyer=service.buyer,
        kind=OrderKind.CEASE,
        course=Course.CEASE,
        request={"service_identifier": service.service_identifier},
        uprn=service.location.uprn,
        new_order_type=order.new_order_type or "Regrade",
        requested_date=order_day(order),
        service=service,
        service_identifier=service.service_identifier,
        linked_order=order,
        is_unsolicited=True,
    )
    lifecycle.record(cease, OrderEventKind.UNSOLICITED_CEASE, unsolicited_cease=linked_members(cease))
    lifecycle.notify_buyer(cease, NotificationKind.PENDING)
    due_actions.schedule(steps.VALIDATE, at=steps.next_step(), subject=cease.seller_order_reference)


def cease_again(cease: Order) -> None:
    """A cancelled cease leaves orders that take its line without one: the seller begins it for them (rules 1).

    Not for the order that an unsolicited one was made for: they are cancelled together.
    """
    waiting = Order.objects.filter(state=OrderState.COMMITTED, course__in=CEASING, service=cease.service)
    if cease.is_unsolicited and cease.linked_order:
        waiting = waiting.exclude(pk=cease.linked_order.pk)
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


def is_past_no_return(order: Order, *, at: datetime | None = None) -> bool:
    """Whether a moment (now) is after the point of no return on the business day before (rules 4)."""
    day = order_day(order)
    return day is not None and (at or clock.now()) >= limits.no_return(day)


def move_cease(order: Order, *, day: date) -> None:
    """The gaining provider's date has changed: the cease follows unless its owner controls the date (rules 3)."""
    for found in ceases_in_flight(order).filter(is_unsolicited=True, is_date_controlled=False):
        cease = lifecycle.lock(found.seller_order_reference)
        cease.requested_date = day
        lifecycle.record(cease, OrderEventKind.LINKED_DATE_CHANGED, requested_date=date_text(day))
        reschedule(cease)


def follow_cease(cease: Order, *, day: date) -> None:
    """The losing provider has moved its cease and controls the date now (rules 3 and 6, D13)."""
    if cease.linked_order is None or not cease.linked_order.is_in_flight:
        return
    gaining = lifecycle.lock(cease.linked_order.seller_order_reference)
    if visits.has_engineer_on_site(gaining):
        # only when the engineer came between the amendment and this: the line is taken today
        return
    if gaining.is_appointed and is_past_no_return(gaining):
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
    if gaining.is_appointed and wanted and day > wanted:
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
    """A committed order without a visit is completed on its new date; an earlier one comes to that by itself."""
    if order.state == OrderState.COMMITTED and not order.is_appointed:
        steps.schedule_completion(order)
