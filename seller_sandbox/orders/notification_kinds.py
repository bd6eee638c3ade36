"""What a notifyOfOrderStatus can say, and which rows of the document's event table each kind answers."""

from enum import StrEnum


class NotificationKind(StrEnum):
    """The values are those of the wire's notificationKind (docs/order-messages.md)."""

    PENDING = "pending"
    ACKNOWLEDGED = "acknowledged"
    COMMITTED = "committed"
    COMPLETED = "completed"
    REJECTED = "rejected"
    NNI_RESERVED = "enniReserved"
    MISSED_APPOINTMENT = "missedAppointment"
    CABINET_SLIP = "cabinetSlip"
    DELAY = "delay"
    DELAY_REAPPOINT = "delayReappoint"
    UNSOLICITED_CEASE = "unsolicitedCeaseRequest"
    # the other provider of a Switch, a WLTO or a regrade has moved the date
    LINKED_DATE_CHANGED = "linkedDateChanged"
    AMENDMENT_PENDING = "amendmentPending"
    AMENDMENT_ACCEPTED = "amendmentAccepted"
    AMENDMENT_REJECTED = "amendmentRejected"
    AMEND_REQUESTED_DATE_REJECTED = "amendRequestedDateRejected"
    AMEND_APPOINTMENT_DATE_REJECTED = "amendAppointmentDateRejected"
    CANCELLATION_PENDING = "cancellationPending"
    CANCELLATION_ACCEPTED = "cancellationAccepted"
    CANCELLATION_REJECTED = "cancellationRejected"
    # the seller cancels, or a window has ended
    CANCELLED = "cancelled"
    LATE_PROVISION = "lateProvision"
    CASE_COMMENT = "caseComment"
    MILESTONE = "complexMilestone"


class BuyerAction(StrEnum):
    """What the buyer of a complex order must do next: the flags of awaitingBuyerAction."""

    ANSWER_ESTIMATE = "answerEstimate"
    BOOK_SURVEY = "bookSurveyAppointment"
    ANSWER_COST = "answerCost"
    BOOK_EXTERNAL = "bookExternalAppointment"
    BOOK_INTERNAL = "bookInternalAppointment"


_K = NotificationKind
# the 16 rows of order-provisioning.md, Events: the row's own words, and the kinds that answer it
EVENT_ROWS: tuple[tuple[str, tuple[NotificationKind, ...]], ...] = (
    ("Pending", (_K.PENDING,)),
    ("KCI1 Acknowledged", (_K.ACKNOWLEDGED,)),
    ("KCI2 Committed", (_K.COMMITTED,)),
    ("KCI3 Completed", (_K.COMPLETED,)),
    ("KCI3 Rejected / Rejected with Reason", (_K.REJECTED,)),
    ("ENNI Reserved", (_K.NNI_RESERVED,)),
    ("Missed Appointment (KCI 2.1)", (_K.MISSED_APPOINTMENT,)),
    # D16: carried by KCI3 as an element of its own
    ("Warning", (_K.COMPLETED,)),
    ("Cabinet Slip", (_K.CABINET_SLIP,)),
    ("Delay (with delay code and next best action)", (_K.DELAY,)),
    (
        "Unsolicited Cease Request, cease Pending, Acknowledged, Committed, Completed",
        (_K.UNSOLICITED_CEASE, _K.PENDING, _K.ACKNOWLEDGED, _K.COMMITTED, _K.COMPLETED),
    ),
    (
        "Amendment Pending, Accepted, Rejected",
        (_K.AMENDMENT_PENDING, _K.AMENDMENT_ACCEPTED, _K.AMENDMENT_REJECTED, _K.LINKED_DATE_CHANGED),
    ),
    (
        "Cancellation status",
        (_K.CANCELLATION_PENDING, _K.CANCELLATION_ACCEPTED, _K.CANCELLATION_REJECTED, _K.CANCELLED),
    ),
    ("Late Provision Notification", (_K.LATE_PROVISION,)),
    ("Case comments", (_K.CASE_COMMENT,)),
    ("Complex milestones", (_K.MILESTONE,)),
)
# named in the rules and the error table only
RULE_ROWS: tuple[tuple[str, NotificationKind], ...] = (
    ("Amend Requested Date Rejected", _K.AMEND_REQUESTED_DATE_REJECTED),
    ("Amend Appointment Date Rejected", _K.AMEND_APPOINTMENT_DATE_REJECTED),
    ("Delay Reappoint", _K.DELAY_REAPPOINT),
)
