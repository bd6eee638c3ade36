"""The control interface for orders: every action of the seller is one request."""

from typing import Any

from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_POST

from seller_sandbox.console import control_requests
from seller_sandbox.console.api import control
from seller_sandbox.console.control_views import page_of, report_made
from seller_sandbox.console.orders import order_control_requests, order_reports
from seller_sandbox.console.orders.order_control_requests import ORDER_ACTIONS
from seller_sandbox.messages.models import OutboundMessage, ThreadKind
from seller_sandbox.orders.models import Order, OrderQuerySet, is_at

RELATED = ("buyer", "location", "product", "appointment", "linked_order", "thread")


@control
@require_GET
def orders(request: HttpRequest) -> HttpResponse:
    """Orders, oldest first; ask again with `after`, the last id, while `more` is true."""
    search = order_control_requests.read_search(request.GET.dict())
    page, more = page_of(_search(search).filter(pk__gt=search["after"]), search["limit"])
    rows = [{"id": order.pk, **order_reports.report_order(order)} for order in page]
    return JsonResponse({"orders": rows, "more": more})


@control
@require_GET
def order(_: HttpRequest, reference: str) -> HttpResponse:
    return JsonResponse(order_reports.report_order_in_full(_order(reference)))


@control
@require_POST
def act(request: HttpRequest, reference: str, action: str) -> HttpResponse:
    """One action of the seller; the answer is the order as it is then, and what the action made."""
    if action not in ORDER_ACTIONS:
        raise Http404(f"actions are {', '.join(ORDER_ACTIONS)}")
    _order(reference)
    made = ORDER_ACTIONS[action].run(reference, control_requests.read_json(request.body))
    report = order_reports.report_order_in_full(_order(reference))
    return JsonResponse({**report_made(made), "order": report})


@control
@require_GET
def notifications(request: HttpRequest) -> HttpResponse:
    """Notifications of all orders, in the order in which they were written; `since` is the last id seen."""
    search = order_control_requests.read_notification_search(request.GET.dict())
    found = OutboundMessage.objects.filter(thread__kind=ThreadKind.ORDER, pk__gt=search["since"])
    if "buyer" in search:
        found = found.filter(thread__recipient=search["buyer"])
    if "order" in search:
        found = found.filter(thread__reference=search["order"])
    page, more = page_of(found, search["limit"])
    return JsonResponse({"notifications": order_reports.report_notifications(page), "more": more})


def _search(search: dict[str, Any]) -> OrderQuerySet:
    """`reference` is the seller's or the buyer's."""
    found = Order.objects.select_related(*RELATED).order_by("pk")
    by = {"buyer": "buyer__identifier", "state": "state"}
    found = found.filter(**{by[name]: search[name] for name in by.keys() & search.keys()})
    if "uprn" in search:
        found = found.filter(is_at(search["uprn"]))
    if "reference" in search:
        reference = search["reference"]
        found = found.filter(
            models.Q(seller_order_reference=reference) | models.Q(buyer_order_reference=reference)
        )
    return found


def _order(reference: str) -> Order:
    found = Order.objects.select_related(*RELATED).filter(seller_order_reference=reference).first()
    if found is None:
        raise Http404(f"There is no order {reference}. Give a sellerOrderReference.")
    return found
