"""The states of an order and every event that an order can have, as one table (order-provisioning.md, States).

A condition (ENNI Reserved, Missed Appointment, Warning, Cabinet Slip, Delay) is a mark beside the state (D16).
"""

from dataclasses import dataclass

from django.db import models

from seller_sandbox.orders.notification_kinds import NotificationKind as Kind


class OrderState(models.TextChoices):
    PENDING = "pending", "Pending"
    ACKNOWLEDGED = "acknowledged", "Acknowledged (KCI1)"
    COMMITTED = "committed", "Committed (KCI2)"
    COMPLETED = "completed", "Completed (KCI3)"
    REJECTED = "rejected", "Rejected"
    CANCELLED = "cancelled", "Cancelled"


class OrderCondition(models.TextChoices):
    NNI_RESERVED = "nni_reserved", "ENNI Reserved"
    MISSED_APPOINTMENT = "missed_appointment", "Missed Appointment"
    WARNING = "warning", "Warning"
    CABINET_SLIP = "cabinet_slip", "Cabinet Slip"
    DELAY = "delay", "Delay"


class OrderEventKind(models.TextChoices):
    RECEIVED = "received", "Order received"
    VALIDATED = "validated", "Validation passed"
    REJECTED = "rejected", "Validation failed"
    COMMITTED = "committed", "Committed"
    COMPLETED = "completed", "Completed"
    MODIFIED = "modified", "Live service modified"
    BUYER_CANCELLED = "buyer_cancelled", "Cancelled by the buyer"
    SELLER_CANCELLED = "seller_cancelled", "Cancelled by the seller"
    TIMED_OUT = "timed_out", "Cancelled because a window ended"
    CANCELLATION_RECEIVED = "cancellation_received", "Cancellation received"
    CANCELLATION_REJECTED = "cancellation_rejected", "Cancellation rejected"
    CABINET_SLIPPED = "cabinet_slipped", "Cabinet slip"
    REAPPOINTED = "reappointed", "Appointed again"
    DELAYED = "delayed", "Delayed"
    DELAY_REAPPOINT = "delay_reappoint", "Delayed, a new appointment is needed"
    DELAY_ENDED = "delay_ended", "Delay ended"
    NNI_RESERVED = "nni_reserved", "ENNI reserved"
    APPOINTMENT_MISSED = "appointment_missed", "Appointment missed"
    APPOINTMENT_KEPT = "appointment_kept", "Appointment was kept after all"
    MISSED_APPOINTMENT_NOTIFIED = "missed_appointment_notified", "Missed appointment notified"
    LATE_PROVISION_NOTIFIED = "late_provision_notified", "Late provision notified"
    CASE_OPENED = "case_opened", "Case opened"
    CASE_COMMENTED = "case_commented", "Case commented"
    CASE_CLOSED = "case_closed", "Case closed"
    AMENDMENT_RECEIVED = "amendment_received", "Amendment received"
    AMENDMENT_ACCEPTED = "amendment_accepted", "Amendment accepted"
    AMENDMENT_REJECTED = "amendment_rejected", "Amendment rejected"
    REQUESTED_DATE_REJECTED = "requested_date_rejected", "Requested date rejected"
    APPOINTMENT_DATE_REJECTED = "appointment_date_rejected", "Appointment date rejected"
    LINKED_DATE_CHANGED = "linked_date_changed", "Date of the linked order changed"
    UNSOLICITED_CEASE = "unsolicited_cease", "Unsolicited cease requested"
    MILESTONE = "milestone", "Milestone of a complex order"
    VISIT_PLANNED = "visit_planned", "Job pack sent to the partner"
    VISIT_REFUSED = "visit_refused", "Job pack refused by the partner"
    VISIT_ENDED = "visit_ended", "Visit ended"
    VISIT_CANCELLED = "visit_cancelled", "Visit cancelled"
    WARNED = "warned", "Warning noted for completion"
    NOTED = "noted", "Note"


IN_FLIGHT = frozenset({OrderState.PENDING, OrderState.ACKNOWLEDGED, OrderState.COMMITTED})
ENDED = frozenset({OrderState.COMPLETED, OrderState.REJECTED, OrderState.CANCELLED})
_PENDING = frozenset({OrderState.PENDING})
_ACKNOWLEDGED = frozenset({OrderState.ACKNOWLEDGED})
_COMMITTED = frozenset({OrderState.COMMITTED})
_UNDER_WAY = _ACKNOWLEDGED | _COMMITTED
_AFTER_THE_END = frozenset({OrderState.COMPLETED, OrderState.CANCELLED})


@dataclass(frozen=True)
class OrderTransition:
    """From which states an event is possible, the state after it (None: unchanged) and what the buyer is sent.

    `sets` and `clears` are the marks beside the state; an empty `sources` is an order that does not exist yet.
    """

    sources: frozenset[OrderState]
    target: OrderState | None = None
    notification: Kind | None = None
    sets: OrderCondition | None = None
    clears: frozenset[OrderCondition] = frozenset()


