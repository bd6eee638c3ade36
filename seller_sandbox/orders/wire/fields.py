"""Parts that several messages share: the header, references, dates, slots, configuration."""

from datetime import date, datetime, time
from typing import Any

from django.conf import settings

from seller_sandbox.orders.wire.layout import Choice, Group, Part, Text, Texts, Values
from seller_sandbox.orders.wire.namespaces import base, ext


def render_instant(moment: datetime | str) -> str:
    """ISO 8601 to the second in local time with its offset; of a JSON member, too."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    return moment.astimezone(settings.LOCAL_ZONE).isoformat(timespec="seconds")


def render_date(day: date | str) -> str:
    return str(day)


def parse_boolean(text: str) -> bool:
    return text in {"true", "1"}


def render_boolean(value: Any) -> str:
    return "true" if value else "false"


def local_instant(text: str) -> datetime:
    """A date with a time; without an offset it is local time (D7)."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=settings.LOCAL_ZONE)


def parse_requested_day(text: str) -> date:
    """A time is aligned to midnight of the same local day (order-provisioning.md, requestedDate)."""
    if "T" not in text:
        return date.fromisoformat(text)
    return local_instant(text).astimezone(settings.LOCAL_ZONE).date()


def slot_values(starts_at: datetime | str, ends_at: datetime | str) -> Values:
    """Day, start and end of a slot as three texts; the times carry the offset of that day."""
    start, end = render_instant(starts_at), render_instant(ends_at)
    return {"slot_date": start[:10], "slot_start": start[11:], "slot_end": end[11:]}


def parse_slot_time(day: date, text: str) -> time:
    """The local time of a slot's start or end on a day; an offset is taken into account."""
    moment = datetime.combine(day, time.fromisoformat(text))
    if moment.tzinfo is None:
        return moment.time()
    return moment.astimezone(settings.LOCAL_ZONE).time()


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
        Text("message", base("rejectionReasonMessage"), always=True),
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
