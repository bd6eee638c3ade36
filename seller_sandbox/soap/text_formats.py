"""Instants, dates, times and switches as the texts of elements, and back."""

from datetime import date, datetime, time
from typing import Any

from django.conf import settings

from seller_sandbox.soap.layout import Values


def render_instant(moment: datetime | str) -> str:
    """ISO 8601 to the second in local time with its offset; of a JSON member, too."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    return moment.astimezone(settings.LOCAL_ZONE).isoformat(timespec="seconds")


def render_date(day: date | str) -> str:
    return str(day)


def parse_boolean(text: str) -> bool:
    return text in {"true", "1"}


def render_boolean(value: Any) -> str:
    return "true" if value else "false"


def local_instant(text: str) -> datetime:
    """A date with a time; without an offset it is local time (D7)."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=settings.LOCAL_ZONE)


def parse_requested_day(text: str) -> date:
    """A time is aligned to midnight of the same local day (order-provisioning.md, requestedDate)."""
    if "T" not in text:
        return date.fromisoformat(text)
    return local_instant(text).astimezone(settings.LOCAL_ZONE).date()


def slot_values(starts_at: datetime | str, ends_at: datetime | str) -> Values:
    """Day, start and end of a slot as three texts; the times carry the offset of that day."""
    start, end = render_instant(starts_at), render_instant(ends_at)
    return {"slot_date": start[:10], "slot_start": start[11:], "slot_end": end[11:]}


def parse_slot_time(day: date, text: str) -> time:
    """The local time of a slot's start or end on a day; an offset is taken into account."""
    moment = datetime.combine(day, time.fromisoformat(text))
    if moment.tzinfo is None:
        return moment.time()
    return moment.astimezone(settings.LOCAL_ZONE).time()
