"""The buttons of premises and buyers: capacity of the area, the installed ONT, and projects that are agreed.

They read what a control request reads, with the same checks (network_control_requests.py).
"""

from typing import Any

from django.http import Http404, HttpRequest

from seller_sandbox.console import control_requests, text_formats
from seller_sandbox.console.buttons import button
from seller_sandbox.console.network import network_control_requests
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import buyers, locations
from seller_sandbox.network.models import AppointmentType, Half, Location
from seller_sandbox.orders import network_actions


@button
def set_capacity(request: HttpRequest, uprn: str) -> str:
    """So many visits in the half days of the premises' area."""
    location = _location(uprn)
    members = _filled(request, "appointment_type", "day", "half", "capacity")
    figures = str(members.get("capacity", ""))
    if not figures.isdecimal() or len(figures) > control_requests.MAX_FIGURES:
        raise ActionNotPossible("Visits: give a number, 0 for none.")
    wanted = network_control_requests.read_capacity({**members, "capacity": int(figures)})
    network_actions.set_capacity(area=location.area, **wanted)
    kind = AppointmentType(wanted.get("appointment_type", AppointmentType.INSTALL)).label
    half = f", {Half(wanted['half']).label}" if "half" in wanted else ""
    day = f"on {text_formats.full_day(wanted['day'])}" if wanted.get("day") else "usually"
    visits = text_formats.counted(wanted["capacity"], "visit", "visits")
    return f"{location.area} takes {visits} in a half day {day} ({kind}{half})."


@button
def install_ont(request: HttpRequest, uprn: str) -> str:
    """Another device takes the place of the one that is there."""
    wanted = network_control_requests.read_ont(_filled(request, "model", "fsan", "serialNumber"))
    ont = network_actions.install_ont(location=_location(uprn), **wanted)
    return f"The ONT {ont.fsan} is installed."


@button
def remove_ont(_: HttpRequest, uprn: str) -> str:
    network_actions.remove_ont(location=_location(uprn))
    return "The ONT is removed. The premises are RFS_1 now."


@button
def agree_project(request: HttpRequest, buyer: str) -> str:
    """A new project of the buyer, or other days for one that it has."""
    found = buyers.find(buyer)
    if found is None:
        raise Http404
    members = _filled(request, "projectReference", "name", "starts_on", "ends_on", "requirements")
    project = network_actions.agree_project(buyer=found, **network_control_requests.read_project(members))
    days = f"{text_formats.full_day(project.starts_on)} to {text_formats.full_day(project.ends_on)}"
    return f"{found.name} has the project {project.reference}, {days}."


def _filled(request: HttpRequest, *names: str) -> dict[str, Any]:
    """The fields that are filled in, as texts: a serial number of digits stays one."""
    texts = {name: request.POST.get(name, "").strip() for name in names}
    return {name: text for name, text in texts.items() if text}


def _location(uprn: str) -> Location:
    found = locations.find(uprn)
    if found is None:
        raise Http404
    return found
