"""How the console writes times, windows and addresses."""

import json
from datetime import date, datetime
from typing import Any

from django.conf import settings


def local(moment: datetime) -> datetime:
    return moment.astimezone(settings.LOCAL_ZONE)


def day_of(moment: datetime) -> str:
    """`Mon 23 Nov`."""
    return f"{local(moment):%a} {local(moment).day} {local(moment):%b}"


def clock_time(moment: datetime) -> str:
    return f"{local(moment):%H:%M}"


def exact_time(moment: datetime) -> str:
    """`Mon 23 Nov 08:00:05`."""
    return f"{day_of(moment)} {local(moment):%H:%M:%S}"


def full_time(moment: datetime) -> str:
    """`Mon 23 Nov 2026 08:00:05`: the clock may be moved into another year."""
    return f"{full_day(local(moment))} {local(moment):%H:%M:%S}"


def full_day(day: date) -> str:
    """`Mon 23 Nov 2026`, of a local day."""
    return f"{day:%a} {day.day} {day:%b %Y}"


def full_window(starts_at: datetime, ends_at: datetime) -> str:
    """`Mon 23 Nov 2026 08:00–13:00`."""
    return f"{full_day(local(starts_at))} {hours(starts_at, ends_at)}"


def window(starts_at: datetime, ends_at: datetime) -> str:
    """`Mon 23 Nov 08:00–13:00`."""
    return f"{day_of(starts_at)} {hours(starts_at, ends_at)}"


def hours(starts_at: datetime, ends_at: datetime) -> str:
    """`08:00–13:00`, with the day of an end on another one."""
    is_same_day = local(starts_at).date() == local(ends_at).date()
    end = clock_time(ends_at) if is_same_day else f"{day_of(ends_at)} {clock_time(ends_at)}"
    return f"{clock_time(starts_at)}–{end}"


def ahead(seconds: float) -> str:
    """A length of time, as that by which the clock was moved: `5 min`, `1 h 30 min`, `31 d 2 h`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"


def address(pack: dict[str, Any]) -> str:
    premises_address = pack["property"]["address"]
    return ", ".join([*premises_address["lines"], premises_address["town"], premises_address["postcode"]])


def shortened(text: str, *, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def pretty(value: Any) -> str:
    """A message's body for reading; one that was no JSON stays as it came."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def counted(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"
