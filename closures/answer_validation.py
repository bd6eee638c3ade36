"""Is this an answer to that question? Cleans what people type, or says what is wrong with it."""

import math
import re
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from closures.question_matrix.matrix import Question
from dispatch.problems import ActionRefused, Problem

MAX_CHARACTERS = 2000
MAX_NUMBER = 1e12
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")
# PostgreSQL stores no NUL, and half of a surrogate pair is no character
CONTROL_CHARACTERS = re.compile(r"[\0\ud800-\udfff]")
PHOTO_ACTION = {"photo": gettext_lazy("Take a photo."), "signature": gettext_lazy("Ask for a signature.")}
YES_NO = {"yes": gettext_lazy("Yes"), "no": gettext_lazy("No")}


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
    """The answer in the reader's language."""
    match question.kind:
        case "yes_no":
            return str(YES_NO[value])
        case "choice":
            choice = question.choice(value)
            return choice.text if choice else str(value)
        case "number":
            return f"{_format_number(f'{value:.{question.decimals}f}')} {question.unit}"
        case "photo" | "signature":
            return _picture_text(question.kind, len(value))
        case "text":
            return str(value)


def _picture_text(kind: str, number: int) -> str:
    if kind == "signature":
        return _("Signed")
    return ngettext("%(number)s photo", "%(number)s photos", number) % {"number": number}


def stored_text(question: Question, value: Any) -> str:
    """The answer as it is kept with the job and sent to the seller, whoever gave it: in English."""
    with translation.override("en"):
        return display(question, value)


def stored_picture_text(kind: str, number: int) -> str:
    """The same for an answer of this many pictures, without its question."""
    with translation.override("en"):
        return _picture_text(kind, number)


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
    message = _("%(question)s %(answer)s is outside the expected range (%(window)s). Check it.")
    parameters = {
        "question": question.text,
        "answer": display(question, value),
        "window": _range(bounds[0], bounds[1], question.unit),
    }
    return Problem("out_of_window", f"question:{question.code}", message % parameters, blocks=False)


def _range(low: float, high: float, unit: str) -> str:
    parameters = {"low": _format_number(f"{low:.15g}"), "high": _format_number(f"{high:.15g}"), "unit": unit}
    return _("%(low)s to %(high)s %(unit)s") % parameters


def _refuse(question: Question, message: str) -> BadAnswer:
    return BadAnswer([Problem("bad_answer", f"question:{question.code}", message)])


def _yes_no(question: Question, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str) or value not in YES_NO:
        raise _refuse(question, _("Answer yes or no."))
    return value


def _choice(question: Question, value: Any) -> str:
    if not isinstance(value, str) or question.choice(value) is None:
        choices = ", ".join(choice.text for choice in question.choices)
        raise _refuse(question, _("Choose one of: %(choices)s.") % {"choices": choices})
    return value


def _number(question: Question, value: Any) -> float:
    typed = _parse(value)
    low, high = question.minimum or 0, question.maximum or 0
    if typed is None:
        raise _refuse(question, _("Enter a number in %(unit)s.") % {"unit": question.unit})
    if _is_too_fine(value, typed, question.decimals):
        raise _refuse(question, _too_fine(question))
    if not low <= typed <= high:
        window = _range(low, high, question.unit)
        raise _refuse(question, _("The number must be from %(window)s.") % {"window": window})
    # + 0.0 turns -0.0 into 0.0
    return typed + 0.0


def _is_too_fine(value: Any, number: float, decimals: int) -> bool:
    """More decimal places than allowed, as written: `1,000` may be 1 or a thousand, so it is not taken for 1."""
    if isinstance(value, str):
        _whole, _point, fraction = value.strip().replace(",", ".").partition(".")
        return len(fraction) > decimals
    return round(number, decimals) != number


def _too_fine(question: Question) -> str:
    """Nothing is rounded: what is typed is what is sent."""
    if question.decimals == 0:
        return _("Enter a whole number in %(unit)s, without a decimal point.") % {"unit": question.unit}
    sentence = ngettext(
        "Enter at most %(number)s decimal place.",
        "Enter at most %(number)s decimal places.",
        question.decimals,
    )
    return sentence % {"number": question.decimals}


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


def _format_number(number: str) -> str:
    """`−21.5`, and `−21,5` where the language has a comma."""
    return number_format(number).replace("-", "−")


def _text(question: Question, value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text or CONTROL_CHARACTERS.search(text):
        raise _refuse(question, _("Enter a few words."))
    if len(text) > MAX_CHARACTERS:
        parameters = {"most": MAX_CHARACTERS, "letters": len(text)}
        raise _refuse(question, _("Enter at most %(most)s characters. This has %(letters)s.") % parameters)
    return text


def _photos(question: Question, value: Any) -> list[str]:
    entries = value if isinstance(value, list) else [value]
    try:
        ids = [str(UUID(entry)) for entry in entries if isinstance(entry, str)]
    except ValueError as problem:
        raise _refuse(question, str(PHOTO_ACTION[question.kind])) from problem
    if not ids or len(ids) < len(entries):
        raise _refuse(question, str(PHOTO_ACTION[question.kind]))
    return [*dict.fromkeys(ids)]
