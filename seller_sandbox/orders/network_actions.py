"""What a person at the seller changes in the network and in a buyer's account without an order.

What cannot be done now raises ActionNotPossible, whose sentence says why and what to do.
"""

import re
from datetime import date
from secrets import randbelow, token_hex
from typing import Any

from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import locations, products, services, slots
from seller_sandbox.network.models import (
    AppointmentType,
    Buyer,
    Half,
    Location,
    Ont,
    OntModel,
    Project,
    RfsStatus,
)
from seller_sandbox.network.slots import Team
from seller_sandbox.orders.appointments import reappointments
from seller_sandbox.orders.models import Order, OrderKind

SERIAL_NUMBERS = 10**12
# premises that a new service can be ordered for
BEFORE_SERVICE = (locations.READY | {RfsStatus.NOT_RFS_2}) - {RfsStatus.RFS_4}


def set_capacity(
    *,
    area: str,
    capacity: int,
    appointment_type: AppointmentType = AppointmentType.INSTALL,
    day: date | None = None,
    half: Half | None = None,
) -> None:
    """So many visits of this type in a half day (both unless one is named), usually or on one day.

    Appointments that are made already stay, also when they are more than that.
    """
    if day and not slots.is_working_day(day, appointment_type):
        raise ActionNotPossible(f"Nobody works on {day}. Name a working day, or none for the usual capacity.")
    for each in [half] if half else list(Half):
        slots.set_capacity(Team(area, appointment_type), half=each, day=day, capacity=capacity)


def change_premises(*, location: Location, **facts: Any) -> None:
    """Change what is known of premises; the RFS status must be true of what is installed and live there."""
    if "rfs_status" in facts:
        _check_rfs_status(location, facts["rfs_status"])
    locations.change(location, **facts)


@transaction.atomic
def move_release(*, uprn: str, day: date) -> list[Order]:
    """The cabinet of these premises goes live on another day; the orders that slip. Raises ActionNotPossible."""
    location = Location.objects.select_related("cabinet").filter(uprn=uprn).first()
    if location is None:
        raise ActionNotPossible(
            f"There are no premises with the UPRN {uprn}. Give the UPRN of known premises."
        )
    return reappointments.move_release(location.cabinet, day=day)


@transaction.atomic
def install_ont(*, location: Location, model_name: str, fsan: str = "", serial_number: str = "") -> Ont:
    """Put a device into premises that are ready; a live service goes on over it.

    `model_name` is vendor and model; FSAN and serial number are made up unless they are named.
    """
    model = _find_model(model_name)
    status = locations.rfs_status_on(location, clock.today())
    if status not in locations.READY:
        raise ActionNotPossible(f"The premises are {status}: make them ready (RFS_1) first.")
    fsan = fsan or f"{model.fsan_prefix}{token_hex(4).upper()}"
    _check_device(model, fsan)
    _check_serial_number(location, serial_number)
    serial_number = serial_number or f"{randbelow(SERIAL_NUMBERS):012}"
    return services.install_ont(
        location=location, ont_model=model, fsan=fsan, serial_number=serial_number, at=clock.now()
    )


@transaction.atomic
def remove_ont(*, location: Location) -> None:
    """Take the device out: the premises are RFS_1 then."""
    if products.find_ont(location) is None:
        raise ActionNotPossible("There is no ONT at these premises.")
    if services.find_live(location):
        raise ActionNotPossible("A service is live on the ONT: cease it first, or install another ONT.")
    unvisited = Order.objects.in_flight().filter(kind=OrderKind.NEW_INSTALL, is_appointed=False)
    if waiting := unvisited.filter(location=location).first():
        raise ActionNotPossible(
            f"The order {waiting.seller_order_reference} is activated over the ONT: cancel it first, "
            "or install another ONT."
        )
    services.remove_ont(location=location, at=clock.now())


def agree_project(
    *, buyer: Buyer, reference: str, starts_on: date, ends_on: date, name: str = "", requirements: str = ""
) -> Project:
    """A project of this reference with these days, both included; what is not named keeps its value."""
    named = {key: text for key, text in (("name", name), ("requirements", requirements)) if text}
    days = {"starts_on": starts_on, "ends_on": ends_on}
    project, _ = Project.objects.update_or_create(
        buyer=buyer,
        reference=reference,
        defaults={**days, **named},
        create_defaults={**days, "name": reference, **named},
    )
    return project


def _check_rfs_status(location: Location, status: RfsStatus) -> None:
    """An order for premises whose status is not true would be committed, and could never be completed."""
    has_service = services.find_live(location) is not None
    if status in locations.WITH_ONT and products.find_ont(location) is None:
        raise ActionNotPossible(
            f"There is no ONT at these premises: install one (POST /api/network/{location.uprn}/ont), "
            "which makes them RFS_3."
        )
    if status == RfsStatus.RFS_4 and not has_service:
        raise ActionNotPossible("No service is live at these premises: order one, which makes them RFS_4.")
    if has_service and status in BEFORE_SERVICE:
        raise ActionNotPossible("A service is live at these premises: cease it first.")


def _find_model(name: str) -> OntModel:
    models = {f"{model.vendor} {model.model}": model for model in OntModel.objects.order_by("id")}
    if name not in models:
        raise ActionNotPossible(f"There is no ONT {name}. Known are {', '.join(models)}.")
    return models[name]


def _check_device(model: OntModel, fsan: str) -> None:
    if not re.fullmatch(f"{model.fsan_prefix}[0-9A-F]{{8}}", fsan):
        raise ActionNotPossible(
            f"The FSAN of a {model.vendor} {model.model} is {model.fsan_prefix} and eight hexadecimal digits."
        )
    installed = Ont.objects.filter(fsan=fsan, removed_at=None).select_related("location").first()
    if installed:
        raise ActionNotPossible(
            f"The ONT {fsan} is installed at the premises {installed.location.uprn}. Name another device."
        )


def _check_serial_number(location: Location, serial_number: str) -> None:
    """The device at these premises may be replaced by one that says the same of itself."""
    installed = Ont.objects.filter(serial_number=serial_number, removed_at=None).exclude(location=location)
    if serial_number and (found := installed.select_related("location").first()):
        raise ActionNotPossible(
            f"serialNumber: {serial_number} is installed at the premises {found.location.uprn}. Name another one."
        )
