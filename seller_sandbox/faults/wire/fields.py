"""Parts that several messages of the interface share."""

from datetime import datetime

from seller_sandbox.faults.wire.namespaces import tag
from seller_sandbox.soap.layout import Choice, FreeText, Group, Many, Part, Text
from seller_sandbox.soap.text_formats import parse_boolean, render_boolean, render_date, render_instant


def instant(name: str, element: str) -> Text:
    return Text(name, tag(element), datetime.fromisoformat, render_instant)


def switch(name: str, element: str) -> Text:
    return Text(name, tag(element), parse_boolean, render_boolean)


def contact(name: str, element: str) -> Group:
    parts = [Text(part, tag(part)) for part in ("name", "phone", "email")]
    return Group(tag(element), parts, name=name)


def reason(name: str, element: str) -> Group:
    return Group(tag(element), REASON, name=name)


REASON: tuple[Part, ...] = (
    Text("code", tag("rejectionReasonCode")),
    FreeText("message", tag("rejectionReasonMessage"), always=True),
)
TICKET_HEADER: tuple[Part, ...] = (
    Text("api_version", tag("apiVersion")),
    Text("buyer_identifier", tag("buyerIdentifier")),
    instant("sent_at", "sentAt"),
    Text("message_id", tag("messageId")),
)
ORDER_HEADER: tuple[Part, ...] = (
    Group(
        tag("message"),
        (
            Text("message_id", tag("messageId")),
            Text("correlation_id", tag("correlationId")),
            instant("sent_at", "sentAt"),
        ),
        name="header",
    ),
    Group(
        tag("buyer"),
        (Text("buyer_identifier", tag("buyerIdentifier")), FreeText("reseller_id", tag("resellerId"))),
        name="header",
        always=True,
    ),
    Group(tag("seller"), (Text("seller_identifier", tag("sellerIdentifier")),), name="header"),
)
REPORTED: tuple[Part, ...] = (
    instant("report_date_time", "reportDateTime"),
    contact("reporter_contact_details", "reporterContactDetails"),
    contact("end_user_contact_details", "endUserContactDetails"),
    Text("service_affected", tag("serviceAffected")),
)
BUYER_REFERENCE = Text("buyer_fault_reference", tag("buyerFaultReference"))
MAINTAINER_REFERENCE = Text("maintainer_fault_reference", tag("maintainerFaultReference"))
PARENT_REFERENCE = FreeText("parent_fault_reference", tag("parentFaultReference"))
DETAILS: tuple[Part, ...] = (
    FreeText("description", tag("description")),
    Text("fault_type", tag("type")),
    instant("fault_start_time", "faultStartTime"),
    FreeText("fault_location", tag("faultLocation")),
    FreeText("site_access_details", tag("siteAccessDetails")),
    contact("site_access_contact_details", "siteAccessContactDetails"),
    switch("triage_complete", "triageComplete"),
    FreeText("triage_findings", tag("triageFindings")),
)
FILES = Group(
    tag("files"),
    (
        Many(
            "files",
            tag("file"),
            (
                FreeText("name", tag("fileName")),
                FreeText("media_type", tag("mediaType")),
                Text("size_bytes", tag("sizeBytes"), int),
                FreeText("description", tag("description")),
                Text("author", tag("author")),
            ),
        ),
    ),
)
SLOT: tuple[Part, ...] = (
    Text("slot_date", tag("appointmentDate"), render=render_date),
    Text("slot_start", tag("appointmentStartTime")),
    Text("slot_end", tag("appointmentEndTime")),
)
KEY = Text("key", tag("appointmentReservationKey"))
PREMISES: tuple[Part, ...] = (Text("uprn", tag("addressKey")), Text("product_name", tag("productName")))
APPOINTMENT_TYPE = Choice("appointment_type", tag("appointmentType"))
