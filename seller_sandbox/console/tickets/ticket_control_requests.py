"""Reads what a control request or a form asks for a ticket; every mistake is named at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from seller_sandbox.console.control_requests import Reader, instant, one_of, read_members, text, yes_or_no
from seller_sandbox.console.orders.order_control_requests import (
    MAX_ROWS,
    count,
    known_buyer,
    message_id,
    row_limit,
)
from seller_sandbox.faults import holds, lifecycle, operator_actions, repairs, resolutions
from seller_sandbox.faults.models import ClosureCode, FaultReport
from seller_sandbox.faults.revisits import missed_visits
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.faults.ticket_closure_codes import ReachedBy, codes_reached_by

Members = dict[str, Any]
# with which the operator ends a ticket; the others follow from a missed visit
CONSOLE_CODES = codes_reached_by(ReachedBy.CONSOLE)
_E = FaultEventKind


def _console_code(value: Any) -> ClosureCode:
    if value not in CONSOLE_CODES:
        raise ValueError(f"must be one of {', '.join(CONSOLE_CODES)}")
    return ClosureCode(value)


@dataclass(frozen=True)
class TicketAction:
    """What the operator does with one ticket: the button's label, the function, and its members by name.

    `event`: the action is offered while this event is possible; without one it always is.
    """

    label: str
    act: Callable[..., object]
    required: tuple[str, ...] = ()
    readers: dict[str, Reader] = field(default_factory=dict)
    event: FaultEventKind | None = None

    def is_offered(self, report: FaultReport) -> bool:
        return self.event is None or lifecycle.is_possible(report, self.event)

    def run(self, reference: str, members: Members) -> object:
        """Raises InvalidControlRequest, ActionNotPossible."""
        wanted = read_members(members, required=self.required, **self.readers)
        with operator_actions.on_ticket(reference) as report:
            return self.act(report, **wanted)


def _add_default_text(act: Callable[..., object]) -> Callable[..., object]:
    """An action whose text may be left out."""
    return lambda report, *, text="", **members: act(report, text=text, **members)


# by the last part of the path /api/tickets/<maintainerFaultReference>/<action>
TICKET_ACTIONS: dict[str, TicketAction] = {
    "start-triage": TicketAction("Start triage", operator_actions.start_triage, event=_E.TRIAGE_STARTED),
    "hold": TicketAction(
        "Put on hold",
        holds.begin,
        ("reason",),
        {"reason": text, "contacts_end_user": yes_or_no},
        _E.HELD,
    ),
    "contact": TicketAction(
        "Contact the end user", holds.contact, readers={"outcome": text}, event=_E.CONTACT_ATTEMPTED
    ),
    "information": TicketAction(
        "Receive information",
        operator_actions.receive_information,
        ("text",),
        {"text": text},
        _E.INFORMATION_RECEIVED,
    ),
    "need-visit": TicketAction(
        "Say that a visit is needed",
        _add_default_text(operator_actions.need_visit),
        readers={"text": text},
        event=_E.APPOINTMENT_CONFIRMED,
    ),
    "book-visit": TicketAction(
        "Book a visit",
        operator_actions.book_visit,
        ("starts_at", "ends_at"),
        {"starts_at": instant, "ends_at": instant},
        _E.APPOINTMENT_CONFIRMED,
    ),
    "mborc": TicketAction(
        "Declare MBORC", missed_visits.declare_mborc, readers={"job": text}, event=_E.UPDATED
    ),
    "repair": TicketAction("Repair the fault", repairs.repair, event=_E.RESOLVED),
    "update": TicketAction(
        "Tell the buyer", operator_actions.add_update, ("text",), {"text": text}, _E.UPDATED
    ),
    "file": TicketAction(
        "Add a file", operator_actions.add_file, ("name",), {"name": text, "description": text}, _E.UPDATED
    ),
    "resolve": TicketAction(
        "Resolve",
        _add_default_text(resolutions.resolve),
        ("code",),
        {"code": _console_code, "text": text},
        _E.RESOLVED,
    ),
    "cancel": TicketAction("Cancel", operator_actions.cancel, ("reason",), {"reason": text}, _E.CANCELLED),
    "chargeable": TicketAction(
        "Set the charge",
        operator_actions.mark_chargeable,
        ("is_chargeable",),
        {"is_chargeable": yes_or_no},
    ),
    "send-again": TicketAction("Send refused messages again", operator_actions.send_refused_again),
    "repeat": TicketAction(
        "Repeat a notification", operator_actions.repeat_notification, readers={"message_id": message_id}
    ),
}


def read_switch(members: Members) -> bool:
    """Whether addFaultReport answers Rejected at once."""
    return read_members(members, required=("rejects_at_once",), rejects_at_once=yes_or_no)["rejects_at_once"]


def read_search(query: Mapping[str, str]) -> Members:
    """What tickets are searched by; `after` and `limit` page through them."""
    readers = {"buyer": known_buyer, "reference": text, "service": text, "state": one_of(FaultState)}
    found = read_members(dict(query), **readers, after=count, limit=row_limit)
    return {"after": 0, "limit": MAX_ROWS, **found}


def read_notification_search(query: Mapping[str, str]) -> Members:
    found = read_members(dict(query), buyer=known_buyer, ticket=text, since=count, limit=row_limit)
    return {"since": 0, "limit": MAX_ROWS, **found}
