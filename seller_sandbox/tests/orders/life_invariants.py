"""What must hold of every order at every moment, told without the table that the seller itself uses."""

from collections.abc import Iterator
from itertools import pairwise

from seller_sandbox import due_actions
from seller_sandbox.jobs import provisioning
from seller_sandbox.models import DueAction
from seller_sandbox.network.models import Appointment, AppointmentState, Service
from seller_sandbox.orders import steps
from seller_sandbox.orders.models import Order, OrderKind, RequestState
from seller_sandbox.orders.states import ENDED, TRANSITIONS, OrderEventKind, OrderState

# the document's transitions: what may follow a state, apart from itself
NEXT_STATES = {
    "pending": {"acknowledged", "rejected", "cancelled", "completed"},
    "acknowledged": {"committed", "cancelled"},
    "committed": {"completed", "cancelled"},
    "completed": set(),
    "rejected": set(),
    "cancelled": set(),
}
ENDS = {"completed", "rejected", "cancelled", "cancellationAccepted"}
AFTER_THE_END = {
    *("missedAppointment", "lateProvision", "caseComment"),
    # what was asked before the end is answered after it
    *("amendmentRejected", "cancellationRejected"),
}
AMENDMENT_ANSWERS = {
    *("amendmentAccepted", "amendmentRejected"),
    *("amendRequestedDateRejected", "amendAppointmentDateRejected"),
}
CANCELLATION_ANSWERS = {"cancellationAccepted", "cancellationRejected"}
BEGINNINGS = {"pending", "unsolicitedCeaseRequest"}
ONCE = {
    "acknowledged",
    *BEGINNINGS,
    "completed",
    "rejected",
    "cancelled",
    "cancellationAccepted",
    "lateProvision",
}
BEFORE_VALIDATION = {*BEGINNINGS, "amendmentPending", "cancellationPending"}
SUCCESSES = {"SP", "PSP", "NTR"}


def check_all() -> None:
    """Raises AssertionError with everything that is wrong."""
    found = [*_sandbox_problems()]
    for order in Order.objects.select_related("thread").prefetch_related("events", "visits__job"):
        found += [f"{order.seller_order_reference}: {problem}" for problem in problems_of(order)]
    assert not found, "\n".join(found)


def _sandbox_problems() -> Iterator[str]:
    for action in DueAction.objects.exclude(error=""):
        yield f"{action.name} of {action.subject} failed: {action.error}"
    booked = set(Appointment.objects.filter(state=AppointmentState.BOOKED).values_list("pk", flat=True))
    held = Order.objects.in_flight().exclude(appointment=None).values_list("appointment_id", flat=True)
    if booked != set(held):
        yield f"appointments {booked ^ set(held)} use capacity without an order, or an order holds them unbooked"
    lines = list(Service.objects.filter(ended_at=None).values_list("location_id", flat=True))
    if len(lines) != len(set(lines)):
        yield "two live services at the same premises"


def problems_of(order: Order) -> Iterator[str]:
    kinds = [message.members["kind"] for message in order.thread.outbound.order_by("seq")]
    yield from _problems_of_states(order)
    yield from _problems_of_messages(kinds)
    yield from _problems_of_requests(order, kinds)
    yield from _problems_of_end(order, kinds)


def _problems_of_states(order: Order) -> Iterator[str]:
    events = list(order.events.all())
    if [event.state for event in events][-1] != order.state:
        yield f"is {order.state} after {events[-1]}"
    for before, event in pairwise(events):
        if event.state != before.state and event.state not in NEXT_STATES[before.state]:
            yield f"{event.kind} led from {before.state} to {event.state}"
        if before.state not in TRANSITIONS[OrderEventKind(event.kind)].sources:
            yield f"{event.kind} in {before.state}"


def _problems_of_messages(kinds: list[str]) -> Iterator[str]:
    """The sequence of notifications, by the rows of the document's event table."""
    if kinds[0] not in BEGINNINGS:
        yield f"began with {kinds[0]}"
    for kind in ONCE:
        if kinds.count(kind) > 1:
            yield f"{kind} more than once in {kinds}"
    end = next((number for number, kind in enumerate(kinds) if kind in ENDS), len(kinds))
    if late := set(kinds[end + 1 :]) - AFTER_THE_END:
        yield f"{late} after the end in {kinds}"
    if "acknowledged" in kinds:
        early = set(kinds[: kinds.index("acknowledged")]) - BEFORE_VALIDATION
        if early:
            yield f"{early} before KCI1 in {kinds}"
    for number, kind in enumerate(kinds):
        if kind == "committed" and "acknowledged" not in kinds[:number]:
            yield f"KCI2 without KCI1 in {kinds}"
        if kind == "enniReserved" and kinds[number - 1] != "committed":
            yield f"ENNI Reserved after {kinds[number - 1]}"


def _problems_of_requests(order: Order, kinds: list[str]) -> Iterator[str]:
    """Each amendment and each cancellation is pending first and is answered once."""
    for rows, pending, answers in (
        (order.amendments, "amendmentPending", AMENDMENT_ANSWERS),
        (order.cancellations, "cancellationPending", CANCELLATION_ANSWERS),
    ):
        answered = sum(kind in answers for kind in kinds)
        waiting = rows.filter(state=RequestState.PENDING).count()
        if kinds.count(pending) != answered + waiting:
            yield f"{kinds.count(pending)} {pending}, {answered} answered, {waiting} waiting"
        if waiting and order.state in ENDED and not _settles(order):
            yield f"{waiting} requests wait after the end for nothing"


def _settles(order: Order) -> bool:
    """Whether the seller is about to decide on what waits."""
    names = (steps.SETTLE_AMENDMENTS, steps.SETTLE_CANCELLATIONS)
    return any(due_actions.is_scheduled(name, subject=order.seller_order_reference) for name in names)


def _problems_of_end(order: Order, kinds: list[str]) -> Iterator[str]:
    if order.state in ENDED and order.ended_at is None:
        yield "has ended at no time"
    if order.state != OrderState.COMPLETED or order.kind == OrderKind.CEASE:
        return
    if order.is_appointed:
        last = order.visits.exclude(ended_at=None).order_by("ended_at", "id").last()
        if last is None or last.outcome not in SUCCESSES or not provisioning.has_succeeded(last.job):
            yield f"KCI3 without a successful provisioning in {kinds}"
    elif order.visits.exists():
        yield "a job for an order without an appointment"
