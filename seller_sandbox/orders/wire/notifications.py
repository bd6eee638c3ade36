"""notifyOfOrderStatus: from members in domain words to the bytes of the message (order-messages.md, Notifications)."""

from typing import Any

from django.conf import settings

from seller_sandbox.orders.notification_kinds import NotificationKind
from seller_sandbox.orders.wire.namespaces import INTERFACE, base
from seller_sandbox.orders.wire.notification_layouts import NOTIFICATION
from seller_sandbox.soap import envelope
from seller_sandbox.soap.layout import Group, Values
from seller_sandbox.soap.text_formats import slot_values

Members = dict[str, Any]
_K = NotificationKind
# the state that a kind says by itself; every other notification has the member `state`
STATES = {
    _K.PENDING: "pending",
    _K.UNSOLICITED_CEASE: "pending",
    _K.ACKNOWLEDGED: "acknowledged",
    _K.COMMITTED: "committed",
    _K.COMPLETED: "completed",
    _K.REJECTED: "rejected",
    _K.CANCELLATION_ACCEPTED: "cancelled",
    _K.CANCELLED: "cancelled",
}
ENDED = {"completed", "rejected", "cancelled"}
# without which a kind says nothing
REQUIRED = {
    _K.REJECTED: "reason",
    _K.NNI_RESERVED: "nni_identifiers",
    _K.MISSED_APPOINTMENT: "missed_appointment",
    _K.DELAY: "delay",
    _K.DELAY_REAPPOINT: "delay",
    _K.UNSOLICITED_CEASE: "unsolicited_cease",
    _K.AMENDMENT_REJECTED: "reason",
    _K.AMEND_REQUESTED_DATE_REJECTED: "reason",
    _K.AMEND_APPOINTMENT_DATE_REJECTED: "reason",
    _K.CANCELLATION_REJECTED: "reason",
    _K.LATE_PROVISION: "late_provision",
    _K.CASE_COMMENT: "case",
    _K.MILESTONE: "complex_order",
}
CANCELLED = {_K.CANCELLATION_ACCEPTED, _K.CANCELLED}
HEADER = ("message_id", "correlation_id", "sent_at", "buyer_identifier")
REFERENCES = ("buyer_order_reference", "seller_order_reference", "service_identifier")


def notification(members: Members) -> bytes:
    """One notifyOfOrderStatus. Raises ValueError, which names the member, where one is missing.

    Always: `kind`, `message_id`, `sent_at`, `correlation_id`, `buyer_identifier`, `seller_order_reference`, and `state`
    (an order's state in small letters) unless the kind says it. Where known: `buyer_order_reference`,
    `service_identifier`, `configuration`, `requested_date`, `appointment {key, starts_at, ends_at, appointment_type}`,
    `notes`. As the kind needs: `reason {code, message}`, `delay {code, reason, next_best_action}`, `warning {code,
    message}`, `nni_identifiers []`, `case {reference, text, is_open}`, `unsolicited_cease {new_order_type,
    requested_date}`, `missed_appointment {key, starts_at, ends_at, is_seller_missed, is_amended, is_cancelled,
    is_end_user_missed, is_end_user_pre_agreed, is_mborc}`, `late_provision {total_days, seller_days, other_days,
    exclusions [{reason, starts_on, ends_on, days}]}`, `complex_order {stage, awaiting_buyer_action [],
    earliest_survey_date, confirmed_survey_date, earliest_appointment_date, milestones []}`. Instants are ISO 8601 with
    an offset, dates YYYY-MM-DD. A closed order says nothing of its complex course (complexOrder).
    """
    kind = NotificationKind(members["kind"])
    state = STATES.get(kind) or members.get("state")
    for name in (*HEADER, "seller_order_reference", REQUIRED.get(kind, "kind")):
        if not members.get(name):
            raise ValueError(f"a notification of kind {kind} lacks its member {name}")
    if not state:
        raise ValueError(f"a notification of kind {kind} lacks its member state")
    details = _details(members, kind=kind)
    details["order_status"] = state.capitalize()
    values = {
        "header": {
            **{name: members[name] for name in HEADER},
            "seller_identifier": settings.SELLER_IDENTIFIER,
        },
        "buyer_order_reference": members.get("buyer_order_reference"),
        "seller_order_reference": members["seller_order_reference"],
        "kind": kind.value,
        ("closed" if state in ENDED else "in_progress"): details,
    }
    body = envelope.new_body(INTERFACE.prefixes)
    Group(base("notifyOfOrderStatus"), NOTIFICATION).write(body, values)
    return envelope.write(body)


def _details(members: Members, *, kind: NotificationKind) -> Values:
    details = {**members, "is_complex": bool(members.get("complex_order"))}
    if kind in CANCELLED:
        details["cancellation_reason"] = details.pop("reason", None)
    if appointment := members.get("appointment"):
        details["appointment"] = {
            **appointment,
            **slot_values(appointment["starts_at"], appointment["ends_at"]),
        }
    references = {name: members.get(name) for name in REFERENCES}
    if missed := members.get("missed_appointment"):
        slot = slot_values(missed["starts_at"], missed["ends_at"])
        details["missed_appointment"] = {**missed, **references, **slot}
    if late := members.get("late_provision"):
        details["late_provision"] = {**late, **references}
    return details
