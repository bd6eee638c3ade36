"""What the pages of the network show: a search, the fixed test premises, cabinets and buyers."""

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, Min, OuterRef, Q

from seller_sandbox import clock
from seller_sandbox.console import text_formats
from seller_sandbox.network import locations
from seller_sandbox.network.models import Buyer, Cabinet, Location, Nni, Product, Service
from seller_sandbox.orders.models import Order

FOUND_AT_MOST = 200
CABINETS_PER_PAGE = 50


@dataclass(frozen=True)
class SituationRow:
    """Fixed test premises of one kind; `unused` is the first that no order is about, empty when there is none."""

    title: str
    postcode: str
    total: int
    first: str
    left: int
    unused: str


@dataclass(frozen=True)
class FoundPremises:
    uprn: str
    address: str
    status: str
    situation: str
    owner: str


@dataclass(frozen=True)
class NetworkPage:
    q: str
    premises: list[FoundPremises]
    is_cut: bool
    situations: list[SituationRow]
    total: int


@dataclass(frozen=True)
class CabinetRow:
    name: str
    premises: int
    uprn: str
    release: str
    # for the field of the form; empty without a date
    day: str
    is_ahead: bool


@dataclass(frozen=True)
class CabinetPage:
    q: str
    cabinets: Page
    rows: list[CabinetRow]


@dataclass(frozen=True)
class ProjectRow:
    reference: str
    name: str
    days: str
    is_running: bool
    requirements: str


@dataclass(frozen=True)
class BuyerPanel:
    identifier: str
    name: str
    subject: str
    is_active: bool
    notice_days: int
    callback_urls: list[str]
    products: list[str]
    auxiliary_services: list[str]
    nnis: list[tuple[str, str]]
    projects: list[ProjectRow]
    services: int
    orders: int


def make_network_page(q: str) -> NetworkPage:
    """Premises of a UPRN or a postcode; without a search the fixed test premises by situation."""
    found = _search(q) if q else []
    return NetworkPage(
        q=q,
        premises=_premises(found[:FOUND_AT_MOST]),
        is_cut=len(found) > FOUND_AT_MOST,
        situations=[] if q else _situations(),
        total=Location.objects.count(),
    )


def _search(q: str) -> list[Location]:
    if locations.is_uprn(q):
        found = locations.find(q)
        return [found] if found else []
    return locations.find_by_postcode(q)


def _premises(found: list[Location]) -> list[FoundPremises]:
    live = Service.objects.filter(location__in=found, ended_at=None).select_related("buyer")
    owners = {service.location_id: service.buyer.name for service in live}
    return [
        FoundPremises(
            uprn=location.uprn,
            address=address_of(location),
            status=rfs_text(location),
            situation=location.situation,
            owner=owners.get(location.pk, ""),
        )
        for location in found
    ]


def address_of(location: Location) -> str:
    return ", ".join([*location.lines, location.town, location.postcode])


def rfs_text(location: Location) -> str:
    """`RFS_3: ONT installed, no service`."""
    status = locations.rfs_status_on(location, clock.today())
    return f"{status}: {status.label}"


def _situations() -> list[SituationRow]:
    fixed = Location.objects.exclude(situation="")
    unused = ~Q(uprn__in=Order.objects.values("uprn"))
    rows = fixed.values("situation", "postcode").annotate(
        total=Count("id"),
        first=Min("uprn"),
        left=Count("id", filter=unused),
        unused=Min("uprn", filter=unused),
    )
    return [
        SituationRow(
            title=row["situation"],
            postcode=row["postcode"],
            total=row["total"],
            first=row["first"],
            left=row["left"],
            unused=row["unused"] or "",
        )
        for row in rows.order_by("first")
    ]


def make_cabinet_page(q: str, *, page: str) -> CabinetPage:
    """Those whose release lies ahead first, then by name."""
    today = clock.today()
    found = Cabinet.objects.filter(name__icontains=q).annotate(
        premises=Count("locations"),
        uprn=Min("locations__uprn"),
        is_ahead=Exists(Cabinet.objects.filter(pk=OuterRef("pk"), release_on__gt=today)),
    )
    cabinets = Paginator(found.order_by("-is_ahead", "name"), CABINETS_PER_PAGE).get_page(page)
    rows = [
        CabinetRow(
            name=cabinet.name,
            premises=cabinet.premises,
            uprn=cabinet.uprn or "",
            release=release_text(cabinet),
            day=cabinet.release_on.isoformat() if cabinet.release_on else "",
            is_ahead=cabinet.is_ahead,
        )
        for cabinet in cabinets
    ]
    return CabinetPage(q=q, cabinets=cabinets, rows=rows)


def release_text(cabinet: Cabinet) -> str:
    if cabinet.release_on is None:
        return "No date yet"
    verb = "Goes live" if cabinet.release_on > clock.today() else "Live since"
    return f"{verb} {text_formats.full_day(cabinet.release_on)}"


def list_buyers() -> list[BuyerPanel]:
    """All buyers, in a fixed number of queries."""
    related = ("products", "auxiliary_services", "nnis", "projects")
    buyers = Buyer.objects.order_by("identifier").prefetch_related(*related)
    live = dict(
        Service.objects.filter(ended_at=None).values_list("buyer").annotate(Count("id")).order_by("buyer")
    )
    orders = dict(Order.objects.in_flight().values_list("buyer").annotate(Count("id")).order_by("buyer"))
    return [_buyer(buyer, services=live.get(buyer.pk, 0), orders=orders.get(buyer.pk, 0)) for buyer in buyers]


def _buyer(buyer: Buyer, *, services: int, orders: int) -> BuyerPanel:
    return BuyerPanel(
        identifier=buyer.identifier,
        name=buyer.name,
        subject=buyer.subject,
        is_active=buyer.is_active,
        notice_days=buyer.notice_days,
        callback_urls=buyer.callback_urls,
        products=[_product_text(product) for product in buyer.products.all()],
        auxiliary_services=[
            f"{service.title} ({service.code})" for service in buyer.auxiliary_services.all()
        ],
        nnis=[(nni.identifier, _areas_text(nni)) for nni in buyer.nnis.all()],
        projects=_projects(buyer),
        services=services,
        orders=orders,
    )


def _product_text(product: Product) -> str:
    remarks = [
        "" if product.is_ftth else "not FTTH",
        "complex" if product.is_complex else "",
        "business" if product.is_business else "",
        "remote activation only" if product.is_remote_only else "",
    ]
    text = ", ".join(filter(None, remarks))
    return f"{product.name} ({text})" if text else product.name


def _areas_text(nni: Nni) -> str:
    if not nni.areas:
        return "National Access, from everywhere"
    return f"Local Access, areas {', '.join(nni.areas)}"


def _projects(buyer: Buyer) -> list[ProjectRow]:
    today = clock.today()
    return [
        ProjectRow(
            reference=project.reference,
            name=project.name,
            days=f"{text_formats.full_day(project.starts_on)} to {text_formats.full_day(project.ends_on)}",
            is_running=project.starts_on <= today <= project.ends_on,
            requirements=project.requirements,
        )
        for project in buyer.projects.all()
    ]
