"""The form that places an order as a buyer: what can be chosen for these premises, and the messages that it sends."""

from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import Any
from uuid import uuid4

from django.http import QueryDict

from seller_sandbox.console import slot_choices
from seller_sandbox.console.network.network_pages import address_of, rfs_text
from seller_sandbox.console.orders import buyer_messages
from seller_sandbox.console.orders.order_wording import name_of
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import locations, products, services
from seller_sandbox.network.models import Buyer, LineProfile, Location, Product, Service
from seller_sandbox.orders.models import Order, OrderKind
from seller_sandbox.orders.wire.requests import (
    OrderRequest,
    ReserveAppointmentRequest,
    ServiceConfiguration,
    SiteInformation,
)

NEW_ORDER_TYPES = (
    ("", "None: new service, or regrade of the buyer's own"),
    ("Switch", "Switch"),
    ("WLTO", "Working Line Takeover (WLTO)"),
    ("Regrade", "Regrade"),
)
SITE_TEXTS = tuple(field.name for field in fields(SiteInformation) if field.default == "")
SITE_ANSWERS = tuple(field.name for field in fields(SiteInformation) if field.default is None)
CONFIGURATION = tuple(field.name for field in fields(ServiceConfiguration))
ANSWERS = {"": None, "yes": True, "no": False}
Choices = list[tuple[str, str]]


@dataclass(frozen=True)
class FormChoice:
    """What was chosen so far, as it was typed."""

    buyer: str
    uprn: str
    kind: str
    product: str


@dataclass(frozen=True)
class OrderFormPage:
    """`is_ready`: the second part can be filled in."""

    chosen: FormChoice
    buyers: Choices
    kinds: list[tuple[str, str]]
    available: Choices
    others: Choices
    is_ready: bool
    is_install: bool
    has_date: bool
    has_configuration: bool
    # what the second part carries on
    hidden: Choices
    premises: str
    owner: str
    slots: Choices
    slot_note: str
    new_order_types: tuple[tuple[str, str], ...]
    service_identifier: str
    nnis: list[str]
    line_profiles: list[str]
    auxiliary_services: Choices
    projects: Choices
    site_texts: Choices
    site_answers: Choices


def read_choice(data: QueryDict) -> FormChoice:
    kind = data.get("kind", "")
    return FormChoice(
        buyer=data.get("buyer", "").strip(),
        uprn=data.get("uprn", "").strip(),
        kind=kind if kind in OrderKind.values else OrderKind.NEW_INSTALL,
        product=data.get("product", "").strip(),
    )


def make_form_page(chosen: FormChoice) -> OrderFormPage:
    buyer = Buyer.objects.filter(identifier=chosen.buyer).first()
    location = locations.find(chosen.uprn)
    product = products.find(chosen.product)
    service = services.find_live(location) if location else None
    available, others = _products(buyer, location)
    slots, note = _slots(buyer, location, product)
    is_install = chosen.kind == OrderKind.NEW_INSTALL
    return OrderFormPage(
        chosen=chosen,
        buyers=list(Buyer.objects.order_by("identifier").values_list("identifier", "name")),
        kinds=OrderKind.choices,
        available=available,
        others=others,
        is_ready=buyer is not None and (bool(chosen.product) or not is_install),
        is_install=is_install,
        has_date=chosen.kind != OrderKind.MODIFY,
        has_configuration=chosen.kind != OrderKind.CEASE,
        hidden=list(asdict(chosen).items()),
        premises=_premises_text(location, chosen.uprn),
        owner=_owner_text(service),
        slots=slots,
        slot_note=note,
        new_order_types=NEW_ORDER_TYPES,
        service_identifier=service.service_identifier if service else "",
        nnis=[nni.identifier for nni in buyer.nnis.all()] if buyer else [],
        line_profiles=list_line_profiles(product or (service.product if service else None)),
        auxiliary_services=list_auxiliary_services(buyer),
        projects=_projects(buyer),
        site_texts=named(SITE_TEXTS),
        site_answers=named(SITE_ANSWERS),
    )


def _products(buyer: Buyer | None, location: Location | None) -> tuple[Choices, Choices]:
    """Those that the buyer may order here, and all others: ordering these is rejected."""
    found = products.list_available(location=location, buyer=buyer) if buyer and location else []
    names = [entry.product.name for entry in found]
    others = Product.objects.exclude(name__in=names).order_by("name").values_list("name", flat=True)
    return [(name, name) for name in names], [(name, name) for name in others]


def _premises_text(location: Location | None, uprn: str) -> str:
    if location:
        return f"{address_of(location)} · {rfs_text(location)}"
    return f"There are no premises with the UPRN {uprn}: the order will be rejected." if uprn else ""


def _owner_text(service: Service | None) -> str:
    if service is None:
        return ""
    return (
        f"Live service {service.service_identifier} of {service.buyer.name}: {service.product.name}, "
        f"ENNI {service.nni_identifier}."
    )