_E, _S = OrderEventKind, OrderState
TRANSITIONS: dict[OrderEventKind, OrderTransition] = {
    _E.RECEIVED: OrderTransition(frozenset(), _S.PENDING, Kind.PENDING),
    _E.VALIDATED: OrderTransition(_PENDING, _S.ACKNOWLEDGED, Kind.ACKNOWLEDGED),
    _E.REJECTED: OrderTransition(_PENDING, _S.REJECTED, Kind.REJECTED),
    _E.COMMITTED: OrderTransition(
        _ACKNOWLEDGED, _S.COMMITTED, Kind.COMMITTED, clears=frozenset({OrderCondition.DELAY})
    ),
    _E.COMPLETED: OrderTransition(
        _COMMITTED, _S.COMPLETED, Kind.COMPLETED, clears=frozenset({OrderCondition.DELAY})
    ),
    _E.MODIFIED: OrderTransition(_PENDING, _S.COMPLETED, Kind.COMPLETED),
    _E.BUYER_CANCELLED: OrderTransition(
        _UNDER_WAY, _S.CANCELLED, Kind.CANCELLATION_ACCEPTED, clears=frozenset({OrderCondition.DELAY})
    ),
    _E.SELLER_CANCELLED: OrderTransition(
        IN_FLIGHT, _S.CANCELLED, Kind.CANCELLED, clears=frozenset({OrderCondition.DELAY})
    ),
    _E.TIMED_OUT: OrderTransition(
        _UNDER_WAY, _S.CANCELLED, Kind.CANCELLED, clears=frozenset({OrderCondition.DELAY})
    ),
    _E.CANCELLATION_RECEIVED: OrderTransition(IN_FLIGHT, None, Kind.CANCELLATION_PENDING),
    _E.CANCELLATION_REJECTED: OrderTransition(IN_FLIGHT | ENDED, None, Kind.CANCELLATION_REJECTED),
    _E.CABINET_SLIPPED: OrderTransition(
        _COMMITTED, None, Kind.CABINET_SLIP, sets=OrderCondition.CABINET_SLIP
    ),
    _E.REAPPOINTED: OrderTransition(
        _COMMITTED,
        None,
        Kind.COMMITTED,
        clears=frozenset(
            {OrderCondition.DELAY, OrderCondition.CABINET_SLIP, OrderCondition.MISSED_APPOINTMENT}
        ),
    ),
    _E.DELAYED: OrderTransition(_UNDER_WAY, None, Kind.DELAY, sets=OrderCondition.DELAY),
    _E.DELAY_REAPPOINT: OrderTransition(_UNDER_WAY, None, Kind.DELAY_REAPPOINT, sets=OrderCondition.DELAY),
    _E.DELAY_ENDED: OrderTransition(_UNDER_WAY, clears=frozenset({OrderCondition.DELAY})),
    _E.NNI_RESERVED: OrderTransition(_COMMITTED, None, Kind.NNI_RESERVED, sets=OrderCondition.NNI_RESERVED),
    _E.APPOINTMENT_MISSED: OrderTransition(_UNDER_WAY, sets=OrderCondition.MISSED_APPOINTMENT),
    # the buyer is told of the appointment that stands again by the notification that confirms one (visit_results.py)
    _E.APPOINTMENT_KEPT: OrderTransition(
        _UNDER_WAY, clears=frozenset({OrderCondition.DELAY, OrderCondition.MISSED_APPOINTMENT})
    ),
    _E.MISSED_APPOINTMENT_NOTIFIED: OrderTransition(
        _UNDER_WAY | _AFTER_THE_END, None, Kind.MISSED_APPOINTMENT
    ),
    _E.LATE_PROVISION_NOTIFIED: OrderTransition(_AFTER_THE_END, None, Kind.LATE_PROVISION),
    _E.CASE_OPENED: OrderTransition(_UNDER_WAY, None, Kind.CASE_COMMENT),
    _E.CASE_COMMENTED: OrderTransition(_UNDER_WAY, None, Kind.CASE_COMMENT),
    _E.CASE_CLOSED: OrderTransition(_UNDER_WAY | _AFTER_THE_END, None, Kind.CASE_COMMENT),
    _E.AMENDMENT_RECEIVED: OrderTransition(IN_FLIGHT, None, Kind.AMENDMENT_PENDING),
    _E.AMENDMENT_ACCEPTED: OrderTransition(IN_FLIGHT, None, Kind.AMENDMENT_ACCEPTED),
    _E.AMENDMENT_REJECTED: OrderTransition(IN_FLIGHT | ENDED, None, Kind.AMENDMENT_REJECTED),
    _E.REQUESTED_DATE_REJECTED: OrderTransition(IN_FLIGHT, None, Kind.AMEND_REQUESTED_DATE_REJECTED),
    _E.APPOINTMENT_DATE_REJECTED: OrderTransition(IN_FLIGHT, None, Kind.AMEND_APPOINTMENT_DATE_REJECTED),
    _E.LINKED_DATE_CHANGED: OrderTransition(IN_FLIGHT, None, Kind.LINKED_DATE_CHANGED),
    _E.UNSOLICITED_CEASE: OrderTransition(frozenset(), _S.PENDING, Kind.UNSOLICITED_CEASE),
    _E.MILESTONE: OrderTransition(_ACKNOWLEDGED, None, Kind.MILESTONE),
    _E.VISIT_PLANNED: OrderTransition(_UNDER_WAY),
    _E.VISIT_REFUSED: OrderTransition(_UNDER_WAY),
    _E.VISIT_ENDED: OrderTransition(_UNDER_WAY | _AFTER_THE_END),
    _E.VISIT_CANCELLED: OrderTransition(_UNDER_WAY | _AFTER_THE_END),
    # the buyer learns it from KCI3 (D16)
    _E.WARNED: OrderTransition(_COMMITTED, sets=OrderCondition.WARNING),
    _E.NOTED: OrderTransition(IN_FLIGHT | ENDED),
}
