"""Members of notifications that several events share, in domain words (wire/notifications.py renders them)."""

from datetime import date
from typing import Any

from django.conf import settings

from seller_sandbox.network.models import Appointment


def appointment_members(appointment: Appointment | None) -> dict[str, str] | None:
    if appointment is None:
        return None
    return {
        "key": str(appointment.key),
        "starts_at": appointment.starts_at.isoformat(),
        "ends_at": appointment.ends_at.isoformat(),
        "appointment_type": appointment.appointment_type,
    }


def date_text(day: date | None) -> str | None:
    return day.isoformat() if day else None


def linked_members(order: Any) -> dict[str, Any]:
    """What a provider is told of the other's order: its type and date, never its reference."""
    return {
        "new_order_type": order.new_order_type or "Regrade",
        "requested_date": date_text(order_day(order)),
    }


def order_day(order: Any) -> date | None:
    """The day on which an order is fulfilled: that of its appointment, without an engineer its requested date."""
    if order.appointment:
        return order.appointment.starts_at.astimezone(settings.LOCAL_ZONE).date()
    return None if order.is_appointed else order.requested_date
