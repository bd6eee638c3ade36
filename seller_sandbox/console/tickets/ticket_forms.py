"""The buttons of a ticket, made of the same table as its control requests."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import QueryDict

from seller_sandbox.console.tickets.ticket_control_requests import CONSOLE_CODES, TICKET_ACTIONS, TicketAction
from seller_sandbox.faults.models import ClosureCode, FaultReport

YES_OR_NO = [("yes", "Yes"), ("no", "No")]
# label, kind of the field, choices of a list
FIELDS: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "reason": ("Reason", "text", []),
    "text": ("Text", "text", []),
    "outcome": ("Outcome", "text", []),
    "name": ("File name", "text", []),
    "description": ("Description", "text", []),
    "code": (
        "Closure code",
        "select",
        [(code, f"{code} {ClosureCode(code).label}") for code in CONSOLE_CODES],
    ),
    "contacts_end_user": ("Contact the end user", "select", YES_OR_NO),
    "is_chargeable": ("Chargeable to the buyer", "select", YES_OR_NO),
    "starts_at": ("From", "datetime-local", []),
    "ends_at": ("To", "datetime-local", []),
    "job": ("Job of the visit, the last one missed if empty", "text", []),
    "message_id": ("Message id, the last one if empty", "text", []),
}


@dataclass(frozen=True)
class TicketField:
    name: str
    label: str
    kind: str
    choices: list[tuple[str, str]]
    is_required: bool


@dataclass(frozen=True)
class TicketForm:
    """One button with its fields."""

    action: str
    label: str
    fields: list[TicketField]


def make_forms(report: FaultReport) -> list[TicketForm]:
    """What can be done with the ticket as it is now."""
    return [
        TicketForm(name, action.label, [_field(action, member) for member in action.readers])
        for name, action in TICKET_ACTIONS.items()
        if action.is_offered(report)
    ]


def read_fields(data: QueryDict, action: TicketAction) -> dict[str, Any]:
    """The form's filled fields, as a control request would have them."""
    filled = {name: data.get(name, "").strip() for name in action.readers}
    return {name: _typed(name, text) for name, text in filled.items() if text}


def _field(action: TicketAction, name: str) -> TicketField:
    label, kind, choices = FIELDS[name]
    return TicketField(name, label, kind, choices, name in action.required)


def _typed(name: str, text: str) -> Any:
    _, kind, choices = FIELDS[name]
    if choices is YES_OR_NO:
        return text == "yes"
    if kind != "datetime-local":
        return text
    try:
        return datetime.fromisoformat(text).replace(tzinfo=settings.LOCAL_ZONE).isoformat()
    except ValueError:
        return text
