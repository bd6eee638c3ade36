"""What the page of one premises shows: its state, what is installed, and what each buyer could order there now."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Q

from seller_sandbox import clock
from seller_sandbox.console import text_formats
from seller_sandbox.console.network import network_reports
from seller_sandbox.console.network.network_pages import address_of, release_text, rfs_text
from seller_sandbox.console.orders import buyer_requests
from seller_sandbox.console.orders.order_list import OrderRow, make_order_row, with_related
from seller_sandbox.console.slot_choices import list_free, types_of
from seller_sandbox.network import locations, products
from seller_sandbox.network.models import (
    Appointment,
    AppointmentType,
    Buyer,
    Cabinet,
    Half,
    Location,
    Ont,
    OntModel,
    Product,
    Service,
)
from seller_sandbox.network.products import AvailableProduct
from seller_sandbox.orders.models import Order

SLOTS_LISTED = 8
ORDERS_LISTED = 20
DAYS_LISTED = 8
Fact = tuple[str, str]
APPOINTMENT_REQUIRED = {
    "yes": "appointment required",
    "no": "no appointment",
    "maybe": "with or without an appointment",
}


@dataclass(frozen=True)
class BuyerOffer:
    """What one buyer may order at the premises."""

    identifier: str
    name: str
    products: list[tuple[str, str]]


@dataclass(frozen=True)
class FreeSlots:
    """The next free half days for one type of appointment, or why there is none."""

    title: str
    slots: list[str]
    total: int
    reason: str


@dataclass(frozen=True)
class CapacityPanel:
    """Usual visits in the half days of an area, (type, text), and those of single days."""

    area: str
    usual: list[Fact]
    days: list[Fact]
    types: list[tuple[str, str]]
    halves: list[tuple[str, str]]


@dataclass(frozen=True)
class LocationPage:
    uprn: str
    address: str
    postcode: str
    situation: str
    status: str
    order_note: str
    facts: list[Fact]
    cabinet: Cabinet
    release: str
    release_day: str
    ont: list[Fact]
    ont_products: list[str]
    ont_models: list[str]
    can_install_ont: bool
    can_remove_ont: bool
    capacity: CapacityPanel
    service: list[Fact]
    takers: list[Fact]
    takeovers: tuple[str, ...]
    earlier_services: list[str]
    offers: list[BuyerOffer]
    free_slots: list[FreeSlots]
    appointments: list[Fact]
    orders: list[OrderRow]


def make_location_page(location: Location) -> LocationPage:
    available = {
        buyer: products.list_available(location=location, buyer=buyer)
        for buyer in Buyer.objects.filter(is_active=True).order_by("identifier")
    }
    release_on = location.cabinet.release_on
    services = list(location.services.select_related("buyer", "product").order_by("-started_at"))
    ont = products.find_ont(location)
    live = next((service for service in services if service.ended_at is None), None)
    return LocationPage(
        uprn=location.uprn,
        address=address_of(location),
        postcode=location.postcode,
        situation=location.situation,
        status=rfs_text(location),
        order_note=_order_note(location),
        facts=_facts(location),
        cabinet=location.cabinet,
        release=release_text(location.cabinet),
        release_day=release_on.isoformat() if release_on else "",
        ont=_ont(ont),
        ont_products=_supported(ont),
        ont_models=[f"{model.vendor} {model.model}" for model in OntModel.objects.order_by("id")],
        can_install_ont=locations.rfs_status_on(location, clock.today()) in locations.READY,
        can_remove_ont=ont is not None and live is None,
        capacity=_capacity(location),
        service=_service(live),
        takers=_takers(live),
        takeovers=buyer_requests.TAKEOVERS,
        earlier_services=[_earlier(service) for service in services if service.ended_at],
        offers=[_offer(buyer, found) for buyer, found in available.items()],
        free_slots=_free_slots(location, available),
        appointments=_appointments(location),
        orders=_orders(location),
    )


def _order_note(location: Location) -> str:
    today = clock.today()
    if locations.is_pre_order(location, today):
        return "An order here is a pre-order: it is delayed (210) until the cabinet goes live."
    if not locations.is_orderable(location, today):
        return "Nothing can be ordered here."
    if locations.is_extended_install(location):
        return "An install here is an extended one: it is delayed (203) and opens a case."
    return "Orders are possible."


def _facts(location: Location) -> list[Fact]:
    facts = [
        ("Property type", location.property_type),
        ("Classification", location.classification),
        ("DR status", location.dr_status),
        ("LOC codes", ", ".join(location.loc_codes) or "none"),
        ("Area for slots", location.area),
        ("Product group", location.product_group.name),
        ("Position", f"{location.latitude}, {location.longitude}"),
    ]
    return [(name, text) for name, text in facts if text]


def _ont(ont: Ont | None) -> list[Fact]:
    if ont is None:
        return []
    return [
        ("Type", f"{ont.ont_model.vendor} {ont.ont_model.model}"),
        ("FSAN", ont.fsan),
        ("Serial number", ont.serial_number),
    ]


def _supported(ont: Ont | None) -> list[str]:
    """Names of the products that the installed type can carry."""
    return list(ont.ont_model.products.order_by("id").values_list("name", flat=True)) if ont else []


def _capacity(location: Location) -> CapacityPanel:
    report = network_reports.report_capacity(location)
    labels: dict[str, str] = dict(AppointmentType.choices)
    return CapacityPanel(
        area=location.area,
        usual=[
            (labels[kind], ", ".join(f"{visits} ({Half(half).label})" for half, visits in halves.items()))
            for kind, halves in report["usual"].items()
        ],
        days=[
            (
                f"{text_formats.full_day(date.fromisoformat(row['day']))}, {Half(row['half']).label}",
                f"{labels[row['appointment_type']]}: {row['used']} of {row['capacity']} taken",
            )
            for row in report["days"][:DAYS_LISTED]
        ],
        types=AppointmentType.choices,
        halves=Half.choices,
    )


def _service(service: Service | None) -> list[Fact]:
    if service is None:
        return []
    facts = [
        ("Owner", f"{service.buyer.name} ({service.buyer.identifier})"),
        ("Service", service.service_identifier),
        ("Product", service.product.name),
        ("ONT port", str(service.ont_port)),
        ("ENNI", service.nni_identifier),
        ("S-VLAN, C-VLAN", f"{service.s_vlan}, {service.c_vlan}"),
        ("Line profile", service.line_profile),
        ("PPPoE agent remote id", service.agent_remote_id),
        ("Protocol", service.authentication_protocol),
        ("Auxiliary services", ", ".join(entry.title for entry in service.auxiliary_services.all())),
        ("Since", text_formats.full_time(service.started_at)),
    ]
    return [(name, text) for name, text in facts if text]


def _takers(service: Service | None) -> list[Fact]:
    """Identifier and name of each buyer that can take the line over."""
    return (
        [(buyer.identifier, buyer.name) for buyer in buyer_requests.list_takers(service)] if service else []
    )


def _earlier(service: Service) -> str:
    start, end = (
        text_formats.full_day(text_formats.local(at)) for at in (service.started_at, service.ended_at)
    )
    return f"{service.service_identifier}, {service.buyer.name}, {service.product.name}, {start} to {end}"


def _offer(buyer: Buyer, available: list[AvailableProduct]) -> BuyerOffer:
    return BuyerOffer(
        identifier=buyer.identifier,
        name=buyer.name,
        products=[
            (
                entry.product.name,
                f"{APPOINTMENT_REQUIRED[entry.appointment_required]}; {', '.join(entry.nni_identifiers)}",
            )
            for entry in available
        ],
    )


def _free_slots(location: Location, available: dict[Buyer, list[AvailableProduct]]) -> list[FreeSlots]:
    """One list for each type that a product here can have; slots are the area's, whoever asks."""
    asked: dict[AppointmentType, tuple[Buyer, Product]] = {}
    for buyer, found in available.items():
        for entry in found:
            if not entry.product.is_remote_only:
                for appointment_type in types_of(entry.product, location):
                    asked.setdefault(appointment_type, (buyer, entry.product))
    return [
        _slots_of(location, appointment_type, buyer, product)
        for appointment_type, (buyer, product) in asked.items()
    ]


def _slots_of(
    location: Location, appointment_type: AppointmentType, buyer: Buyer, product: Product
) -> FreeSlots:
    slots, reason = list_free(
        location=location, product=product, buyer=buyer, appointment_type=appointment_type
    )
    listed = [text_formats.full_window(slot.starts_at, slot.ends_at) for slot in slots[:SLOTS_LISTED]]
    return FreeSlots(appointment_type.label, listed, len(slots), reason)


def _appointments(location: Location) -> list[Fact]:
    """Those that use the area's capacity, newest first."""
    using = Appointment.objects.using_capacity().filter(location=location).select_related("buyer")
    return [
        (
            text_formats.full_window(appointment.starts_at, appointment.ends_at),
            f"{appointment.get_appointment_type_display()}, {appointment.buyer.name}, "
            f"{appointment.get_state_display().lower()}",
        )
        for appointment in using.order_by("-starts_at")[:ORDERS_LISTED]
    ]


def _orders(location: Location) -> list[OrderRow]:
    found = with_related(Order.objects.filter(Q(location=location) | Q(uprn=location.uprn))).order_by("-id")
    return [make_order_row(order) for order in found[:ORDERS_LISTED]]
