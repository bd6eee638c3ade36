"""What buyers send about orders by a button of the console: cancellations, amendments, takeovers of a line."""

from typing import Any

from django.http import QueryDict

from seller_sandbox import clock
from seller_sandbox.console.orders import buyer_messages, order_form
from seller_sandbox.console.slot_choices import read_slot, types_of
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import locations, products, services
from seller_sandbox.network.models import Buyer, Product, Service
from seller_sandbox.orders import limits
from seller_sandbox.orders.models import Order, OrderKind
from seller_sandbox.orders.wire.requests import (
    AmendOrderRequest,
    CancelOrderRequest,
    OrderRequest,
    ReserveAppointmentRequest,
)

TAKEOVERS = ("Switch", "WLTO")


def cancel(reference: str, data: QueryDict) -> str:
    order = _order(reference)
    message = CancelOrderRequest(
        header=buyer_messages.new_header(order.buyer),
        target_seller_order_reference=reference,
        reason_code=data.get("code", "").strip() or "300",
        reason_message=data.get("message", "").strip() or "No longer required",
    )
    buyer_messages.send_about(order, message)
    return "The buyer's cancellation is received: the seller decides on it next."


def amend(reference: str, data: QueryDict) -> str:
    """Everything that the form names, in one amendment."""
    order = _order(reference)
    changes = _changes(order, data)
    if not changes:
        raise ActionNotPossible("The amendment changes nothing. Choose a slot, a date, an answer or a reply.")
    header = buyer_messages.new_header(order.buyer)
    buyer_messages.send_about(order, AmendOrderRequest(header, reference, changes))
    return "The buyer's amendment is received: the seller decides on it next."


def _order(reference: str) -> Order:
    return Order.objects.select_related("buyer", "location", "product").get(seller_order_reference=reference)


def _changes(order: Order, data: QueryDict) -> dict[str, Any]:
    named = ("requested_date", "complex_answer", "survey_date")
    changes: dict[str, Any] = {name: data[name] for name in named if data.get(name, "").strip()}
    changes |= order_form.read_details(data)
    if data.get("case_comment", "").strip():
        changes["case_reference"] = data.get("case_reference", "").strip()
        changes["case_comment"] = data["case_comment"].strip()
    if data.get("slot"):
        changes |= _new_appointment(order, data)
    for name in ("auxiliary_services", "cancelled_auxiliary_services"):
        if codes := data.getlist(name):
            changes[name] = codes
    return changes


def _new_appointment(order: Order, data: QueryDict) -> dict[str, Any]:
    if order.product is None:
        raise ActionNotPossible("The order has no product yet. Move the clock until it is validated.")
    types = types_of(order.product, order.location)
    wanted = data.get("appointment_type", "") or types[0].value
    day, start, end = read_slot(data["slot"])
    message = ReserveAppointmentRequest(
        header=buyer_messages.new_header(order.buyer),
        slot_date=day,
        slot_start=start,
        slot_end=end,
        uprn=order.uprn,
        product_name=order.product.name,
        appointment_type=wanted,
    )
    key = buyer_messages.reserve(message, buyer=order.buyer)
    members = {"reservation_key": key}
    return members if len(types) == 1 else {**members, "appointment_type": wanted}


def list_takers(service: Service) -> list[Buyer]:
    """The buyers that can take this line over: all but its owner."""
    others = Buyer.objects.filter(is_active=True).exclude(pk=service.buyer_id)
    return list(others.order_by("identifier"))


def place_takeover(uprn: str, data: QueryDict) -> Order:
    """A Switch or WLTO of another buyer on its earliest date. Raises ActionNotPossible."""
    location = locations.find(uprn)
    service = services.find_live(location) if location else None
    if location is None or service is None:
        raise ActionNotPossible("The premises have no live service, so there is nothing to take over.")
    buyer = next((found for found in list_takers(service) if found.identifier == data.get("buyer")), None)
    if buyer is None or data.get("new_order_type") not in TAKEOVERS:
        raise ActionNotPossible("Choose another buyer and Switch or WLTO.")
    header = buyer_messages.new_header(buyer, reference=order_form.new_reference())
    request = OrderRequest(
        header=header,
        kind=OrderKind.NEW_INSTALL,
        uprn=location.uprn,
        product_name=_product(service, buyer).name,
        new_order_type=data["new_order_type"],
        requested_date=limits.earliest_takeover(
            clock.today(), is_wlto=data["new_order_type"] == "WLTO", is_appointed=False, is_own=False
        ),
    )
    return order_form.send(request, buyer=buyer)


def _product(service: Service, buyer: Buyer) -> Product:
    """The same product where the buyer may have it, else its first one here."""
    available = [entry.product for entry in products.list_available(location=service.location, buyer=buyer)]
    if not available:
        raise ActionNotPossible(f"{buyer.name} has no product that is available here.")
    return service.product if service.product in available else available[0]
