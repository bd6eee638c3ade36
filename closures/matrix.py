"""The question matrix: a file with an edition, loaded once and refused with the line and the rule when broken.

The operator's own matrix is handed over under contract (installation-jobs.md: "not shown"), so the house
ships one that is clearly named a sample. A new edition is a new file; a job keeps the one it began with.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from django.core.exceptions import ImproperlyConfigured

from closures.codes import all_codes
from dispatch.states import JobType

Kind = Literal["yes_no", "choice", "number", "text", "photo"]
KINDS = ("yes_no", "choice", "number", "text", "photo")
STAGES = ("safety", "work", "closing")
CODE = re.compile(r"[A-Z][A-Z0-9_]{1,19}")
KNOWN_MEMBERS = {
    "code", "text", "hint", "kind", "stage", "job_types", "closures", "mandatory", "unit",
    "minimum", "maximum", "decimals", "expected", "choices", "when",
}  # fmt: skip
NUMBERS_OWN = {"unit", "minimum", "maximum", "decimals", "expected"}
MOST_DECIMALS = 6
# as long as the job's own column
MOST_EDITION_LETTERS = 60


@dataclass(frozen=True)
class Choice:
    code: str
    text: str


@dataclass(frozen=True)
class Condition:
    """Asked only when an earlier question was answered with one of `values` (or with none of them)."""

    question: str
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True)
class Question:
    """One question. `expected` are (lowest, highest) by network type: outside is a warning, not a refusal."""

    code: str
    text: str
    kind: Kind
    stage: str
    job_types: tuple[str, ...]
    hint: str = ""
    closures: tuple[str, ...] = ()
    mandatory: bool = True
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    decimals: int = 0
    expected: dict[str, tuple[float, float]] = field(default_factory=dict, hash=False)
    choices: tuple[Choice, ...] = ()
    when: tuple[Condition, ...] = ()

    def choice(self, code: str) -> Choice | None:
        return next((one for one in self.choices if one.code == code), None)


@dataclass(frozen=True)
class Matrix:
    edition: str
    name: str
    questions: tuple[Question, ...]

    def find(self, code: str) -> Question | None:
        return next((one for one in self.questions if one.code == code), None)


class BrokenMatrix(ImproperlyConfigured):
    """The file breaks a rule; the message names file, line, question and rule."""


@cache
def load(path: str) -> Matrix:
    """Read and check a matrix file. Raises BrokenMatrix."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as problem:
        raise BrokenMatrix(f"QUESTION_MATRIX: cannot read {path}: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise BrokenMatrix(f"QUESTION_MATRIX: {path} is not UTF-8 at byte {problem.start}") from problem
    return read(text, name=path)


def read(text: str, *, name: str) -> Matrix:
    """A matrix from the text of a file; `name` is used in refusals. Raises BrokenMatrix."""
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as problem:
        raise BrokenMatrix(f"{name}, line {problem.lineno}: not JSON: {problem.msg}") from problem
    for rule, holds in _file_rules(whole):
        if not holds:
            raise BrokenMatrix(f"{name}, line 1: {rule}")
    questions: dict[str, Question] = {}
    for line, row in _rows(text):
        for rule, holds in _rules(row, questions):
            if not holds:
                code = row.get("code", "?") if isinstance(row, dict) else "?"
                raise BrokenMatrix(f"{name}, line {line}: question {code}: {rule}")
        questions[row["code"]] = _question(row)
    return Matrix(whole["edition"], whole["name"], tuple(questions.values()))


def _file_rules(whole: Any) -> list[tuple[str, bool]]:
    if not isinstance(whole, dict):
        return [("the file is an object with `edition`, `name` and `questions`", False)]
    edition, questions = whole.get("edition"), whole.get("questions")
    return [
        (
            f"`edition` is a text of at most {MOST_EDITION_LETTERS} letters",
            _is_text(edition) and len(str(edition)) <= MOST_EDITION_LETTERS,
        ),
        ("`name` is a text", _is_text(whole.get("name"))),
        ("`questions` is a list with at least one question", isinstance(questions, list) and bool(questions)),
    ]


def _rows(text: str) -> Iterator[tuple[int, Any]]:
    """Each question with the line on which it begins; the text is known to be JSON."""
    decoder = json.JSONDecoder(object_pairs_hook=_each_once)
    at = _value_of("questions", text)
    while text[at] != "]":
        at = _skip(text, at + 1)
        row, end = decoder.raw_decode(text, at)
        yield text.count("\n", 0, at) + 1, row
        at = _skip(text, end)


def _value_of(member: str, text: str) -> int:
    """Where the value of a member of the outermost object begins; of two, the last, as JSON readers take it."""
    decoder, found = json.JSONDecoder(), 0
    at = _skip(text, 0)
    while text[at] != "}":
        key, at = decoder.raw_decode(text, _skip(text, at + 1))
        start = _skip(text, _skip(text, at) + 1)
        found = start if key == member else found
        at = _skip(text, decoder.raw_decode(text, start)[1])
    return found


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A member given twice is a slip of the pen; JSON readers would take the last without a word."""
    row = dict(pairs)
    names = [name for name, _ in pairs]
    twice = {name: None for name in names if names.count(name) > 1}
    return {**row, **{f"{name} (given twice)": None for name in twice}}


def _rules(row: Any, earlier: dict[str, Question]) -> Iterator[tuple[str, bool]]:
    """Each rule as a sentence, and whether the row keeps it; a later rule may lean on those before it."""
    yield "a question is an object", isinstance(row, dict)
    code = row.get("code")
    is_code = isinstance(code, str) and bool(CODE.fullmatch(code))
    yield "a code is 2 to 20 capital letters, digits and underscores", is_code
    unknown = sorted(set(row) - KNOWN_MEMBERS)
    yield f"unknown member {', '.join(unknown)}", not unknown
    yield "this code is used twice", code not in earlier
    yield "`text` must be a text", _is_text(row.get("text"))
    yield "`hint` must be a text", isinstance(row.get("hint", ""), str)
    yield f"`kind` must be one of {', '.join(KINDS)}", row.get("kind") in KINDS
    yield f"`stage` must be one of {', '.join(STAGES)}", row.get("stage") in STAGES
    yield (
        f"`job_types` must name some of {', '.join(JobType)}",
        _some_of(row.get("job_types"), set(JobType)),
    )
    yield "`mandatory` must be true or false", isinstance(row.get("mandatory", True), bool)
    yield from _kind_rules(row)
    yield from _condition_rules(row, earlier)


def _kind_rules(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    numeric, closing = row["kind"] == "number", row["stage"] == "closing"
    yield "a number needs `unit`, `minimum` and `maximum`", not numeric or _has_range(row)
    yield "`minimum` must lie below `maximum`", not numeric or row["minimum"] < row["maximum"]
    odd = sorted(NUMBERS_OWN & {*row})
    yield f"{', '.join(odd)}: for the kind number only", numeric or not odd
    yield f"`decimals` is a whole number from 0 to {MOST_DECIMALS}", _is_decimals(row.get("decimals", 0))
    yield "`expected` holds [lowest, highest] pairs of numbers", _expected_is_sound(row.get("expected", {}))
    yield (
        "a choice needs two or more `choices`, each with its own code and a text",
        (_has_choices(row) if row["kind"] == "choice" else "choices" not in row),
    )
    yield (
        "`closures` must name known codes, for the closing stage only",
        (_some_of(row.get("closures"), set(all_codes())) if closing else "closures" not in row),
    )


def _condition_rules(row: dict[str, Any], earlier: dict[str, Question]) -> Iterator[tuple[str, bool]]:
    conditions = row.get("when", [])
    sound = isinstance(conditions, list) and all(_is_condition(one) for one in conditions)
    yield "`when` is a list of {question, equals | in | not_equals}", sound
    unknown = [one["question"] for one in conditions if one["question"] not in earlier]
    yield f"a condition names {', '.join(unknown)}, which is unknown or comes later", not unknown
    odd = [one["question"] for one in conditions if not _answerable(one, earlier)]
    yield f"a condition expects an answer that {', '.join(odd)} cannot have", not odd


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _some_of(values: Any, known: set[Any]) -> bool:
    return isinstance(values, list) and bool(values) and {*map(str, values)} <= {*map(str, known)}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_decimals(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_DECIMALS


def _has_range(row: dict[str, Any]) -> bool:
    return _is_text(row.get("unit")) and _is_number(row.get("minimum")) and _is_number(row.get("maximum"))


def _expected_is_sound(expected: Any) -> bool:
    return isinstance(expected, dict) and all(_is_window(pair) for pair in expected.values())


def _is_window(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair)) and pair[0] < pair[1]


def _has_choices(row: dict[str, Any]) -> bool:
    choices = row.get("choices")
    if not isinstance(choices, list) or not all(_is_choice(one) for one in choices):
        return False
    return len({one["code"] for one in choices}) == len(choices) >= 2


def _is_choice(one: Any) -> bool:
    return isinstance(one, dict) and {*one} == {"code", "text"} and all(map(_is_text, one.values()))


def _is_condition(one: Any) -> bool:
    if not isinstance(one, dict) or not isinstance(one.get("question"), str) or len(one) != 2:
        return False
    values = one.get("in", [one.get("equals", one.get("not_equals"))])
    return isinstance(values, list) and bool(values) and all(isinstance(value, str) for value in values)


def _answerable(one: dict[str, Any], earlier: dict[str, Question]) -> bool:
    question = earlier[one["question"]]
    possible = {"yes", "no"} if question.kind == "yes_no" else {choice.code for choice in question.choices}
    return {*_condition(one).values} <= possible


def _condition(one: dict[str, Any]) -> Condition:
    values = one.get("in", [one.get("equals", one.get("not_equals"))])
    return Condition(one["question"], tuple(values), negated="not_equals" in one)


def _question(row: dict[str, Any]) -> Question:
    plain = {name: row[name] for name in KNOWN_MEMBERS & {*row} - {"choices", "when", "expected"}}
    return Question(
        **{**plain, "job_types": tuple(row["job_types"]), "closures": tuple(row.get("closures", []))},
        choices=tuple(Choice(one["code"], one["text"]) for one in row.get("choices", [])),
        when=tuple(_condition(one) for one in row.get("when", [])),
        expected={network: (pair[0], pair[1]) for network, pair in row.get("expected", {}).items()},
    )
