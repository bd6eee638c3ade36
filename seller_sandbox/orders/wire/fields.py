"""Parts that several messages share: the header, references, dates, slots, configuration."""

from datetime import datetime

from seller_sandbox.orders.wire.namespaces import base, ext
from seller_sandbox.soap.layout import Choice, FreeText, Group, Part, Text, Texts
from seller_sandbox.soap.text_formats import render_date, render_instant

HEADER: tuple[Part, ...] = (
    Group(
        base("message"),
        (
            Text("message_id", base("messageId")),
            Text("correlation_id", base("correlationId")),
            Text("sent_at", base("sentAt"), datetime.fromisoformat, render_instant),
        ),
        name="header",
    ),
    Group(
        base("buyer"),
        (
            Text("buyer_identifier", base("buyerIdentifier")),
            Text("reseller_id", ext("resellerId")),
        ),
        name="header",
    ),
    Group(base("seller"), (Text("seller_identifier", base("sellerIdentifier")),), name="header"),
)
BUYER_REFERENCE = Group(
    base("orderReferences"),
    (Text("buyer_order_reference", base("buyerOrderReference")),),
    name="header",
)
CONFIGURATION = Group(
    base("serviceConfiguration"),
    (
        Text("nni_identifier", base("nniIdentifier")),
        Text("s_vlan", base("nniSVlanId")),
        Text("c_vlan", base("nniCVlanId")),
        Text("line_profile", ext("lineProfile")),
        Text("agent_remote_id", base("pppoeAgentRemoteId")),
        Text("authentication_protocol", base("authenticationProtocol")),
    ),
    name="configuration",
)
AUXILIARY_SERVICES = Texts("auxiliary_services", base("auxiliaryServices"), base("auxiliaryService"))
APPOINTMENT_TYPE = Choice("appointment_type", base("appointmentType"))
UPRN = Text("uprn", base("addressKey"))
PRODUCT = Text("product_name", base("productName"))
SERVICE = Text("service_identifier", base("serviceIdentifier"))
PROJECT = Text("project_reference", ext("projectReference"))
TARGET = Text("target_seller_order_reference", base("targetSellerOrderReference"))
RESERVATION_KEY = Text("reservation_key", base("appointmentReservationKey"))
REJECTION_REASON = Group(
    base("rejectionReason"),
    (
        Text("code", base("rejectionReasonCode")),
        FreeText("message", base("rejectionReasonMessage"), always=True),
    ),
    name="reason",
)
SLOT: tuple[Part, ...] = (
    Text("slot_date", base("appointmentDate"), render=render_date),
    Text("slot_start", base("appointmentStartTime")),
    Text("slot_end", base("appointmentEndTime")),
)
APPOINTMENT = Group(
    base("appointment"),
    (
        Text("key", base("appointmentReservationKey")),
        *SLOT,
        APPOINTMENT_TYPE,
        Text("expires_at", base("reservationExpiresAt"), render=render_instant),
    ),
    name="appointment",
)
