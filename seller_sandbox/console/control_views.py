"""What the views of the control interface for orders, tickets and lines have in common."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

from seller_sandbox.console.api import control
from seller_sandbox.console.order_control_requests import MAX_ROWS
from seller_sandbox.messages.models import OutboundMessage

View = Callable[..., HttpResponse]


def json_control(view: View) -> View:
    """A view of the control interface whose unknown references are answered in JSON too."""

    @control
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Http404 as problem:
            return JsonResponse({"error": str(problem)}, status=404)

    return answered


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
