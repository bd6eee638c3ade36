"""How the console words what is stored of orders: events, changes and notifications, without names of the code."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.urls import reverse

from seller_sandbox.console import text_formats
from seller_sandbox.jobs import codes
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders.models import VisitPurpose
from seller_sandbox.orders.notification_kinds import NotificationKind as Kind
from seller_sandbox.orders.states import OrderCondition

NOTIFICATIONS: dict[Kind, str] = {
    Kind.PENDING: "Pending",
    Kind.ACKNOWLEDGED: "Acknowledged (KCI1)",
    Kind.COMMITTED: "Committed (KCI2)",
    Kind.COMPLETED: "Completed (KCI3)",
    Kind.REJECTED: "Rejected",
    Kind.NNI_RESERVED: "ENNI Reserved",
    Kind.MISSED_APPOINTMENT: "Missed Appointment (KCI 2.1)",
    Kind.CABINET_SLIP: "Cabinet Slip",
    Kind.DELAY: "Delay",
    Kind.DELAY_REAPPOINT: "Delay Reappoint",
    Kind.UNSOLICITED_CEASE: "Unsolicited Cease Request",
    Kind.LINKED_DATE_CHANGED: "Date of the other provider's order changed",
    Kind.AMENDMENT_PENDING: "Amendment Pending",
    Kind.AMENDMENT_ACCEPTED: "Amendment Accepted",
    Kind.AMENDMENT_REJECTED: "Amendment Rejected",
    Kind.AMEND_REQUESTED_DATE_REJECTED: "Amend Requested Date Rejected",
    Kind.AMEND_APPOINTMENT_DATE_REJECTED: "Amend Appointment Date Rejected",
    Kind.CANCELLATION_PENDING: "Cancellation Pending",
    Kind.CANCELLATION_ACCEPTED: "Cancellation Accepted",
    Kind.CANCELLATION_REJECTED: "Cancellation Rejected",
    Kind.CANCELLED: "Cancelled by the seller",
    Kind.LATE_PROVISION: "Late Provision",
    Kind.CASE_COMMENT: "Case comment",
    Kind.MILESTONE: "Milestone",
}
NAMES = {
    "uprn": "UPRN",
    "nni_identifier": "ENNI",
    "nni_identifiers": "ENNIs offered",
    "s_vlan": "S-VLAN",
    "c_vlan": "C-VLAN",
    "agent_remote_id": "PPPoE agent remote id",
    "preferred_ont_location": "Preferred ONT location",
    "is_within_scope": "Within install scope",
    "has_power_sockets": "Power sockets at hand",
    "product_name": "Product",
    "is_engineer_install": "With an engineer",
    "is_cpe_install": "With CPE install",
}
MISSED_FLAGS = {
    "is_seller_missed": "missed by the seller",
    "is_amended": "amended late",
    "is_cancelled": "cancelled late",
    "is_end_user_missed": "missed by the end user",
    "is_end_user_pre_agreed": "agreed with the end user",
    "is_mborc": "beyond reasonable control (MBORC)",
}
COMPLEX_ANSWERS = {
    "acceptEstimate": "accepts the estimate",
    "rejectEstimate": "rejects the estimate",
    "acceptCost": "accepts the finalised cost",
    "rejectCost": "rejects the finalised cost",
}
# texts by the event's title, or shown with the notification
UNSAID = frozenset({"milestone", "configuration"})


@dataclass(frozen=True)
class Line:
    """A sentence, and the page of what it names."""

    text: str
    link: str = ""


def name_of(member: str) -> str:
    """`contact_name` as `Contact name`."""
    if member in NAMES:
        return NAMES[member]
    text = member.removeprefix("is_").replace("_", " ")
    return text[:1].upper() + text[1:]


def value_of(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(value_of(entry) for entry in value)
    return str(value)


def rows_of(members: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and value of each member that says something."""
    return [(name_of(name), value_of(value)) for name, value in members.items() if value not in ("", None)]


def conditions_of(marks: Iterable[str]) -> list[str]:
    return [OrderCondition(mark).label for mark in marks]


def day_text(day: str | date) -> str:
    return text_formats.full_day(date.fromisoformat(day) if isinstance(day, str) else day)


def lines_of(details: dict[str, Any]) -> list[Line]:
    """What happened in an event, one sentence per member of its details."""
    lines = [_line(name, details[name]) for name in _ordered(details) if name not in UNSAID]
    return [line for line in lines if line.text]


def _ordered(details: dict[str, Any]) -> list[str]:
    """The names as they come, except that the other reasons follow the main one."""
    names = list(details)
    if {"reason", "reasons"} <= details.keys():
        names.remove("reasons")
        names.insert(names.index("reason") + 1, "reasons")
    return names


