"""Reads and sets the fault switch of an endpoint; a change is in force with the next message."""

import math
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from seller_sandbox.endpoints.models import Mode, Switch

MINUTE = timedelta(minutes=1)
# of what `take` gives: the message is answered with the switch's status
REFUSING = frozenset({Mode.FAIL, Mode.LIMIT, Mode.MAINTENANCE})


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
    per_minute: int = 60,
) -> Switch:
    """Put an endpoint into a mode, for the next `times` messages or until it is switched again.

    `seconds` is how late a slow answer is, and how long a maintenance window lasts.
    """
    is_maintenance = mode == Mode.MAINTENANCE
    values = {
        "mode": mode,
        "seconds": seconds,
        "status": status,
        "retry_after": retry_after,
        "remaining": times,
        "per_minute": per_minute,
        "minute_began_at": None,
        "taken_in_minute": 0,
        "until": timezone.now() + timedelta(seconds=seconds) if is_maintenance else None,
    }
    switch, _ = Switch.objects.update_or_create(endpoint=endpoint, defaults=values)
    return switch


def take(endpoint: str) -> Switch:
    """The mode that the message now at hand meets; counts it against `remaining` and the rate limit."""
    found = Switch.objects.filter(endpoint=endpoint).first()
    if found is None or found.remaining == 0:
        # the usual case, without a lock
        return Switch(endpoint=endpoint)
    return _take_locked(endpoint)


@transaction.atomic
def _take_locked(endpoint: str) -> Switch:
    switch = Switch.objects.select_for_update().filter(endpoint=endpoint).first()
    if switch is None:
        return Switch(endpoint=endpoint)
    if switch.remaining == 0 or _is_over(switch):
        return Switch(endpoint=endpoint)
    if switch.remaining is not None:
        Switch.objects.filter(pk=endpoint).update(remaining=F("remaining") - 1)
    if switch.mode == Mode.LIMIT:
        return _limited(switch)
    if switch.mode == Mode.MAINTENANCE:
        return _refusing(switch, 503, switch.until - timezone.now())
    return switch


def _is_over(switch: Switch) -> bool:
    """Whether a maintenance window has ended."""
    return switch.mode == Mode.MAINTENANCE and switch.until <= timezone.now()


def _limited(switch: Switch) -> Switch:
    now = timezone.now()
    if switch.minute_began_at is None or now >= switch.minute_began_at + MINUTE:
        switch.minute_began_at, switch.taken_in_minute = now, 0
    if switch.taken_in_minute >= switch.per_minute:
        return _refusing(switch, 429, switch.minute_began_at + MINUTE - now)
    switch.taken_in_minute += 1
    switch.save(update_fields=["minute_began_at", "taken_in_minute"])
    return Switch(endpoint=switch.endpoint)


def _refusing(switch: Switch, status: int, wait: timedelta) -> Switch:
    # the window may have ended a moment ago
    seconds = max(1, math.ceil(wait.total_seconds()))
    return Switch(endpoint=switch.endpoint, mode=switch.mode, status=status, retry_after=seconds)
