"""What the views of the control interface for orders, tickets and lines have in common."""

from typing import Any

from django.db import models

from seller_sandbox.console.orders.order_control_requests import MAX_ROWS
from seller_sandbox.messages.models import OutboundMessage


def page_of(found: models.QuerySet[Any], limit: int) -> tuple[list[Any], bool]:
    """The first rows, and whether there are more."""
    wanted = min(limit, MAX_ROWS)
    rows = list(found[: wanted + 1])
    return rows[:wanted], len(rows) > wanted


def report_made(made: object) -> dict[str, Any]:
    """What an action gives beside its order or ticket: how many messages are queued, or the one sent again."""
    if isinstance(made, int):
        return {"queued": made}
    return {"messageId": str(made.message_id)} if isinstance(made, OutboundMessage) else {}
