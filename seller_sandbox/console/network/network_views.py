"""Pages of the network."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from seller_sandbox.console.network.location_page import make_location_page
from seller_sandbox.console.network.network_pages import list_buyers, make_cabinet_page, make_network_page
from seller_sandbox.network import locations


@require_GET
def network(request: HttpRequest) -> HttpResponse:
    page = make_network_page(request.GET.get("q", "").strip())
    if len(page.premises) == 1 and locations.is_uprn(page.q):
        return redirect("location", page.premises[0].uprn)
    return render(request, "sandbox/network.html", {"page": page, "here": "network"})


@require_GET
def location(request: HttpRequest, uprn: str) -> HttpResponse:
    found = locations.find(uprn)
    if found is None:
        raise Http404
    return render(request, "sandbox/location.html", {"page": make_location_page(found), "here": "network"})


@require_GET
def cabinets(request: HttpRequest) -> HttpResponse:
    page = make_cabinet_page(request.GET.get("q", "").strip(), page=request.GET.get("page", "1"))
    return render(request, "sandbox/cabinets.html", {"page": page, "here": "network"})


@require_GET
def buyers(request: HttpRequest) -> HttpResponse:
    return render(request, "sandbox/buyers.html", {"buyers": list_buyers(), "here": "network"})
