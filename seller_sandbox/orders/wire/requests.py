"""What a buyer sends, in domain words. A missing text is "", a missing date or switch None.

References, UPRN, product, VLANs and keys are texts as they came: validation rejects a wrong one by a notification, and
not the schema by a fault (order-decisions.md, D2).
"""

from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, ClassVar

from django.conf import settings


@dataclass(frozen=True)
class Header:
    """The common head of every message (order-messages.md, Header); `sent_at` has an offset."""

    ID_PATH: ClassVar = "message/messageId"
    message_id: str
    correlation_id: str
    sent_at: datetime
    buyer_identifier: str
    seller_identifier: str
    reseller_id: str = ""
    buyer_order_reference: str = ""


@dataclass(frozen=True)
class SiteInformation:
    """The seven items of business-site information (What the service does); the last item is three assumptions."""

    contact_name: str = ""
    contact_email: str = ""
    contact_phone: str = ""
    access_restrictions: str = ""
    preferred_ont_location: str = ""
    hazards: str = ""
    wayleave_obtained: bool | None = None
    is_within_scope: bool | None = None
    has_power_sockets: bool | None = None


@dataclass(frozen=True)
class ServiceConfiguration:
    nni_identifier: str = ""
    s_vlan: str = ""
    c_vlan: str = ""
    line_profile: str = ""
    agent_remote_id: str = ""
    authentication_protocol: str = ""


@dataclass(frozen=True)
class OrderRequest:
    """`kind` is alaNewInstall, alaModify or alaCease; `requested_at` only when a time was sent with the date."""

    header: Header
    kind: str
    uprn: str = ""
    product_name: str = ""
    new_order_type: str = ""
    requested_date: date | None = None
    requested_at: datetime | None = None
    reservation_key: str = ""
    project_reference: str = ""
    site: SiteInformation = SiteInformation()
    configuration: ServiceConfiguration = ServiceConfiguration()
    auxiliary_services: tuple[str, ...] = ()
    service_identifier: str = ""
    is_engineer_install: bool = False
    is_cpe_install: bool = False


@dataclass(frozen=True)
class AmendOrderRequest:
    """`changes` holds what the message names and nothing else, ready for a JSON column.

    Keys: `uprn`, `product_name`, `site` and `configuration` (dicts of the items that are named), `reservation_key`,
    `appointment_type`, `requested_date` and `survey_date` (YYYY-MM-DD), `auxiliary_services` to add and
    `cancelled_auxiliary_services` (lists), `case_reference` with `case_comment`, and `complex_answer` (acceptEstimate,
    rejectEstimate, acceptCost or rejectCost).
    """

    header: Header
    target_seller_order_reference: str
    changes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CancelOrderRequest:
    header: Header
    target_seller_order_reference: str
    reason_code: str
    reason_message: str


@dataclass(frozen=True)
class AddressSearchQuery:
    """One of the two is given."""

    header: Header
    postcode: str = ""
    uprn: str = ""


@dataclass(frozen=True)
class ProductsQuery:
    header: Header
    uprn: str = ""


@dataclass(frozen=True)
class AppointmentsQuery:
    """`appointment_type` is install, orderSurvey, orderExternal or orderInternal; "" when the message names none."""

    header: Header
    uprn: str = ""
    product_name: str = ""
    appointments_from: date | None = None
    appointment_type: str = ""
    project_reference: str = ""


@dataclass(frozen=True)
class ReserveAppointmentRequest:
    """The slot is local time (Europe/London), also when the message gave the times with an offset."""

    header: Header
    slot_date: date
    slot_start: time
    slot_end: time
    uprn: str = ""
    product_name: str = ""
    appointment_type: str = ""

    @property
    def starts_at(self) -> datetime:
        return datetime.combine(self.slot_date, self.slot_start, tzinfo=settings.LOCAL_ZONE)

    @property
    def ends_at(self) -> datetime:
        return datetime.combine(self.slot_date, self.slot_end, tzinfo=settings.LOCAL_ZONE)


@dataclass(frozen=True)
class InstallationDetailsQuery:
    """One of the two is given (D4)."""

    header: Header
    uprn: str = ""
    service_identifier: str = ""


ParsedRequest = (
    OrderRequest
    | AmendOrderRequest
    | CancelOrderRequest
    | AddressSearchQuery
    | ProductsQuery
    | AppointmentsQuery
    | ReserveAppointmentRequest
    | InstallationDetailsQuery
)
