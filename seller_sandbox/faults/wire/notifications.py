"""The thirteen notifications: from members in domain words to the bytes of the message (docs/fault-messages.md)."""

from typing import Any

from seller_sandbox.faults.states import FaultNotificationKind
from seller_sandbox.faults.wire.fields import (
    BUYER_REFERENCE,
    DETAILS,
    FILES,
    KEY,
    MAINTAINER_REFERENCE,
    PARENT_REFERENCE,
    REASON,
    REPORTED,
    SLOT,
    TICKET_HEADER,
    instant,
)
from seller_sandbox.faults.wire.namespaces import INTERFACE, INTERFACE_VERSION, tag
from seller_sandbox.soap import envelope
from seller_sandbox.soap.layout import FreeText, Group, Many, Part, Text, Texts
from seller_sandbox.soap.text_formats import slot_values

Members = dict[str, Any]
_K = FaultNotificationKind
# without which a kind says nothing
REQUIRED: dict[FaultNotificationKind, tuple[str, ...]] = {
    _K.ACCEPTED: ("maintainer_fault_reference",),
    _K.REJECTED: ("rejection",),
    _K.ON_HOLD: ("hold_reason",),
    _K.RESOLVED: ("closure_code", "resolved_at"),
    _K.CLOSED: ("closure_code", "closure"),
    _K.CANCELLED: ("cancellation_reason",),
    _K.AMENDED: ("amended_fields",),
    _K.APPOINTMENT_CONFIRMATION: ("appointment", "appointment_status"),
    _K.APPOINTMENT_CANCELLED: ("appointment", "appointment_status"),
    _K.APPOINTMENT_COMPLETED: ("completed_appointment",),
    _K.MISSED_APPOINTMENT: ("missed_appointment",),
    _K.UPDATE: ("update_reason",),
}
# a state of the whole fault report that only some notifications say
OF_SOME = {
    "hold_reason": {_K.ON_HOLD},
    "resolution": {_K.RESOLVED, _K.CLOSED, _K.UPDATE},
    "cancellation_reason": {_K.CANCELLED},
}
NOTIFICATION: tuple[Part, ...] = (
    *TICKET_HEADER,
    Text("state", tag("status")),
    instant("event_at", "eventDateTime"),
    *REPORTED,
    BUYER_REFERENCE,
    MAINTAINER_REFERENCE,
    PARENT_REFERENCE,
    Group(
        tag("faultDetails"),
        (
            *DETAILS,
            Group(
                tag("supplierTriage"),
                (
                    FreeText("code", tag("code")),
                    FreeText("findings", tag("findings")),
                    FreeText("decision", tag("decision")),
                    instant("at", "triagedAt"),
                ),
                name="triage",
            ),
        ),
    ),
    Group(
        tag("rejection"),
        (instant("rejected_at", "rejectedAt"), Many("reasons", tag("reason"), REASON)),
        name="rejection",
    ),
    Group(tag("hold"), (FreeText("hold_reason", tag("reason")),)),
    Texts("amended_fields", tag("amendedFields"), tag("amendedField"), always=True),
    Group(
        tag("resolution"),
        (
            Text("closure_code", tag("closureCode")),
            FreeText("text", tag("text")),
            instant("resolved_at", "resolvedAt"),
        ),
        name="resolution",
    ),
    Group(
        tag("closure"),
        (Text("accepted_by", tag("acceptedBy")), FreeText("text", tag("text"))),
        name="closure",
    ),
    FreeText("cancellation_reason", tag("cancellationReason")),
    Group(
        tag("appointment"),
        (KEY, *SLOT, FreeText("status", tag("appointmentStatus")), FreeText("reason", tag("reason"))),
        name="appointment",
    ),
    Group(
        tag("completedAppointment"),
        (instant("completed_at", "completedAt"), FreeText("outcome", tag("outcome"))),
        name="completed_appointment",
    ),
    Group(
        tag("missedAppointment"),
        (
            instant("missed_at", "missedAt"),
            FreeText("reason", tag("reason")),
            Text("missed_by", tag("missedBy")),
            Text("code", tag("code")),
        ),
        name="missed_appointment",
    ),
    FreeText("update_reason", tag("updateReason")),
    Group(
        tag("contactAttempts"),
        (
            Many(
                "contact_attempts",
                tag("contactAttempt"),
                (
                    Text("kind", tag("kind")),
                    FreeText("outcome", tag("outcome")),
                    instant("at", "attemptedAt"),
                ),
            ),
        ),
    ),
    Group(
        tag("updates"),
        (
            Many(
                "updates",
                tag("update"),
                (
                    Text("author", tag("author")),
                    FreeText("text", tag("text"), always=True),
                    instant("at", "updatedAt"),
                ),
            ),
        ),
    ),
    FILES,
)


def notification(kind: FaultNotificationKind, members: Members) -> bytes:
    """One notification. Raises ValueError, which names the member, where one is missing.

    `members` are those of notification_members.of with `message_id`, `sent_at` and `event_at`, and as the kind needs:
    `rejection {rejected_at, reasons [{code, message}]}`, `amended_fields []`, `closure {accepted_by, text}`,
    `appointment {key, starts_at, ends_at}` with `appointment_status` and `appointment_reason`, `completed_appointment
    {completed_at, outcome}`, `missed_appointment {missed_at, reason, missed_by, code}`, `update_reason`. Instants are
    ISO 8601 with an offset.
    """
    for name in REQUIRED.get(kind, ()):
        # an amendment may change nothing, and is confirmed all the same
        if not members.get(name) and members.get(name) != []:
            raise ValueError(f"{kind.value} lacks its member {name}")
    body = envelope.new_body(INTERFACE.prefixes)
    Group(tag(kind.value), NOTIFICATION).write(body, _values(kind, members))
    return envelope.write(body)


def _values(kind: FaultNotificationKind, members: Members) -> Members:
    values = {**members, "api_version": INTERFACE_VERSION}
    resolution = {
        "closure_code": members.get("closure_code"),
        "text": members.get("resolution"),
        "resolved_at": members.get("resolved_at"),
    }
    values["resolution"] = resolution if members.get("closure_code") else None
    if found := members.get("appointment"):
        values["appointment"] = {
            **found,
            **slot_values(found["starts_at"], found["ends_at"]),
            "status": members.get("appointment_status"),
            "reason": members.get("appointment_reason"),
        }
    for name, kinds in OF_SOME.items():
        if kind not in kinds:
            values[name] = None
    return values
