"""What a sensible engineer answers: every question of the matrix gets something that its kind allows."""

from collections.abc import Mapping
from random import Random
from typing import Any

from closures.matrix import Question

# where "yes" or the first choice would tell of a bad day
KNOWN = {"DAM01": "no", "SAF07": "in_place", "NOA02": 15, "POP11": -38.5}
WORDS = {"ROU03": "Pole 14 on the corner", "REV02": "Cleaned and reseated the connector, tested again"}
DEFAULT_WORDS = "Seen on site, the office and the customer know"


def answer(question: Question, *, chance: Random) -> Any:
    """A value for any kind but a photo, which needs a picture first."""
    if question.code in KNOWN:
        return KNOWN[question.code]
    match question.kind:
        case "yes_no":
            return "yes"
        case "choice":
            return question.choices[0].code
        case "number":
            return _number(question, chance)
        case _:
            return WORDS.get(question.code, DEFAULT_WORDS)


def _number(question: Question, chance: Random) -> float:
    expected: Mapping[str, tuple[float, float]] = question.expected
    low, high = next(iter(expected.values()), (question.minimum or 0, question.maximum or 0))
    middle, spread = (low + high) / 2, (high - low) / 8
    return round(chance.uniform(middle - spread, middle + spread), question.decimals)
