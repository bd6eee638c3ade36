"""Free slots as lists in forms: what a choice sends and how it is shown."""

from datetime import date, time

from seller_sandbox.console import text_formats
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import appointments, products
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import AppointmentType, Buyer, Location, Product
from seller_sandbox.network.slots import Slot

SEPARATOR = "/"


def types_of(product: Product, location: Location) -> list[AppointmentType]:
    """The appointments that an order of this product can have at these premises, in their order."""
    complex_types = [AppointmentType.SURVEY, AppointmentType.EXTERNAL, AppointmentType.INTERNAL]
    is_complex = products.is_complex_at(product=product, location=location)
    return complex_types if is_complex else [AppointmentType.INSTALL]


def list_free(
    *, location: Location, product: Product, buyer: Buyer, appointment_type: AppointmentType
) -> tuple[list[Slot], str]:
    """The free slots, or none and the reason."""
    try:
        found = appointments.list_slots(
            location=location,
            product=product,
            buyer=buyer,
            appointments_from=None,
            appointment_type=appointment_type,
        )
    except AppointmentNotPossible as problem:
        return [], problem.reason
    return found, ""


def choices_of(found: list[Slot]) -> list[tuple[str, str]]:
    return [
        (
            SEPARATOR.join(
                f"{text_formats.local(at):%Y-%m-%dT%H:%M}" for at in (slot.starts_at, slot.ends_at)
            ),
            text_formats.full_window(slot.starts_at, slot.ends_at),
        )
        for slot in found
    ]


def read_slot(text: str) -> tuple[date, time, time]:
    """Local day, start and end of a choice. Raises ActionNotPossible."""
    try:
        start, end = (moment.split("T") for moment in text.split(SEPARATOR))
        return date.fromisoformat(start[0]), time.fromisoformat(start[1]), time.fromisoformat(end[1])
    except (ValueError, IndexError) as problem:
        raise ActionNotPossible("Slot: choose one of the list.") from problem
