"""The layout of notifyOfOrderStatus (order-messages.md, Notifications)."""

from seller_sandbox.orders.wire.fields import (
    APPOINTMENT,
    CONFIGURATION,
    HEADER,
    REJECTION_REASON,
    SERVICE,
    SLOT,
)
from seller_sandbox.orders.wire.namespaces import base, ext
from seller_sandbox.soap.layout import Flag, FreeText, Group, Lines, Many, Names, Part, Text, Texts
from seller_sandbox.soap.text_formats import render_date


def _yes_or_no(name: str, tag: str) -> Text:
    return Text(name, base(tag), lambda text: text == "Y", lambda value: "Y" if value else "N")


def _days(name: str, tag: str) -> Text:
    return Text(name, base(tag), int)


BUYER_REFERENCE = Text("buyer_order_reference", base("buyerOrderReference"))
SELLER_REFERENCE = Text("seller_order_reference", base("sellerOrderReference"))
REFERENCES: tuple[Part, ...] = (BUYER_REFERENCE, SELLER_REFERENCE)
REQUESTED_DATE = Text("requested_date", base("requestedDate"), render=render_date)
DELAY = Group(
    base("delay"),
    (
        Text("code", base("delayCode")),
        FreeText("reason", base("delayReason"), always=True),
        FreeText("next_best_action", base("nextBestAction")),
    ),
    name="delay",
)
WARNING = Group(
    base("warning"),
    (Text("code", base("warningCode")), FreeText("message", base("warningMessage"), always=True)),
    name="warning",
)
# the document's 13 fields in its order
MISSED_APPOINTMENT = Group(
    base("missedAppointment"),
    (
        *REFERENCES,
        SERVICE,
        Text("key", base("appointmentReservationKey")),
        *SLOT,
        _yes_or_no("is_seller_missed", "sellerMissed"),
        _yes_or_no("is_amended", "amended"),
        _yes_or_no("is_cancelled", "cancelled"),
        _yes_or_no("is_end_user_missed", "endUserMissed"),
        _yes_or_no("is_end_user_pre_agreed", "endUserPreAgreed"),
        _yes_or_no("is_mborc", "mborc"),
    ),
    name="missed_appointment",
)
LATE_PROVISION = Group(
    base("lateProvision"),
    (
        *REFERENCES,
        SERVICE,
        _days("total_days", "totalDelayDays"),
        _days("seller_days", "sellerDelayDays"),
        _days("other_days", "otherDelayDays"),
        Many(
            "exclusions",
            base("exclusion"),
            (
                Text("reason", base("exclusionReason")),
                Text("starts_on", base("exclusionStartDate"), render=render_date),
                Text("ends_on", base("exclusionEndDate"), render=render_date),
                _days("days", "exclusionDays"),
            ),
        ),
    ),
    name="late_provision",
)
UNSOLICITED_CEASE = Group(
    base("unsolicitedCease"),
    (Text("new_order_type", base("newOrderType")), REQUESTED_DATE),
    name="unsolicited_cease",
)
CASE = Group(
    base("case"),
    (
        Text("reference", base("caseReference")),
        FreeText("text", base("comment"), always=True),
        Text(
            "is_open",
            base("caseStatus"),
            lambda text: text == "Open",
            lambda is_open: "Open" if is_open else "Closed",
        ),
    ),
    name="case",
)
CANCELLATION_REASON = Group(
    base("cancellationReason"),
    (
        Text("code", base("cancellationReasonCode")),
        FreeText("message", base("cancellationReasonMessage"), always=True),
    ),
    name="cancellation_reason",
)
COMPLEX_ORDER = Group(
    ext("complexOrder"),
    (
        FreeText("stage", ext("stage"), always=True),
        Names("awaiting_buyer_action", ext("awaitingBuyerAction")),
        Text("earliest_survey_date", ext("earliestSurveyDate"), render=render_date),
        Text("confirmed_survey_date", ext("confirmedSurveyDate"), render=render_date),
        Text("earliest_appointment_date", ext("earliestAppointmentDate"), render=render_date),
        Group(ext("milestones"), (Lines("milestones", ext("milestone")),), always=True),
    ),
    name="complex_order",
)
DETAILS: tuple[Part, ...] = (
    Text("order_status", base("orderStatus")),
    SERVICE,
    REQUESTED_DATE,
    APPOINTMENT,
    CONFIGURATION,
    Texts("nni_identifiers", ext("nniIdentifiers"), base("nniIdentifier")),
    REJECTION_REASON,
    CANCELLATION_REASON,
    DELAY,
    WARNING,
    MISSED_APPOINTMENT,
    LATE_PROVISION,
    UNSOLICITED_CEASE,
    CASE,
    FreeText("notes", base("notes")),
)
IN_PROGRESS = Group(
    base("alaOrderInProgress"),
    (*DETAILS, Flag("is_complex", ext("isComplexOrder"), text="true"), COMPLEX_ORDER),
    name="in_progress",
)
CLOSED = Group(base("alaOrderClosed"), DETAILS, name="closed")
NOTIFICATION: tuple[Part, ...] = (
    *HEADER,
    Group(base("orderReferences"), REFERENCES),
    Text("kind", base("notificationKind")),
    IN_PROGRESS,
    CLOSED,
)
