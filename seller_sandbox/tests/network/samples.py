"""Short names for the fixed data, and reservations, for the tests of the network."""

from datetime import date

from seller_sandbox.network import appointments, locations, products
from seller_sandbox.network.models import Appointment, AppointmentType, Buyer, Location, Product
from seller_sandbox.network.slots import Slot

LOCAL_160 = "Residential FTTH Local Access 160 Mbps"
LOCAL_1000 = "Residential FTTH Local Access 1 Gbps"
NATIONAL_160 = "Residential FTTH National Access 160 Mbps"
NATIONAL_1000 = "Residential FTTH National Access 1 Gbps"
REMOTE = "Residential FTTH Remote Activation 160 Mbps"
BUSINESS = "Business FTTH National Access 1 Gbps"
COMPLEX = "Complex FTTH National Access 1 Gbps"
LEASED_LINE = "Ethernet Leased Line 1 Gbps"


def premises(situation: int, copy: int = 1) -> Location:
    location = locations.find(f"100{situation:02}{copy:02}")
    assert location
    return location


def buyer(account: str = "A") -> Buyer:
    return Buyer.objects.get(identifier=f"BUYER{account}")


def product(name: str = LOCAL_160) -> Product:
    found = products.find(name)
    assert found
    return found


def list_slots(
    situation: int = 1,
    *,
    name: str = LOCAL_160,
    account: str = "A",
    first: date | None = None,
    appointment_type: AppointmentType = AppointmentType.INSTALL,
) -> list[Slot]:
    return appointments.list_slots(
        location=premises(situation),
        product=product(name),
        buyer=buyer(account),
        appointments_from=first,
        appointment_type=appointment_type,
    )


def reserve(
    situation: int = 1, *, slot: Slot | None = None, copy: int = 1, name: str = LOCAL_160, account: str = "A"
) -> Appointment:
    return appointments.reserve(
        location=premises(situation, copy),
        product=product(name),
        buyer=buyer(account),
        slot=slot or list_slots(situation, name=name, account=account)[0],
        appointment_type=AppointmentType.INSTALL,
    )
