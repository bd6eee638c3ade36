"""What the seller keeps of orders and of what it owes for them."""

from seller_sandbox.orders.models.compensation import Exclusion, LateProvision, MissedAppointment
from seller_sandbox.orders.models.complex_course import ComplexOrder, ComplexStage
from seller_sandbox.orders.models.orders import (
    Amendment,
    Cancellation,
    Case,
    Course,
    Order,
    OrderEvent,
    OrderKind,
    OrderQuerySet,
    OrderVisit,
    RequestState,
    VisitPurpose,
    is_at,
)

__all__ = [
    "Amendment",
    "Cancellation",
    "Case",
    "ComplexOrder",
    "ComplexStage",
    "Course",
    "Exclusion",
    "LateProvision",
    "MissedAppointment",
    "Order",
    "OrderEvent",
    "OrderKind",
    "OrderQuerySet",
    "OrderVisit",
    "RequestState",
    "VisitPurpose",
    "is_at",
]
