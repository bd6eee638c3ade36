"""What must hold of every order at every moment, told without the table that the seller itself uses."""

from collections.abc import Iterator
from itertools import pairwise

from seller_sandbox import due_actions
from seller_sandbox.jobs import channel, dispatching, provisioning
from seller_sandbox.models import DueAction
from seller_sandbox.network.models import Appointment, AppointmentState, Service
from seller_sandbox.orders import reasons, steps, visits
from seller_sandbox.orders.appointments import missed_appointments
from seller_sandbox.orders.late_orders import open_delays
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


def check_visits() -> None:
    """At the end of a run: no order waits for ever for a visit of which nobody says anything."""
    forgotten = [order for order in Order.objects.in_flight() if not _is_visit_awaited(order)]
    assert not forgotten, f"nobody looks at the end of the slot of {forgotten}"


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
    yield from _problems_of_visits(order)
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


def _problems_of_visits(order: Order) -> Iterator[str]:
    """An appointment that was confirmed has a visit, and the newest of the open delays is the one that is shown."""
    planned = order.visits.filter(ended_at=None).count()
    if planned > 1:
        yield f"{planned} visits are planned"
    if order.state == OrderState.COMMITTED and order.appointment and not planned:
        yield "has an appointment, and no visit is planned"
    codes = [reason.code for reason in open_delays.list_open(order)]
    if (codes[-1:] or [""]) != [order.delay_code]:
        yield f"is delayed by {order.delay_code}, and its open delays are {codes}"


def _is_visit_awaited(order: Order) -> bool:
    """Whether a visit that is planned ends by itself, or by what the partner or a person has still to say."""
    visit = visits.planned(order)
    if (
        visit is None
        or visit.appointment is None
        or visits.has_begun(visit)
        or dispatching.is_being_cancelled(visit.job)
    ):
        return True
    is_agreed = missed_appointments.is_visit_agreed(order, visit.appointment)
    is_watched = due_actions.is_scheduled(steps.SLOT_ENDED, subject=order.seller_order_reference)
    # the partner says that the job is closed, and not how
    is_closed = due_actions.is_scheduled(channel.CLOSURE_OVERDUE, subject=visit.job.seller_job_id)
    return is_agreed or is_watched or is_closed


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

    yield from _problems_of_sequence(order)


def _problems_of_sequence(order: Order) -> Iterator[str]:
    """Requests are decided in the order in which they came, and before an order without an engineer ends (D14)."""
    requests = sorted([*order.amendments.all(), *order.cancellations.all()], key=lambda row: row.received_at)
    is_settled = [row.state != RequestState.PENDING for row in requests]
    if order.state not in ENDED and is_settled != sorted(is_settled, reverse=True):
        yield "a later request was decided before an earlier one"
    if order.state != OrderState.COMPLETED or order.kind == OrderKind.CEASE or order.is_appointed:
        return
    for cancellation in order.cancellations.filter(received_at__lt=order.ended_at):
        if cancellation.reason == reasons.ORDER_ENDED.message:
            yield f"was completed at {order.ended_at} after a cancellation of {cancellation.received_at}"


def _settles(order: Order) -> bool:
    """Whether the seller is about to decide on what waits."""
    return due_actions.is_scheduled(steps.SETTLE_REQUESTS, subject=order.seller_order_reference)


def _problems_of_end(order: Order, kinds: list[str]) -> Iterator[str]:
    if order.state in ENDED and order.ended_at is None:
        yield "has ended at no time"
    if order.state == OrderState.CANCELLED and order.notice_charge_days:
        yield "a notice charge for a service that goes on"
    if order.state != OrderState.COMPLETED or order.kind == OrderKind.CEASE:
        return
    if order.is_appointed:
        last = order.visits.exclude(ended_at=None).order_by("ended_at", "id").last()
        if last is None or last.outcome not in SUCCESSES or not provisioning.has_succeeded(last.job):
            yield f"KCI3 without a successful provisioning in {kinds}"
    elif order.visits.exists():
        yield "a job for an order without an appointment"
    elif _has_failed_activation(order):
        yield "KCI3 after an activation that failed"


def _has_failed_activation(order: Order) -> bool:
    """Whether none has succeeded after the last one that failed."""
    activations = [
        event.kind
        for event in order.events.all()
        if "234" in (event.details.get("code"), event.details.get("delay", {}).get("code"))
    ]
    return activations[-1:] == [OrderEventKind.DELAYED]
