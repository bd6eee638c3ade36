"""On Hold: the SLA clock stands still and the end user is contacted (What the service does 5; D7)."""

from datetime import datetime, time, timedelta
from typing import Any

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.faults import additions, lifecycle, sample_values, steps
from seller_sandbox.faults.models import ContactAttempt, ContactKind, FaultReport, UpdateAuthor
from seller_sandbox.faults.states import FaultEventKind, FaultState

NO_ANSWER = {ContactKind.MESSAGE: "Message sent", ContactKind.CALL: "No answer"}
EXHAUSTED = (
    "The end user was not reached by a message and two calls. The ticket stays On Hold: send information."
)


class ContactNotPossible(Exception):
    """No attempt is left, or the ticket is not on hold; the text says which."""


def begin(report: FaultReport, *, reason: str, contacts_end_user: bool = True) -> None:
    """Wait for somebody outside the supplier's control; the end user is contacted by the steps of the data file."""
    report.hold_reason = reason
    lifecycle.apply(report, FaultEventKind.HELD, details={"contacts_end_user": contacts_end_user})
    if contacts_end_user:
        _schedule_next(report, number=0)


def end(report: FaultReport, kind: FaultEventKind, *, text: str = "") -> None:
    """INFORMATION_RECEIVED or APPOINTMENT_BOOKED: the clock goes on from where it stood."""
    due_actions.cancel(steps.CONTACT, subject=report.maintainer_fault_reference)
    report.hold_reason = ""
    if text:
        additions.add_update(report, author=UpdateAuthor.SUPPLIER, text=text)
    lifecycle.apply(report, kind)


def attempts(report: FaultReport) -> list[ContactAttempt]:
    """Those of the present hold, or of the last one."""
    return list(report.contact_attempts.filter(hold=_hold_number(report)))


def contact(report: FaultReport, *, outcome: str = "") -> ContactAttempt:
    """The next attempt: the message, then two calls; each is sent as an update. Raises ContactNotPossible."""
    if report.state != FaultState.ON_HOLD:
        raise ContactNotPossible(
            f"The ticket is {report.get_state_display()}. The end user is contacted while it is On Hold."
        )
    rows, number = _rows(), len(attempts(report))
    if number == len(rows):
        raise ContactNotPossible("A message and two calls were made. There is no third call.")
    due_actions.cancel(steps.CONTACT, subject=report.maintainer_fault_reference)
    kind = ContactKind(rows[number]["kind"])
    attempt = additions.add_contact_attempt(
        report, hold=_hold_number(report), kind=kind, outcome=outcome or NO_ANSWER[kind]
    )
    lifecycle.apply(
        report,
        FaultEventKind.CONTACT_ATTEMPTED,
        update_reason=f"End user contacted: {kind.label}, {attempt.outcome}",
    )
    _schedule_next(report, number=number + 1)
    return attempt


@due_action(steps.CONTACT)
def contact_end_user(subject: str) -> None:
    """The next attempt falls due, or all have been made."""
    report = lifecycle.lock(subject)
    if report.state != FaultState.ON_HOLD:
        return
    if len(attempts(report)) < len(_rows()):
        contact(report)
    else:
        lifecycle.apply(report, FaultEventKind.CONTACT_EXHAUSTED, update_reason=EXHAUSTED)


def _schedule_next(report: FaultReport, *, number: int) -> None:
    """After the last attempt the buyer is told one step later."""
    rows = _rows()
    at = _due_at(rows[number], clock.now()) if number < len(rows) else steps.next_step()
    steps.schedule(steps.CONTACT, report, at=at)


def _due_at(row: dict[str, Any], previous: datetime) -> datetime:
    calendar = sample_values.calendar(sample_values.read("contact_steps")["working_hours"])
    if "after_working_hours" in row:
        wait = timedelta(hours=row["after_working_hours"])
        return calendar.add(previous, wait) if wait else previous
    return calendar.next_day_at(previous, time.fromisoformat(row["next_working_day_at"]))


def _rows() -> list[dict[str, Any]]:
    return sample_values.read("contact_steps")["attempts"]


def _hold_number(report: FaultReport) -> int:
    return report.events.filter(kind=FaultEventKind.HELD).count()
