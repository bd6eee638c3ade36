"""The answers to a buyer's requests: each function gives the bytes of one (order-messages.md).

They take the request's own header and answer with a message id of their own, the request's correlation id and the
sandbox's time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from typing import Any
from uuid import uuid4

from django.conf import settings

from seller_sandbox import clock
from seller_sandbox.orders.wire.namespaces import INTERFACE, base
from seller_sandbox.orders.wire.requests import AmendOrderRequest, CancelOrderRequest, Header
from seller_sandbox.orders.wire.response_layouts import RESPONSES
from seller_sandbox.soap import envelope
from seller_sandbox.soap.layout import Group, Values
from seller_sandbox.soap.text_formats import slot_values

# code and message
Reason = Mapping[str, str]
PENDING, ACCEPTED, REJECTED = "Pending", "Accepted", "Rejected"


@dataclass(frozen=True)
class LocationDetails:
    """One location of an address search (order-provisioning.md, Location)."""

    uprn: str
    address_lines: tuple[str, ...]
    town: str
    postcode: str
    rfs_status: str
    is_pre_order: bool
    cabinet_release_date: date | None = None
    loc_codes: tuple[str, ...] = ()
    dr_status: str = ""
    property_type: str = ""
    classification: str = ""


@dataclass(frozen=True)
class ProductDetails:
    """One availableProduct; `appointment_required` is yes, no or maybe."""

    product_name: str
    appointment_required: str
    nni_identifiers: tuple[str, ...] = ()
    is_complex: bool = False


@dataclass(frozen=True)
class AppointmentDetails:
    """A reserved appointment; `expires_at` is when the reservation ends unless an order uses it."""

    key: str
    starts_at: datetime
    ends_at: datetime
    appointment_type: str
    expires_at: datetime


@dataclass(frozen=True)
class InstallationDetails:
    """One port of an ONT, and the service on it where there is one; `ont_identifier` is the serial number."""

    ont_identifier: str
    ont_port: str = ""
    product_name: str = ""
    service_identifier: str = ""
    configuration: Mapping[str, str] = field(default_factory=dict)


def order_response() -> bytes:
    """The only empty answer."""
    return _write("orderResponse", {})


def amend_response(request: AmendOrderRequest, *, reason: Reason | None = None) -> bytes:
    """Pending, or with a reason Rejected up front (D5)."""
    return _status_response("amendOrderResponse", request, reason)


def cancel_response(request: CancelOrderRequest, *, reason: Reason | None = None) -> bytes:
    """Pending, or with a reason Rejected up front (D5)."""
    return _status_response("cancelOrderResponse", request, reason)


def address_search_response(header: Header, locations: Iterable[LocationDetails]) -> bytes:
    rows = [asdict(location) for location in locations]
    return _write("queryAddressSearchResponse", {"header": _answer_header(header), "locations": rows})


def products_response(header: Header, products: Iterable[ProductDetails]) -> bytes:
    rows = [asdict(product) for product in products]
    return _write("queryProductsForLocationResponse", {"header": _answer_header(header), "products": rows})


def appointments_response(
    header: Header, *, slots: Iterable[tuple[datetime, datetime]] = (), reason: Reason | None = None
) -> bytes:
    """Accepted with slots (start and end), or with a reason Rejected."""
    values = _outcome(header, reason)
    values["slots"] = [slot_values(*slot) for slot in slots]
    return _write("queryAppointmentAvailabilityResponse", values)


def reservation_response(
    header: Header, *, appointment: AppointmentDetails | None = None, reason: Reason | None = None
) -> bytes:
    """Accepted with the appointment, or with a reason Rejected."""
    values = _outcome(header, reason)
    if appointment and not reason:
        slot = slot_values(appointment.starts_at, appointment.ends_at)
        values["appointment"] = {**asdict(appointment), **slot}
    return _write("reserveAppointmentResponse", values)


def installation_response(header: Header, installations: Iterable[InstallationDetails]) -> bytes:
    rows = [asdict(installation) for installation in installations]
    return _write(
        "queryInstallationDetailsResponse", {"header": _answer_header(header), "installations": rows}
    )


def _status_response(
    name: str, request: AmendOrderRequest | CancelOrderRequest, reason: Reason | None
) -> bytes:
    values = {
        **_outcome(request.header, reason),
        "status": REJECTED if reason else PENDING,
        "target_seller_order_reference": request.target_seller_order_reference,
    }
    return _write(name, values)


def _outcome(header: Header, reason: Reason | None) -> Values:
    return {
        "header": _answer_header(header),
        "status": REJECTED if reason else ACCEPTED,
        "reason": reason,
    }


def _answer_header(header: Header) -> dict[str, Any]:
    return {
        **asdict(header),
        "message_id": str(uuid4()),
        "sent_at": clock.now(),
        "seller_identifier": settings.SELLER_IDENTIFIER,
    }


def _write(name: str, values: Values) -> bytes:
    body = envelope.new_body(INTERFACE.prefixes)
    Group(base(name), RESPONSES[name], always=True).write(body, values)
    return envelope.write(body)
