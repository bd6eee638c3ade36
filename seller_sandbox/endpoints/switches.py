"""Reads and sets the fault switch of an endpoint; a change is in force with the next message."""

from django.db import transaction
from django.db.models import F

from seller_sandbox.endpoints.models import Mode, Switch


def current(endpoint: str) -> Switch:
    return Switch.objects.filter(endpoint=endpoint).first() or Switch(endpoint=endpoint)


def set_switch(
    *,
    endpoint: str,
    mode: Mode,
    seconds: float = 15,
    status: int = 503,
    retry_after: int | None = None,
    times: int | None = None,
) -> Switch:
    """Put an endpoint into a mode, for the next `times` messages or until it is switched again."""
    values = {"mode": mode, "seconds": seconds, "status": status, "retry_after": retry_after}
    switch, _ = Switch.objects.update_or_create(endpoint=endpoint, defaults={**values, "remaining": times})
    return switch


@transaction.atomic
def take(endpoint: str) -> Switch:
    """The mode that the message now at hand meets; counts it against `remaining`."""
    switch = current(endpoint)
    if switch.remaining == 0:
        return Switch(endpoint=endpoint)
    if switch.remaining is not None:
        Switch.objects.filter(pk=endpoint).update(remaining=F("remaining") - 1)
    return switch
