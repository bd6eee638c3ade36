"""Values of an address, a form or a file from outside: numbers, times and texts, which any caller may write oddly.

Each says nothing for what cannot be read or kept, and none of them raises.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.http import url_has_allowed_host_and_scheme

READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# at the ends of the calendar nothing can be added to a time or turned into the site's zone
USUAL_YEARS = range(2000, 2200)
# a phone that has lost its time begins with the first one
PHONE_YEARS = range(1970, 2200)
# more than any number of ours, and few enough for every database
MAX_DIGITS = 18
# PostgreSQL stores no NUL, and half of a surrogate pair is no character: neither UTF-8 nor a page can hold it
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def is_usual(moment: datetime, *, years: range = USUAL_YEARS) -> bool:
    """Within these years; an aware moment by UTC."""
    try:
        in_utc = moment.astimezone(UTC) if timezone.is_aware(moment) else moment
    except OverflowError:
        return False
    return in_utc.year in years


def is_usual_day(day: date) -> bool:
    """Within USUAL_YEARS."""
    return day.year in USUAL_YEARS


def read_instant(text: Any, *, years: range = USUAL_YEARS) -> datetime | None:
    """A moment with its offset, of one of these years."""
    try:
        moment = parse_datetime(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment if moment and timezone.is_aware(moment) and is_usual(moment, years=years) else None


def read_number(text: Any) -> int | None:
    """A whole number of MAX_DIGITS at most, 0 or more."""
    is_number = isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
    return int(text) if is_number else None


def read_own_path(text: str, request: HttpRequest) -> str:
    """A path of this site, to redirect to. Empty for another site's address, for a script, and for what Django's
    `redirect` would take for the name of a page."""
    is_ours = url_has_allowed_host_and_scheme(
        text, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return text if text.startswith("/") and is_ours else ""


def page_of(request: HttpRequest) -> str:
    """The path of the page that a person looks at: where a form was refused, the one that it was sent from, since the
    form's own address may not open by itself. Empty where nobody can tell."""
    if request.method in READING_METHODS:
        return request.get_full_path()
    sent_from = urlsplit(request.headers.get("Referer", ""))
    path = f"{sent_from.path}?{sent_from.query}" if sent_from.query else sent_from.path
    return read_own_path(path, request)


def parse_json(raw: str | bytes, *, parse_int: Callable[[str], Any] = int) -> Any:
    """The value; ValueError also for nesting that Python does not follow and for numbers of thousands of digits."""
    try:
        return json.loads(raw, parse_int=parse_int)
    except RecursionError as problem:
        raise ValueError("nested too deeply") from problem


def parse_foreign_json(raw: str | bytes) -> Any:
    """JSON of another system, whose texts are stored or shown: an escape of a character that cannot be (UNSTORABLE)
    becomes U+FFFD. ValueError as with parse_json."""
    value = parse_json(raw)
    try:
        return replace_unstorable(value)
    except RecursionError as problem:
        raise ValueError("nested too deeply") from problem


def replace_unstorable(value: Any) -> Any:
    """A JSON value with U+FFFD for each character of UNSTORABLE in its texts and names."""
    if isinstance(value, str):
        return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {replace_unstorable(name): replace_unstorable(member) for name, member in value.items()}
    return [replace_unstorable(member) for member in value] if isinstance(value, list) else value


def write_json(value: Any, *, indent: int | None = None) -> str:
    """For people and databases: half a character, which UTF-8 does not know, stays the escape that it was."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()
