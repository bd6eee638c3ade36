"""The control interface for the network: premises, cabinets, capacity, ONTs, buyers and their projects."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_http_methods, require_POST

from seller_sandbox.console.api import control
from seller_sandbox.console.control_requests import read_json, read_members
from seller_sandbox.console.network import network_control_requests, network_reports
from seller_sandbox.console.orders.order_control_requests import NO_BUYERS
from seller_sandbox.network import buyers, locations
from seller_sandbox.network.models import Buyer, Location
from seller_sandbox.orders import network_actions


@control
@require_http_methods(["GET", "POST"])
def premises(request: HttpRequest, uprn: str) -> HttpResponse:
    """Premises as the seller knows them; POST changes what is named."""
    location = _location(uprn)
    if request.method == "POST":
        wanted = network_control_requests.read_premises(read_json(request.body))
        network_actions.change_premises(location=location, **wanted)
    return JsonResponse(network_reports.report_location(location))


@control
@require_POST
def move_release(request: HttpRequest, uprn: str) -> HttpResponse:
    """The cabinet of these premises goes live on another day; says which orders slip."""
    wanted = network_control_requests.read_release(read_json(request.body))
    slipped = network_actions.move_release(uprn=_location(uprn).uprn, **wanted)
    return JsonResponse({"slipped": [order.seller_order_reference for order in slipped]})


@control
@require_http_methods(["GET", "POST"])
def capacity(request: HttpRequest, uprn: str) -> HttpResponse:
    """Visits that the area of these premises can take; POST sets them, usually or for one day."""
    location = _location(uprn)
    if request.method == "POST":
        wanted = network_control_requests.read_capacity(read_json(request.body))
        network_actions.set_capacity(area=location.area, **wanted)
    return JsonResponse(network_reports.report_capacity(location))


@control
@require_POST
def install_ont(request: HttpRequest, uprn: str) -> HttpResponse:
    """An ONT is installed at these premises, in the place of the one that is there."""
    location = _location(uprn)
    wanted = network_control_requests.read_ont(read_json(request.body))
    network_actions.install_ont(location=location, **wanted)
    return JsonResponse(network_reports.report_location(_location(uprn)))


@control
@require_POST
def remove_ont(request: HttpRequest, uprn: str) -> HttpResponse:
    """The ONT of these premises is taken out."""
    location = _location(uprn)
    read_members(read_json(request.body))
    network_actions.remove_ont(location=location)
    return JsonResponse(network_reports.report_location(_location(uprn)))


@control
@require_http_methods(["GET", "POST"])
def buyer(request: HttpRequest, identifier: str) -> HttpResponse:
    """Where a buyer wants its notifications, and its projects; POST changes the addresses."""
    found = _buyer(identifier)
    if request.method == "POST":
        wanted = network_control_requests.read_callback_urls(read_json(request.body))
        buyers.set_callback_urls(found, wanted)
    return JsonResponse(network_reports.report_buyer(found))


@control
@require_POST
def agree_project(request: HttpRequest, identifier: str) -> HttpResponse:
    """A project is agreed with this buyer, or one that it has is changed."""
    found = _buyer(identifier)
    wanted = network_control_requests.read_project(read_json(request.body))
    network_actions.agree_project(buyer=found, **wanted)
    return JsonResponse(network_reports.report_buyer(found))


def _buyer(identifier: str) -> Buyer:
    found = buyers.find(identifier)
    if found is None:
        known = ", ".join(Buyer.objects.values_list("identifier", flat=True)) or NO_BUYERS
        raise Http404(f"There is no buyer {identifier}; known are {known}")
    return found


def _location(uprn: str) -> Location:
    found = locations.find(uprn)
    if found is None:
        raise Http404(f"There are no premises with the UPRN {uprn}.")
    return found
