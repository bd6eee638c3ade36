"""The answers to a buyer's requests: each handler runs one request and gives the bytes of its answer."""

from collections.abc import Callable
from typing import Any

from seller_sandbox import clock
from seller_sandbox.network import locations
from seller_sandbox.network.models import Buyer, Location
from seller_sandbox.orders import amendments, cancellations, placing, queries
from seller_sandbox.orders.lifecycle import RejectedUpFront
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.queries import FoundLocation
from seller_sandbox.orders.wire import responses
from seller_sandbox.orders.wire.requests import (
    AddressSearchQuery,
    AmendOrderRequest,
    AppointmentsQuery,
    CancelOrderRequest,
    InstallationDetailsQuery,
    OrderRequest,
    ParsedRequest,
    ProductsQuery,
    ReserveAppointmentRequest,
)
from seller_sandbox.orders.wire.responses import (
    AppointmentDetails,
    InstallationDetails,
    LocationDetails,
    ProductDetails,
)

# of a query that is rejected: the sentence says why
NOT_POSSIBLE = "600"

Handled = tuple[bytes, Order | None]


def handle(request: ParsedRequest, *, buyer: Buyer) -> Handled:
    """The answer to a request, and the order that it is about."""
    return HANDLERS[type(request)](request, buyer)


def _order(request: OrderRequest, buyer: Buyer) -> Handled:
    return responses.order_response(), placing.receive(request, buyer=buyer)


def _amend(request: AmendOrderRequest, buyer: Buyer) -> Handled:
    try:
        order = amendments.receive(request, buyer=buyer)
    except RejectedUpFront as problem:
        return responses.amend_response(request, reason=problem.reason.as_members()), None
    return responses.amend_response(request), order


def _cancel(request: CancelOrderRequest, buyer: Buyer) -> Handled:
    try:
        order = cancellations.receive(request, buyer=buyer)
    except RejectedUpFront as problem:
        return responses.cancel_response(request, reason=problem.reason.as_members()), None
    return responses.cancel_response(request), order


def _search(query: AddressSearchQuery, _: Buyer) -> Handled:
    found = [_location(entry) for entry in queries.search_addresses(query)]
    return responses.address_search_response(query.header, found), None


def _products(query: ProductsQuery, buyer: Buyer) -> Handled:
    found = [
        ProductDetails(
            product_name=entry.product.name,
            appointment_required=entry.appointment_required,
            nni_identifiers=tuple(entry.nni_identifiers),
            is_complex=entry.is_complex,
        )
        for entry in queries.list_products(query, buyer=buyer)
    ]
    return responses.products_response(query.header, found), None


def _appointments(query: AppointmentsQuery, buyer: Buyer) -> Handled:
    answer = queries.list_appointments(query, buyer=buyer)
    slots = [(slot.starts_at, slot.ends_at) for slot in answer.slots]
    return responses.appointments_response(query.header, slots=slots, reason=_reason(answer.reason)), None


def _reserve(request: ReserveAppointmentRequest, buyer: Buyer) -> Handled:
    answer = queries.reserve_appointment(request, buyer=buyer)
    found = answer.appointment
    details = found and AppointmentDetails(
        key=str(found.key),
        starts_at=found.starts_at,
        ends_at=found.ends_at,
        appointment_type=found.appointment_type,
        expires_at=found.expires_at,
    )
    return (
        responses.reservation_response(request.header, appointment=details, reason=_reason(answer.reason)),
        None,
    )


def _installation(query: InstallationDetailsQuery, buyer: Buyer) -> Handled:
    found = queries.installation_details(query, buyer=buyer)
    rows = [_installed(found)] if found else []
    return responses.installation_response(query.header, rows), None


HANDLERS: dict[type, Callable[[Any, Buyer], Handled]] = {
    OrderRequest: _order,
    AmendOrderRequest: _amend,
    CancelOrderRequest: _cancel,
    AddressSearchQuery: _search,
    ProductsQuery: _products,
    AppointmentsQuery: _appointments,
    ReserveAppointmentRequest: _reserve,
    InstallationDetailsQuery: _installation,
}


def _reason(sentence: str) -> dict[str, str] | None:
    return {"code": NOT_POSSIBLE, "message": sentence} if sentence else None


def _location(entry: FoundLocation) -> LocationDetails:
    location: Location = entry.location
    return LocationDetails(
        uprn=location.uprn,
        address_lines=tuple(location.lines),
        town=location.town,
        postcode=location.postcode,
        rfs_status=locations.rfs_status_on(location, clock.today()),
        is_pre_order=entry.is_pre_order,
        cabinet_release_date=location.cabinet.release_on,
        loc_codes=tuple(location.loc_codes),
        dr_status=location.dr_status,
        property_type=location.property_type,
        classification=location.classification,
    )


def _installed(found: dict[str, Any]) -> InstallationDetails:
    ont, service = found["ont"], found["service"]
    if service is None:
        return InstallationDetails(ont_identifier=ont.serial_number, ont_port="1")
    return InstallationDetails(
        ont_identifier=ont.serial_number,
        ont_port=str(service.ont_port),
        product_name=service.product.name,
        service_identifier=service.service_identifier,
        configuration={
            "nni_identifier": service.nni_identifier,
            "s_vlan": str(service.s_vlan),
            "c_vlan": str(service.c_vlan),
            "line_profile": service.line_profile,
            "agent_remote_id": service.agent_remote_id,
            "authentication_protocol": service.authentication_protocol,
        },
    )
