"""The search for orders: a page of those that match, newest first."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast

from seller_sandbox.console import text_formats
from seller_sandbox.console.orders.order_wording import conditions_of
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders.models import Order, OrderEvent, is_at
from seller_sandbox.orders.states import OrderCondition, OrderEventKind, OrderState

ORDERS_PER_PAGE = 50
FILTERS = ("q", "buyer", "state", "condition")


@dataclass(frozen=True)
class OrderRow:
    reference: str
    buyer: str
    buyer_reference: str
    kind: str
    product: str
    uprn: str
    address: str
    when: str
    state: str
    state_label: str
    conditions: list[str]
    last_event: str


@dataclass(frozen=True)
class OrderListPage:
    orders: Page
    rows: list[OrderRow]
    filters: dict[str, str]
    # the query of the filters alone, for the links to other pages
    query: str
    buyers: list[tuple[str, str]]
    states: list[tuple[str, str]]
    conditions: list[tuple[str, str]]
    is_filtered: bool
    has_network: bool


def make_order_list(filters: dict[str, str], *, page: str, query: str) -> OrderListPage:
    orders = Paginator(_matching(filters), ORDERS_PER_PAGE).get_page(page)
    buyers = list(Buyer.objects.order_by("identifier").values_list("identifier", "name"))
    return OrderListPage(
        orders=orders,
        rows=[make_order_row(order) for order in orders],
        filters=filters,
        query=query,
        buyers=buyers,
        states=OrderState.choices,
        conditions=OrderCondition.choices,
        is_filtered=any(filters.values()),
        has_network=bool(buyers),
    )


def with_related(orders: QuerySet[Order]) -> QuerySet[Order]:
    """All that `make_order_row` reads, in one query."""
    last = OrderEvent.objects.filter(order=OuterRef("pk")).order_by("-id")
    related = ("buyer", "location", "product", "appointment")
    return orders.select_related(*related).annotate(
        last_kind=Subquery(last.values("kind")[:1]), last_at=Subquery(last.values("at")[:1])
    )


def make_order_row(order: Any) -> OrderRow:
    """A line of a table of orders; the order comes from `with_related`."""
    last = f"{OrderEventKind(order.last_kind).label}, {text_formats.full_time(order.last_at)}"
    return OrderRow(
        reference=order.seller_order_reference,
        buyer=order.buyer.name,
        buyer_reference=text_formats.shortened(order.buyer_order_reference, most=40),
        kind=kind_text(order),
        product=order.product.name if order.product else order.request.get("product_name", ""),
        uprn=uprn_text(order),
        address=address_text(order),
        when=when_text(order),
        state=order.state,
        state_label=order.get_state_display(),
        conditions=conditions_of(order.conditions),
        last_event=last,
    )


def kind_text(order: Order) -> str:
    """The course once it is known; before that what the buyer asked for."""
    name = order.get_course_display() or order.new_order_type or order.get_kind_display()
    return f"{name}, unsolicited" if order.is_unsolicited else name


def address_text(order: Order) -> str:
    if order.location is None:
        return ""
    return ", ".join([*order.location.lines, order.location.postcode])


def uprn_text(order: Order) -> str:
    """That of the premises; of premises that are not known what the buyer sent."""
    return order.location.uprn if order.location else text_formats.shortened(order.uprn, most=20)


def when_text(order: Order) -> str:
    """The appointment, or the requested date."""
    if order.appointment:
        return text_formats.full_window(order.appointment.starts_at, order.appointment.ends_at)
    return text_formats.full_day(order.requested_date) if order.requested_date else ""


def _matching(filters: dict[str, str]) -> QuerySet[Order]:
    found = with_related(Order.objects.order_by("-id"))
    if text := filters["q"]:
        found = found.filter(
            Q(seller_order_reference__icontains=text)
            | Q(buyer_order_reference__icontains=text)
            | is_at(text)
            | Q(service_identifier=text)
        )
    if buyer := filters["buyer"]:
        found = found.filter(buyer__identifier=buyer)
    if state := filters["state"]:
        found = found.filter(state=state)
    if filters["condition"] in OrderCondition.values:
        # SQLite has no look-up inside a JSON list
        found = found.annotate(marks=Cast("conditions", TextField()))
        found = found.filter(marks__contains=f'"{filters["condition"]}"')
    return found
