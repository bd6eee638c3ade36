"""The contract as JSON Schema files: compiled for a quick yes, read in full for an exact no."""

import json
import re
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError

from seller_link.wire.v1.faults import Detail

SCHEMAS = Path(__file__).parent / "schemas"
FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)
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
    checker = FormatChecker(formats=())
    for word, check in FORMATS.items():
        checker.checks(word)(check)
    return Draft202012Validator(schema(name), format_checker=checker)


def problems(name: str, body: Any) -> list[Detail]:
    """Every way in which a body breaks its schema; empty when it keeps it."""
    try:
        _quick(name)(body)
    except fastjsonschema.JsonSchemaException:
        return sorted(set(_details(_exact(name).iter_errors(body))))
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
        "const": f"Only {wanted} is expected here.",
        "minLength": "This must not be empty.",
        "maxLength": f"At most {wanted} characters.",
        "minItems": "This list must not be empty.",
        "minimum": f"At least {wanted}.",
        "maximum": f"At most {wanted}.",
        "pattern": f"This must match {wanted}.",
        "format": _FORMAT_WORDS.get(str(wanted), f"This is not a {wanted}."),
    }
    return sentences.get(str(error.validator)) or "This is not allowed here."


_FORMAT_WORDS = {
    "instant": "Write an instant with an offset, like 2026-11-23T08:00:00+00:00.",
    "uuid": "Write a UUID of 36 characters.",
}
