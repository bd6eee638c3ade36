"""The four messages as JSON Schema, written from job-messages.md, and what is wrong with a body."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from jsonschema import Draft202012Validator, FormatChecker, ValidationError

from seller_sandbox.endpoints.exchange import Problem

OPERATIONS = ("createJob", "cancelJob", "notifyJob", "closeJob")
INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)")
UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
FORMAT_RULES = {"format", "pattern"}

formats = FormatChecker(formats=())


def read_instant(text: str) -> datetime:
    """An ISO 8601 instant with an offset; ValueError for anything else (job-messages.md, Transport)."""
    if not INSTANT.fullmatch(text):
        raise ValueError(f"{text!r} is not an instant with an offset")
    return datetime.fromisoformat(text.upper())


@formats.checks("instant", raises=(ValueError, OverflowError))
def _is_instant(value: object) -> bool:
    # years at the very edge cannot be turned into another zone
    return not isinstance(value, str) or 1900 < read_instant(value).year < 9000


@formats.checks("uuid", raises=ValueError)
def _is_uuid(value: object) -> bool:
    return not isinstance(value, str) or (bool(UUID_TEXT.fullmatch(value)) and bool(UUID(value)))


def without_nulls(value: Any) -> Any:
    """A body without the members that are null: an optional one is absent, a required one missing (Transport)."""
    if isinstance(value, dict):
        return {name: without_nulls(member) for name, member in value.items() if member is not None}
    return [without_nulls(entry) for entry in value] if isinstance(value, list) else value


@cache
def validator(operation: str) -> Draft202012Validator:
    schema = json.loads((Path(__file__).parent / f"{operation}.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, format_checker=formats)


def problems(operation: str, body: dict[str, Any]) -> list[Problem]:
    """All problems of a body at once, each at the member concerned, also when that member is missing."""
    found = [problem for error in validator(operation).iter_errors(body) for problem in _translate(error)]
    return sorted(dict.fromkeys(found), key=lambda problem: problem.pointer)


def _translate(error: ValidationError) -> Iterator[Problem]:
    here = "".join(f"/{escape(str(part))}" for part in error.absolute_path)
    missing = list(_missing_members(error))
    for name in missing:
        yield Problem(f"{here}/{escape(name)}", "missingProperty", f"{name} is required")
    if not missing:
        code = "invalidFormat" if error.validator in FORMAT_RULES else "invalidValue"
        yield Problem(here or "/", code, describe(error))


def _missing_members(error: ValidationError) -> Iterator[str]:
    if error.validator == "required":
        yield from (name for name in error.validator_value if name not in error.instance)
    elif error.validator == "dependentRequired":
        for present, names in error.validator_value.items():
            yield from (name for name in names if present in error.instance and name not in error.instance)
    elif error.validator == "anyOf":
        yield from (name for branch in error.validator_value for name in branch["required"])


def describe(error: ValidationError) -> str:
    """The rule that was broken, without the value: a value may be somebody's name."""
    if error.validator == "type":
        return f"must be of type {error.validator_value}"
    if error.validator == "enum":
        return f"must be one of {', '.join(map(str, error.validator_value))}"
    if error.validator == "format":
        return (
            "must be an ISO 8601 instant with an offset"
            if error.validator_value == "instant"
            else "must be a UUID"
        )
    return f"breaks the rule {error.validator} {error.validator_value}"


def escape(name: str) -> str:
    """A member's name inside a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")
