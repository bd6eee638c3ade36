"""The contract as JSON Schema files: compiled for a quick yes, read in full for an exact no."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastjsonschema
from django.utils import timezone

from dispatch.ont_scans import is_successful
from seller_link.wire.v1.refusals import Detail

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

SCHEMAS = Path(__file__).parent / "schemas"
FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)
# a list of 1 MiB can be wrong in each of its lines
MAX_DETAILS = 100
MORE_DETAILS = Detail("/", "invalidValue", f"More than {MAX_DETAILS} places are wrong; these are the first.")
INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})")


def parse_instant(text: str) -> datetime:
    """An aware instant in UTC, or ValueError: one without an offset is refused (job-messages.md, Transport).

    An offset may carry the first or the last day of the calendar beyond it: then it is that end of the calendar.
    """
    if not INSTANT.fullmatch(text):
        raise ValueError(text)
    moment = datetime.fromisoformat(text)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return FIRST if moment.year == 1 else LAST


def is_instant(value: object) -> bool:
    try:
        return not isinstance(value, str) or bool(parse_instant(value))
    except ValueError:
        return False


def is_uuid(value: object) -> bool:
    try:
        return not isinstance(value, str) or str(uuid.UUID(value)) == value.lower()
    except ValueError:
        return False


FORMATS: dict[str, Callable[[Any], bool]] = {"instant": is_instant, "uuid": is_uuid}


def schema(name: str) -> dict[str, Any]:
    """One schema file with the shared pieces in it, complete in itself."""
    whole: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text())
    common = json.loads((SCHEMAS / "common.json").read_text())
    return {**whole, "$defs": common["$defs"]}


@cache
def _quick(name: str) -> Callable[[Any], Any]:
    formats: dict[str, Any] = dict(FORMATS)
    # fastjsonschema knows drafts up to 7: `$defs` is reached by reference all the same
    plain = {key: value for key, value in schema(name).items() if key != "$schema"}
    compiled: Callable[[Any], Any] = fastjsonschema.compile(plain, formats=formats, use_default=False)
    return compiled


@cache
def _exact(name: str) -> Draft202012Validator:
    # a tenth of a second of each process's start, for the few messages that break the contract
    jsonschema = import_module("jsonschema")
    checker = jsonschema.FormatChecker(formats=())
    for format_name, check in FORMATS.items():
        checker.checks(format_name)(check)
    validator: Draft202012Validator = jsonschema.Draft202012Validator(schema(name), format_checker=checker)
    return validator


def problems(name: str, body: Any) -> list[Detail]:
    """Every way in which a body breaks its schema, the first hundred of them; empty when it keeps it."""
    try:
        _quick(name)(body)
    except fastjsonschema.JsonSchemaException:
        found = [*islice(_details(_exact(name).iter_errors(body)), MAX_DETAILS + 1)]
        more = [MORE_DETAILS] if len(found) > MAX_DETAILS else []
        return [*sorted(set(found[:MAX_DETAILS])), *more]
    return []


def _details(errors: Iterator[ValidationError]) -> Iterator[Detail]:
    for error in errors:
        where = [str(part) for part in error.absolute_path]
        if error.validator == "required":
            missing = sorted({*_names(error.validator_value)} - {*_names(error.instance)})
            yield from (
                Detail.at([*where, name], "missingProperty", "This member is required.") for name in missing
            )
        elif error.validator == "anyOf":
            # any branch would do: the first one is the usual one
            yield from _details(iter(error.context[:1]))
        else:
            code = "invalidFormat" if error.validator in {"format", "pattern"} else "invalidValue"
            yield Detail.at(where, code, _sentence(error))


def _names(required: Any) -> list[str]:
    return list(required)


def _sentence(error: ValidationError) -> str:
    """What is wanted; the value itself may be personal and stays out of the answer."""
    wanted = error.validator_value
    sentences = {
        "type": f"Write this as {wanted}.",
        "enum": f"Use one of: {', '.join(map(str, wanted))}." if isinstance(wanted, list) else "",
        "contains": "At least one must not be empty.",
        "const": f"Only {wanted} is expected here.",
        "minLength": "This must not be empty.",
        "maxLength": f"At most {wanted} characters.",
        "minItems": "This list must not be empty.",
        "minimum": f"At least {wanted}.",
        "maximum": f"At most {wanted}.",
        "pattern": _PATTERN_WORDS.get(str(wanted), f"This must match {wanted}."),
        "format": _FORMAT_WORDS.get(str(wanted), f"This is not a {wanted}."),
    }
    return sentences.get(str(error.validator)) or "This is not allowed here."


_PATTERN_WORDS = {"^[0-9]{1,12}(?!\n)$": "Write 1 to 12 digits 0 to 9."}
_FORMAT_WORDS = {
    "instant": "Write an instant with an offset, like 2026-11-23T08:00:00+00:00, of a day and time that exist.",
    "uuid": "Write a UUID of 36 characters.",
}


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


def plan_problems(body: dict[str, Any]) -> list[Detail]:
    """Of a visit, which may be planned to end only after it begins."""
    for start in _instant(body, ("plannedStart",)):
        for end in _instant(body, ("plannedEnd",)):
            if start >= end:
                return [Detail("/plannedEnd", "invalidValue", "The end must lie after the start.")]
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
    text = f"Result {number} has success {str(expected).lower()}."
    return [Detail("/result/success", "invalidValue", text)]


def _instant(body: dict[str, Any], path: tuple[str, ...]) -> Iterator[datetime]:
    """The instant there, or nothing: one that is missing or unreadable has a problem of its own."""
    value: Any = body
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, str) and is_instant(value):
        yield parse_instant(value)
