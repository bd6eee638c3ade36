"""Pages of orders."""

from dataclasses import asdict
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from seller_sandbox.console.buttons import pressed_only
from seller_sandbox.console.orders import order_form
from seller_sandbox.console.orders.order_list import FILTERS, make_order_list
from seller_sandbox.console.orders.order_page import find_order, make_order_page
from seller_sandbox.jobs.exceptions import ActionNotPossible


@require_GET
def orders(request: HttpRequest) -> HttpResponse:
    filters = {name: request.GET.get(name, "").strip() for name in FILTERS}
    query = urlencode({name: value for name, value in filters.items() if value})
    page = make_order_list(filters, page=request.GET.get("page", "1"), query=query)
    return render(request, "sandbox/orders.html", {"page": page, "here": "orders"})


@require_GET
def order(request: HttpRequest, reference: str) -> HttpResponse:
    found = find_order(reference)
    if found is None:
        raise Http404
    return render(request, "sandbox/order.html", {"page": make_order_page(found), "here": "orders"})


@require_GET
def new_order(request: HttpRequest) -> HttpResponse:
    page = order_form.make_form_page(order_form.read_choice(request.GET))
    return render(request, "sandbox/new_order.html", {"page": page, "here": "orders"})


@pressed_only
def place_order(request: HttpRequest) -> HttpResponse:
    try:
        placed = order_form.place_order(request.POST)
    except ActionNotPossible as refusal:
        messages.error(request, f"No order was placed. {refusal}")
        query = urlencode(asdict(order_form.read_choice(request.POST)))
        return redirect(f"{reverse('new-order')}?{query}")
    messages.success(request, "The order is placed. The seller's next steps fall due by the sandbox clock.")
    return redirect("order", placed.seller_order_reference)