def _line(name: str, value: Any) -> Line:
    if name in SENTENCES:
        return SENTENCES[name](value)
    text = "" if value in ("", None) or isinstance(value, dict) else f"{name_of(name)}: {value_of(value)}"
    return Line(text)


def _reason(reason: dict[str, str]) -> Line:
    code, message = reason.get("code", ""), reason.get("message", "")
    return Line(" ".join(filter(None, [message, f"(code {code})" if code else ""])))


def _other_reasons(reasons: list[dict[str, str]]) -> Line:
    others = [_reason(reason).text for reason in reasons[1:]]
    return Line(f"Also: {'; '.join(others)}" if others else "")


def _delay(delay: dict[str, str]) -> Line:
    return Line(f"{delay['reason']} (code {delay['code']}). Next best action: {delay['next_best_action']}")


def appointment_text(starts_at: datetime, ends_at: datetime, appointment_type: str = "") -> str:
    window = text_formats.full_window(starts_at, ends_at)
    is_usual = appointment_type in ("", AppointmentType.INSTALL)
    return window if is_usual else f"{AppointmentType(appointment_type).label}, {window}"


def _appointment(appointment: dict[str, str]) -> Line:
    start, end = (datetime.fromisoformat(appointment[name]) for name in ("starts_at", "ends_at"))
    return Line(f"Appointment {appointment_text(start, end, appointment.get('appointment_type', ''))}")


def _case(case: dict[str, Any]) -> Line:
    return Line(f"{case['reference']}: {case['text']}")


def _unsolicited(cease: dict[str, Any]) -> Line:
    day = cease.get("requested_date")
    return Line(f"{cease['new_order_type']} by another order{f', on {day_text(day)}' if day else ''}")


def missed_text(flags: dict[str, Any]) -> str:
    texts = [text for name, text in MISSED_FLAGS.items() if flags.get(name)]
    return ", ".join(texts) or "none of the flags"


def _missed(missed: dict[str, Any]) -> Line:
    return Line(f"{_appointment(missed).text}: {missed_text(missed)}")


def _late(late: dict[str, Any]) -> Line:
    return Line(
        f"{text_formats.counted(late['total_days'], 'day', 'days')} late: "
        f"{late['seller_days']} the seller's, {late['other_days']} not"
    )


def _job(reference: str) -> Line:
    return Line(f"Job {reference}", reverse("job", args=[reference]))


SENTENCES: dict[str, Callable[[Any], Line]] = {
    "reason": _reason,
    "warning": _reason,
    "reasons": _other_reasons,
    "delay": _delay,
    "appointment": _appointment,
    "requested_date": lambda day: Line(f"Date {day_text(day)}"),
    "case": _case,
    "unsolicited_cease": _unsolicited,
    "missed_appointment": _missed,
    "late_provision": _late,
    "job": _job,
    "purpose": lambda purpose: Line(f"Visit: {VisitPurpose(purpose).label}"),
    "closure_code": lambda code: Line(f"Closed with {code} {codes.describe(code)}"),
    "release_on": lambda day: Line(f"The cabinet goes live on {day_text(day)}"),
    "is_compensation_due": lambda is_due: Line("Compensation is due" if is_due else "No compensation is due"),
    "payable_days": lambda days: Line(f"Compensation is due for {text_formats.counted(days, 'day', 'days')}"),
    "text": Line,
    "notes": Line,
    "message": Line,
}


def changes_of(changes: dict[str, Any], *, windows: dict[str, str]) -> list[str]:
    """What an amendment asks for; `windows` has the appointment of each reservation key that is known."""
    texts = []
    for name, value in changes.items():
        match name:
            case "site" | "configuration":
                texts += [f"{label}: {text}" for label, text in rows_of(value)]
            case "reservation_key":
                texts.append(f"New appointment: {windows.get(value, f'key {value}, which is not known')}")
            case "requested_date" | "survey_date":
                texts.append(f"{name_of(name)}: {day_text(value)}")
            case "auxiliary_services":
                texts.append(f"Add {value_of(value)}")
            case "cancelled_auxiliary_services":
                texts.append(f"Take out {value_of(value)}")
            case "appointment_type" if value in AppointmentType.values:
                texts.append(f"Appointment for: {AppointmentType(value).label}")
            case "complex_answer":
                texts.append(f"The buyer {COMPLEX_ANSWERS.get(value, value)}")
            case "case_comment":
                texts.append(f"Reply: {value}")
            case _:
                texts.append(f"{name_of(name)}: {value_of(value)}")
    return texts
