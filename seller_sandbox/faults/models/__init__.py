"""What the seller keeps of fault reports."""

from seller_sandbox.faults.models.histories import (
    ContactAttempt,
    ContactKind,
    FaultEvent,
    FaultFile,
    FaultUpdate,
    SlaInterval,
    UpdateAuthor,
)
from seller_sandbox.faults.models.repair_visits import TicketVisit, VisitKind
from seller_sandbox.faults.models.reports import ClosureCode, FaultReport, FaultType, TicketSwitch

__all__ = [
    "ClosureCode",
    "ContactAttempt",
    "ContactKind",
    "FaultEvent",
    "FaultFile",
    "FaultReport",
    "FaultType",
    "FaultUpdate",
    "SlaInterval",
    "TicketSwitch",
    "TicketVisit",
    "UpdateAuthor",
    "VisitKind",
]
