"""The exact place of an engineer at the states of a job is there for disputes; afterwards it is rounded by rule."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from dispatch.models import JobEvent
from dispatch.states import EventKind
from engineers import location_history

WITH_PLACE = (EventKind.EN_ROUTE, EventKind.ON_SITE, EventKind.REPORTED_LATE)


def round_off(now: datetime) -> None:
    """Whatever is older than POSITION_EXACT_DAYS, in batches that hold the database's writer only shortly. What the
    seller was told stays told."""
    old = now - timedelta(days=settings.POSITION_EXACT_DAYS)
    exact = JobEvent.objects.filter(kind__in=WITH_PLACE, occurred_at__lt=old, facts__has_key="latitude")
    while events := list(exact.exclude(facts__has_key="position_rounded")[: location_history.AT_ONCE]):
        for event in events:
            event.facts = _rounded(event.facts)
        JobEvent.objects.bulk_update(events, ["facts"])
    location_history.round_said(old)


def _rounded(facts: dict[str, Any]) -> dict[str, Any]:
    """The one change that an event ever sees: it says less exactly where, and that it does."""
    place = location_history.coarse_place(facts)
    kept = {name: value for name, value in facts.items() if name != "accuracy_metres"}
    if isinstance(kept.get("body"), dict) and "position" in kept["body"]:
        kept["body"] = {**kept["body"], "position": location_history.coarse_place(kept["body"]["position"])}
    return {**kept, **place, "position_rounded": True}
