"""The exact place of an engineer at the states of a job is there for disputes; afterwards it is rounded by rule."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from dispatch.models import JobEvent
from dispatch.states import EventKind
from engineers import positions

WITH_PLACE = (EventKind.EN_ROUTE, EventKind.ON_SITE, EventKind.REPORTED_LATE)


def round_off(now: datetime) -> None:
    """Whatever is older than POSITION_EXACT_DAYS, a few thousand at a time. What the seller was told stays told."""
    old = now - timedelta(days=settings.POSITION_EXACT_DAYS)
    exact = JobEvent.objects.filter(kind__in=WITH_PLACE, occurred_at__lt=old, facts__has_key="latitude")
    for event in exact.exclude(facts__has_key="position_rounded")[: positions.AT_ONCE]:
        event.facts = _rounded(event.facts)
        event.save(update_fields=["facts"])
    positions.round_said(old)


def _rounded(facts: dict[str, Any]) -> dict[str, Any]:
    """The one change that an event ever sees: it says less exactly where, and that it does."""
    place = positions.coarse_place(facts)
    kept = {name: value for name, value in facts.items() if name != "accuracy_metres"}
    if isinstance(kept.get("body"), dict) and "position" in kept["body"]:
        kept["body"] = {**kept["body"], "position": positions.coarse_place(kept["body"]["position"])}
    return {**kept, **place, "position_rounded": True}
