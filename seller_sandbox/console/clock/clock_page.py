"""What the page of the clock shows: the sandbox's time, how it can be moved, and what falls due next."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.conf import settings
from django.urls import reverse

from seller_sandbox import clock
from seller_sandbox.console import text_formats
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job
from seller_sandbox.models import DueAction
from seller_sandbox.network.models import Appointment
from seller_sandbox.orders.models import Order

ROWS = 100
HOUR, DAY = 3600, 86_400
STEPS = (
    (5 * 60, "5 minutes"),
    (HOUR, "1 hour"),
    (DAY, "1 day"),
    (7 * DAY, "7 days"),
    (30 * DAY, "30 days"),
)
# where the last part of an action's name does not say enough
LABELS = {
    "orders.validate": "Validate the order",
    "orders.commit": "Commit the order",
    "orders.complete": "Complete the order",
    "orders.time_out": "Cancel the order: the buyer's window ends",
    "orders.settle_requests": "Decide on what the buyer asked for",
    "orders.repaired": "Network repaired: appoint again",
    "orders.reappoint_after_slip": "Cabinet released: appoint again",
    "orders.cabinet_live": "Cabinet released: end the delay",
    "orders.slot_ended": "The slot ends: missed if nobody is on site",
    "orders.build_slot_ended": "The slot of the build ends: missed if its civils are not done",
    "faults.slot_ended": "The slot ends: missed if nobody is on site",
    "faults.validate": "Validate the fault report",
    "faults.close_by_silence": "Close the ticket: the buyer has not replied",
    "network.expire_reservation": "Reservation of an appointment expires",
    "jobs.closure_overdue": "Count a job as cancelled whose closeJob has not come",
    "jobs.finish_try": "Send the provisioning result",
}


@dataclass(frozen=True)
class Subject:
    """What an action is about; the link is empty when there is no page of it."""

    text: str
    link: str = ""


@dataclass(frozen=True)
class DueRow:
    """One line of the list."""

    at: str
    wait: str
    label: str
    subject: Subject
    failure: str


@dataclass(frozen=True)
class ClockPage:
    now: str
    ahead: str
    # local, as a field of the type datetime-local wants it
    instant: str
    steps: tuple[tuple[int, str], ...]
    rows: list[DueRow]
    total: int


def make_clock_page() -> ClockPage:
    now, ahead = clock.now(), clock.offset().total_seconds()
    waiting = DueAction.objects.open()
    return ClockPage(
        now=text_formats.full_time(now),
        ahead=text_formats.ahead(ahead) if ahead else "",
        instant=f"{text_formats.local(now):%Y-%m-%dT%H:%M}",
        steps=STEPS,
        rows=make_due_rows(list(waiting[:ROWS]), now=now),
        total=waiting.count(),
    )


def make_due_rows(actions: list[DueAction], *, now: datetime) -> list[DueRow]:
    """The actions in plain text, in three queries for what they are about."""
    subjects = _subjects({action.subject for action in actions})
    return [
        DueRow(
            at=text_formats.full_time(action.due_at),
            wait=_wait(action.due_at, now=now),
            label=label_of(action.name),
            subject=subjects.get(action.subject, Subject(action.subject)),
            failure=_failure(action),
        )
        for action in actions
    ]


def label_of(name: str) -> str:
    """`orders.notify_late_provision` as `Notify late provision`, unless there is a better text."""
    if name in LABELS:
        return LABELS[name]
    text = name.rpartition(".")[2].replace("_", " ")
    return text[:1].upper() + text[1:]


def seconds_to(moment: datetime) -> int:
    """Whole seconds by which the clock must be moved to show this moment. Raises ActionNotPossible."""
    seconds = math.ceil((moment - clock.now()).total_seconds())
    if seconds < 0:
        raise ActionNotPossible(
            f"The clock is past {text_formats.full_time(moment)} and only moves forward. Choose a later time."
        )
    return seconds


def next_due() -> datetime:
    """When the next action falls due; now for one that is waiting. Raises ActionNotPossible."""
    first = DueAction.objects.open().first()
    if first is None:
        raise ActionNotPossible("Nothing falls due. Place an order first, or move the clock by a step.")
    return max(first.due_at, clock.now())


def read_instant(text: str) -> datetime:
    """Local time of a field of the type datetime-local. Raises ActionNotPossible."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=settings.LOCAL_ZONE)
    except (ValueError, OverflowError) as problem:
        raise ActionNotPossible("Time: choose a day and a time, like 2026-11-23 13:00.") from problem


def _wait(moment: datetime, *, now: datetime) -> str:
    seconds = math.ceil((moment - now).total_seconds())
    return f"in {text_formats.ahead(seconds)}" if seconds > 0 else "due now"


def _failure(action: DueAction) -> str:
    if not action.error:
        return ""
    return f"Failed {text_formats.counted(action.attempts, 'time', 'times')}: {action.error}"


def _subjects(references: set[str]) -> dict[str, Subject]:
    found = {
        reference: Subject(reference, reverse("job", args=[reference]))
        for reference in Job.objects.filter(seller_job_id__in=references).values_list(
            "seller_job_id", flat=True
        )
    }
    orders = Order.objects.filter(seller_order_reference__in=references)
    for reference in orders.values_list("seller_order_reference", flat=True):
        found[reference] = Subject(reference, reverse("order", args=[reference]))
    tickets = FaultReport.objects.filter(maintainer_fault_reference__in=references)
    for reference in tickets.values_list("maintainer_fault_reference", flat=True):
        found[reference] = Subject(reference, reverse("ticket", args=[reference]))
    keys = [reference for reference in references if _is_key(reference)]
    for appointment in Appointment.objects.filter(key__in=keys).select_related("location"):
        window = text_formats.full_window(appointment.starts_at, appointment.ends_at)
        uprn = appointment.location.uprn
        found[str(appointment.key)] = Subject(f"{window}, UPRN {uprn}", reverse("location", args=[uprn]))
    return found


def _is_key(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
