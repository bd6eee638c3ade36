"""Is this an answer to that question? Cleans what people type, or says what is wrong with it."""

import math
import re
from decimal import Decimal
from typing import Any
from uuid import UUID

from closures.matrix import Question
from dispatch.problems import ActionRefused, Problem

MAX_LETTERS = 2000
MAX_NUMBER = 1e12
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")
# PostgreSQL keeps no NUL, and half of a surrogate pair is no letter
CONTROL_CHARACTERS = re.compile(r"[\0\ud800-\udfff]")
PHOTO_ACTION = {"photo": "Take a photo.", "signature": "Ask for a signature."}
YES_NO = {"yes": "Yes", "no": "No"}


class BadAnswer(ActionRefused):
    """The value does not answer the question."""


def validate(question: Question, value: Any) -> Any:
    """The value as it is kept: "yes"/"no", a choice's code, a number, a text, or a list of ids of pictures.

    Raises BadAnswer with the one problem, its place being `question:<code>`.
    """
    match question.kind:
        case "yes_no":
            return _yes_no(question, value)
        case "choice":
            return _choice(question, value)
        case "number":
            return _number(question, value)
        case "photo" | "signature":
            return _photos(question, value)
        case "text":
            return _text(question, value)


def display(question: Question, value: Any) -> str:
    """The words in which a person sees the answer."""
    match question.kind:
        case "yes_no":
            return YES_NO[value]
        case "choice":
            choice = question.choice(value)
            return choice.text if choice else str(value)
        case "number":
            return f"{_minus(f'{value:.{question.decimals}f}')} {question.unit}"
        case "photo":
            return "1 photo" if len(value) == 1 else f"{len(value)} photos"
        case "signature":
            return "Signed"
        case "text":
            return str(value)


def machine_value(question: Question, value: Any) -> str:
    """The answer as the seller's programs read it, in no person's language: plain decimal digits without the unit, a
    choice's text as in the matrix, the number of pictures (job-messages.md, closeJob)."""
    match question.kind:
        case "yes_no":
            return {"yes": "Yes", "no": "No"}[value]
        case "choice":
            choice = question.choice(value)
            return choice.text if choice else str(value)
        case "number":
            return _plain_decimal(value, question.decimals)
        case "photo" | "signature":
            return str(len(value))
        case "text":
            return str(value)


def _plain_decimal(value: float, decimals: int) -> str:
    """`-19.2`, never `-0.0` or `1e-05`; every digit that was kept is written."""
    text = f"{value:.{decimals}f}"
    if float(text) != value:
        text = f"{Decimal(str(value)):f}"
    return text if float(text) else text.removeprefix("-")


def warning_for(question: Question, value: Any, *, network_type: str = "") -> Problem | None:
    """A number outside the window of its network type: looked at twice, never refused."""
    bounds = question.expected.get(network_type) or next(iter(question.expected.values()), None)
    if bounds is None or not isinstance(value, int | float) or bounds[0] <= value <= bounds[1]:
        return None
    window = f"{_minus(f'{bounds[0]:g}')} to {_minus(f'{bounds[1]:g}')} {question.unit}"
    message = f"{question.text} {display(question, value)} is outside {window}. Check it."
    return Problem("out_of_window", f"question:{question.code}", message, blocks=False)


def _refuse(question: Question, message: str) -> BadAnswer:
    return BadAnswer([Problem("bad_answer", f"question:{question.code}", message)])


def _yes_no(question: Question, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str) or value not in YES_NO:
        raise _refuse(question, "Answer yes or no.")
    return value


def _choice(question: Question, value: Any) -> str:
    if not isinstance(value, str) or question.choice(value) is None:
        raise _refuse(question, f"Choose one of: {', '.join(choice.text for choice in question.choices)}.")
    return value


def _number(question: Question, value: Any) -> float:
    typed = _parse(value)
    low, high = question.minimum or 0, question.maximum or 0
    if typed is None:
        raise _refuse(question, f"Write a number in {question.unit}.")
    if _is_too_fine(value, typed, question.decimals):
        raise _refuse(question, _too_fine(question))
    if not low <= typed <= high:
        window = f"{_minus(f'{low:g}')} to {_minus(f'{high:g}')} {question.unit}"
        raise _refuse(question, f"The number must be from {window}.")
    # + 0.0 turns -0.0 into 0.0
    return typed + 0.0


def _is_too_fine(value: Any, number: float, decimals: int) -> bool:
    """More decimal places than allowed, as written: `1,000` may be 1 or a thousand, so it is not taken for 1."""
    if isinstance(value, str):
        _whole, _point, places = value.strip().replace(",", ".").partition(".")
        return len(places) > decimals
    return round(number, decimals) != number


def _too_fine(question: Question) -> str:
    """Nothing is rounded: what is typed is what is sent."""
    if question.decimals == 0:
        return f"Write a whole number in {question.unit}, without a decimal point."
    places = "place" if question.decimals == 1 else "places"
    return f"Write at most {question.decimals} decimal {places}."


def _parse(value: Any) -> float | None:
    """`−21,5` is typed by somebody with a true minus sign and a comma."""
    if isinstance(value, str):
        text = value.strip().replace("−", "-").replace("–", "-").replace(",", ".")
        number = float(text) if NUMBER.fullmatch(text) else math.nan
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value) if abs(value) < MAX_NUMBER else math.nan
    else:
        return None
    return number if abs(number) < MAX_NUMBER else None  # neither infinite nor "nan"


def _minus(number: str) -> str:
    return number.replace("-", "−")


def _text(question: Question, value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text or CONTROL_CHARACTERS.search(text):
        raise _refuse(question, "Write a few words.")
    if len(text) > MAX_LETTERS:
        raise _refuse(question, f"At most {MAX_LETTERS} letters; this has {len(text)}.")
    return text


def _photos(question: Question, value: Any) -> list[str]:
    given = value if isinstance(value, list) else [value]
    try:
        ids = [str(UUID(one)) for one in given if isinstance(one, str)]
    except ValueError as problem:
        raise _refuse(question, PHOTO_ACTION[question.kind]) from problem
    if not ids or len(ids) < len(given):
        raise _refuse(question, PHOTO_ACTION[question.kind])
    return [*dict.fromkeys(ids)]
