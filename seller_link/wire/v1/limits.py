"""Bounds of profile 1.1 that a JSON schema cannot express: instants near now, windows, contradictory results.

A sentinel date (year 1, year 9999) that is stored is localised, looped over and printed somewhere, for ever.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from dispatch.ont_scans import is_successful
from seller_link.wire.v1.contract import is_instant, parse_instant
from seller_link.wire.v1.faults import Detail

# five years with the leap days that they can have
MAX_DISTANCE = timedelta(days=5 * 365 + 2)
MAX_WINDOW = timedelta(days=31)
MAX_CLOCK_DIFFERENCE = timedelta(hours=24)
# `sentAt` is missing here: it is accepted whatever it says, and never used as the time of an event
INSTANTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "createJob": (("appointment", "start"), ("appointment", "end"), ("fault", "faultStartTime")),
    "cancelJob": (),
    "notifyJob": (("occurredAt",),),
    "notifyJob.partner": (("occurredAt",), ("plannedStart",), ("plannedEnd",)),
    "closeJob": (("closedAt",),),
}


def is_near(moment: datetime) -> bool:
    """Within five years of now, either way."""
    return abs(moment - timezone.now()) <= MAX_DISTANCE


def is_clock_wrong(sent_at: datetime, received_at: datetime) -> bool:
    """More than 24 hours from our clock: accepted, shown, and never the time of an event."""
    return abs(sent_at - received_at) > MAX_CLOCK_DIFFERENCE


def event_time(sent_at: datetime, *, received_at: datetime) -> datetime:
    """When a message without `occurredAt` happened: as it was sent, or by our clock where the other one is wrong."""
    return received_at if is_clock_wrong(sent_at, received_at) else sent_at


def instant_problems(operation: str, body: dict[str, Any]) -> list[Detail]:
    return [
        Detail.at(path, "invalidValue", "This must lie within five years of now.")
        for path in INSTANTS[operation]
        for moment in _instant(body, path)
        if not is_near(moment)
    ]


def window_problems(body: dict[str, Any]) -> list[Detail]:
    """The two ends against each other; an end with a problem of its own is named by `instant_problems`."""
    for start in _instant(body, ("appointment", "start")):
        for end in _instant(body, ("appointment", "end")):
            if start >= end:
                return [Detail("/appointment/start", "invalidValue", "The start must lie before the end.")]
            if end - start > MAX_WINDOW and is_near(start) and is_near(end):
                return [
                    Detail("/appointment/end", "invalidValue", "The window must be at most 31 days long.")
                ]
    return []


def result_problems(body: dict[str, Any]) -> list[Detail]:
    """`success` is true for results 1 and 2 and false for 3 to 7 (job-messages.md, notifyJob)."""
    result = body.get("result")
    if not isinstance(result, dict) or not isinstance(result.get("success"), bool):
        return []
    number: Any = result.get("id")
    if number not in range(1, 8) or isinstance(number, bool):
        return []
    expected = is_successful(number)
    if result["success"] is expected:
        return []
    words = f"Result {number} has success {str(expected).lower()}."
    return [Detail("/result/success", "invalidValue", words)]


def _instant(body: dict[str, Any], path: tuple[str, ...]) -> Iterator[datetime]:
    """The instant there, or nothing: one that is missing or unreadable has a problem of its own."""
    value: Any = body
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, str) and is_instant(value):
        yield parse_instant(value)
