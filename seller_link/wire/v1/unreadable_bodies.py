"""Why a body cannot be taken, and where: looked for only once that is known, so that a good one costs nothing."""

import json
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

from engineers.input_values import UNSTORABLE
from seller_link.wire.v1 import refusals
from seller_link.wire.v1.refusals import Refusal

MAX_DEPTH = 32


@dataclass(frozen=True)
class Unusable:
    """In the place of a value that cannot be taken."""

    sentence: str


@dataclass(frozen=True)
class BodyPart:
    """A value of a body; all share the path to them."""

    value: Any
    name: str = ""
    parent: "BodyPart | None" = None

    @property
    def path(self) -> list[str]:
        return [*self.parent.path, self.name] if self.parent else []


def explain_unreadable(text: str, problem: Exception) -> Refusal:
    """What json.loads of `incoming.parse` raised."""
    if isinstance(problem, json.JSONDecodeError):
        where = f"line {problem.lineno}, column {problem.colno}"
        return refusals.invalid_body(f"The body is not JSON: {problem.msg} at {where}.")
    if isinstance(problem, RecursionError):
        return nested_too_deeply()
    for part in _parts(_read_with_marks(text)):
        if isinstance(part.value, Unusable):
            return refusals.invalid_body(part.value.sentence, path=_storable(part.path))
    return nested_too_deeply()


def explain_unstorable(body: dict[str, Any]) -> Refusal:
    """A text of this body is no text for a database; in a member's name the object is named."""
    sentence = "A text holds a NUL character or half a surrogate pair."
    for part in _parts(body):
        texts = part.value if isinstance(part.value, dict) else [part.value]
        if any(isinstance(text, str) and UNSTORABLE.search(text) for text in texts):
            return refusals.invalid_body(sentence, path=part.path)
    return refusals.invalid_body(sentence)


def nested_too_deeply() -> Refusal:
    return refusals.invalid_body(f"The body is nested deeper than {MAX_DEPTH}.")


def _read_with_marks(text: str) -> Any:
    try:
        return json.loads(
            text,
            parse_constant=lambda name: Unusable(f"The body is not JSON: {name} is no JSON value."),
            parse_float=_mark_number,
            parse_int=_mark_number,
            object_pairs_hook=_mark_repeated,
        )
    except (ValueError, RecursionError):
        # what comes first in the text was not all that is wrong
        return Unusable("The body is not JSON.")


def _mark_number(text: str) -> Any:
    out_of_range = Unusable("A number is out of range.")
    try:
        # of thousands of digits Python reads none
        is_finite = isfinite(float(text)) if set(text) & set(".eE") else bool(str(int(text)))
    except ValueError:
        return out_of_range
    return 0 if is_finite else out_of_range


def _mark_repeated(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        counts = Counter(name for name, _value in members)
        twice = next(name for name, count in counts.items() if count > 1)
        found[twice] = Unusable(f"An object has the member {twice[:60]!r} twice.")
    return found


def _parts(body: Any) -> Iterator[BodyPart]:
    """Level by level, as deep as the contract allows; a part before what is in it."""
    level = deque([BodyPart(body)])
    for _depth in range(MAX_DEPTH + 1):
        below: deque[BodyPart] = deque()
        for part in level:
            yield part
            if isinstance(part.value, dict):
                below.extend(BodyPart(value, name, part) for name, value in part.value.items())
            elif isinstance(part.value, list):
                below.extend(BodyPart(value, str(number), part) for number, value in enumerate(part.value))
        level = below


def _storable(path: list[str]) -> list[str]:
    """As far as it can be written down."""
    bad = next((number for number, name in enumerate(path) if UNSTORABLE.search(name)), len(path))
    return path[:bad]
