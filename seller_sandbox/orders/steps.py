"""When the seller takes its next step, and the windows in which a buyer must act."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.orders import limits
from seller_sandbox.orders.models import Amendment, Cancellation, Order, RequestState
from seller_sandbox.orders.reasons import Reason

VALIDATE, COMMIT, COMPLETE = "orders.validate", "orders.commit", "orders.complete"
TIME_OUT = "orders.time_out"
SETTLE_REQUESTS = "orders.settle_requests"
BEGIN_CEASE, SLOT_ENDED = "orders.begin_cease", "orders.slot_ended"
# the slot of a build to wall that still waits for its civils
BUILD_SLOT_ENDED = "orders.build_slot_ended"
# the day on which a pre-order's cabinet goes live
CABINET_LIVE = "orders.cabinet_live"
# of complex orders
DESKTOP_SURVEY, FINALISE_COST = "orders.survey_desktop", "orders.finalise_cost"
# what must not overtake a request that came before it
DEADLINES = (COMPLETE, TIME_OUT, SLOT_ENDED, BUILD_SLOT_ENDED)
JUST_BEFORE = timedelta(microseconds=1)
_PENDING = {"order": OuterRef("pk"), "state": RequestState.PENDING}
_WITH_REQUESTS = CompiledQuery(
    lambda: (
        Order.objects.filter(pk=Parameter("order"))
        .filter(
            Exists(Amendment.objects.filter(**_PENDING)) | Exists(Cancellation.objects.filter(**_PENDING))
        )
        .order_by()
        .values_list("pk")
    )
)


def next_step() -> datetime:
    """The seller works on an order this long (SANDBOX_ORDER_STEP_SECONDS) before it says more."""
    return clock.now() + timedelta(seconds=settings.ORDER_STEP_SECONDS)


def schedule_decision(order: Order, *, linked: Iterable[str]) -> None:
    """Decide on a request at the next step, but before a deadline that comes sooner (D9, D14).

    `linked`: references of orders that end or fall with this one.
    """
    reference, at = order.seller_order_reference, next_step()
    deadline = due_actions.find_next(*DEADLINES, subjects=[reference, *linked], until=at)
    due_actions.schedule(SETTLE_REQUESTS, at=deadline - JUST_BEFORE if deadline else at, subject=reference)


def open_window(order: Order, *, days: int, reason: Reason) -> None:
    """The buyer must act within so many calendar days, or the order is cancelled with this reason (D9)."""
    close_windows(order)
    due_actions.schedule(
        TIME_OUT,
        at=limits.window_end(days),
        subject=order.seller_order_reference,
        code=reason.code,
        message=reason.message,
    )


def close_windows(order: Order) -> None:
    """The buyer has acted."""
    due_actions.cancel(TIME_OUT, subject=order.seller_order_reference)


def schedule_completion(order: Order) -> None:
    """At 00:00 of the requested date; today or earlier: at once (D7)."""
    reference = order.seller_order_reference
    due_actions.cancel(COMPLETE, subject=reference)
    soonest = next_step()
    at = limits.midnight(order.requested_date) if order.requested_date else soonest
    due_actions.schedule(COMPLETE, at=max(at, soonest), subject=reference)


def watch_cabinet(order: Order, *, day: date) -> None:
    """At the beginning of the day on which its cabinet goes live an order waits for that no more (delay 210)."""
    due_actions.cancel(CABINET_LIVE, subject=order.seller_order_reference)
    due_actions.schedule(CABINET_LIVE, at=limits.midnight(day), subject=order.seller_order_reference)


def has_requests(order: Order) -> bool:
    """Whether an amendment or a cancellation waits to be decided, which few orders ever have."""
    return _WITH_REQUESTS.is_found(order=order.pk)


def settle_requests(order: Order) -> None:
    """Decide on what the buyer still waits for: an amendment or cancellation that waited for the partner, too."""
    if has_requests(order):
        due_actions.schedule(SETTLE_REQUESTS, at=clock.now(), subject=order.seller_order_reference)


def stop(order: Order) -> None:
    """The order has ended: nothing of it falls due any more."""
    names = (VALIDATE, COMMIT, COMPLETE, TIME_OUT, DESKTOP_SURVEY, FINALISE_COST)
    due_actions.cancel(
        *names, SLOT_ENDED, BUILD_SLOT_ENDED, CABINET_LIVE, subject=order.seller_order_reference
    )