def _slots(buyer: Buyer | None, location: Location | None, product: Product | None) -> tuple[Choices, str]:
    """Free slots of the first appointment that such an order has, or why there is none."""
    if buyer is None or location is None or product is None:
        return [], ""
    found, note = slot_choices.list_free(
        location=location,
        product=product,
        buyer=buyer,
        appointment_type=slot_choices.types_of(product, location)[0],
    )
    return slot_choices.choices_of(found), note


def named(members: tuple[str, ...]) -> Choices:
    """Fields of a form with their labels."""
    return [(name, name_of(name)) for name in members]


def list_line_profiles(product: Product | None) -> list[str]:
    """Those of the product, all without one."""
    if product:
        return product.line_profiles
    return list(LineProfile.objects.order_by("name").values_list("name", flat=True))


def list_auxiliary_services(buyer: Buyer | None) -> Choices:
    """Those that the account may have."""
    return list(buyer.auxiliary_services.order_by("code").values_list("code", "title")) if buyer else []


def _projects(buyer: Buyer | None) -> Choices:
    return list(buyer.projects.order_by("reference").values_list("reference", "name")) if buyer else []


# --- what the filled form sends -----------------------------------------------------------------------------
def place_order(data: QueryDict) -> Order:
    """Reserve the chosen slot and place the order, by the buyer's messages. Raises ActionNotPossible."""
    chosen = read_choice(data)
    buyer = Buyer.objects.filter(identifier=chosen.buyer).first()
    if buyer is None:
        raise ActionNotPossible("Buyer: choose one of the list.")
    key = _reserve(data, chosen, buyer) if data.get("slot") else data.get("reservation_key", "").strip()
    reference = _text(data, "buyer_order_reference") or new_reference()
    request = OrderRequest(
        header=buyer_messages.new_header(buyer, reference=reference),
        kind=chosen.kind,
        requested_date=_day(data.get("requested_date", "")),
        **_members(data, chosen, key),
    )
    return send(request, buyer=buyer)


def new_reference() -> str:
    """A buyer order reference that was never used."""
    return str(uuid4())


def send(request: OrderRequest, *, buyer: Buyer) -> Order:
    """The order that this message made. Raises ActionNotPossible."""
    buyer_messages.send(request, buyer=buyer)
    orders = Order.objects.select_related("buyer")
    return orders.get(thread__inbound__message_id=request.header.message_id, buyer=buyer)


def _members(data: QueryDict, chosen: FormChoice, key: str) -> dict[str, Any]:
    """What an order of this kind carries."""
    if chosen.kind == OrderKind.CEASE:
        return {"service_identifier": _text(data, "service_identifier")}
    configuration = ServiceConfiguration(**{name: _text(data, name) for name in CONFIGURATION})
    if chosen.kind == OrderKind.MODIFY:
        return {"service_identifier": _text(data, "service_identifier"), "configuration": configuration}
    return {
        "uprn": chosen.uprn,
        "product_name": chosen.product,
        "new_order_type": _text(data, "new_order_type"),
        "reservation_key": key,
        "project_reference": _text(data, "project_reference"),
        "site": _site(data),
        "configuration": configuration,
        "auxiliary_services": tuple(data.getlist("auxiliary_services")),
        "is_engineer_install": data.get("is_engineer_install") == "yes",
        "is_cpe_install": data.get("is_cpe_install") == "yes",
    }


def read_details(data: QueryDict) -> dict[str, dict[str, Any]]:
    """Site information and service configuration as far as the form names them, for an amendment."""
    configuration = {name: _text(data, name) for name in CONFIGURATION}
    groups = {"site": asdict(_site(data)), "configuration": configuration}
    filled = {
        group: {name: value for name, value in members.items() if value not in ("", None)}
        for group, members in groups.items()
    }
    return {group: members for group, members in filled.items() if members}


def _site(data: QueryDict) -> SiteInformation:
    answers = {name: ANSWERS.get(_text(data, name)) for name in SITE_ANSWERS}
    return SiteInformation(**{name: _text(data, name) for name in SITE_TEXTS}, **answers)


def _text(data: QueryDict, name: str) -> str:
    return data.get(name, "").strip()


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as problem:
        raise ActionNotPossible("Date: choose a day like 2026-11-23.") from problem


def _reserve(data: QueryDict, chosen: FormChoice, buyer: Buyer) -> str:
    product, location = products.find(chosen.product), locations.find(chosen.uprn)
    kind = slot_choices.types_of(product, location)[0] if product and location else ""
    day, start, end = slot_choices.read_slot(data.get("slot", ""))
    message = ReserveAppointmentRequest(
        header=buyer_messages.new_header(buyer),
        slot_date=day,
        slot_start=start,
        slot_end=end,
        uprn=chosen.uprn,
        product_name=chosen.product,
        appointment_type=kind,
    )
    return buyer_messages.reserve(message, buyer=buyer)
