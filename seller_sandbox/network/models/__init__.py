"""What the seller knows of its network and of the buyers that order on it."""

from seller_sandbox.network.models.accounts import Buyer, Nni, Project
from seller_sandbox.network.models.appointment_slots import (
    Appointment,
    AppointmentState,
    AppointmentType,
    Half,
    SlotCapacity,
)
from seller_sandbox.network.models.catalogue import (
    Access,
    AuxiliaryService,
    LineProfile,
    OntModel,
    Product,
    ProductGroup,
)
from seller_sandbox.network.models.connections import Ont, Service
from seller_sandbox.network.models.sites import (
    FTTH,
    Cabinet,
    Classification,
    DrStatus,
    Location,
    RfsStatus,
)

__all__ = [
    "FTTH",
    "Access",
    "Appointment",
    "AppointmentState",
    "AppointmentType",
    "AuxiliaryService",
    "Buyer",
    "Cabinet",
    "Classification",
    "DrStatus",
    "Half",
    "LineProfile",
    "Location",
    "Nni",
    "Ont",
    "OntModel",
    "Product",
    "ProductGroup",
    "Project",
    "RfsStatus",
    "Service",
    "SlotCapacity",
]
