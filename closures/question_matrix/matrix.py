"""The question matrix: a file with an edition, loaded once and refused with the line and the rule when broken.

The operator's own matrix is handed over under contract (installation-jobs.md: "not shown"), so we ship
one that is clearly named a sample. A new edition is a new file or an import (matrix_editions); a job keeps the one it
began with.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from closures.question_matrix import matrix_validation

Kind = matrix_validation.Kind
STAGES = matrix_validation.STAGES
# the files that we ship
DATA = Path(__file__).resolve().parent.parent / "data"
# answered with the ids of pictures
PICTURE_KINDS = ("photo", "signature")
LONG_EDGE_PIXELS = 1600
JPEG_QUALITY = 0.8
# as json.dumps writes them: no database takes NUL, and no spreadsheet the other control characters
UNSTORABLE = re.compile(r"(?<!\\)(?:\\\\)*\\(?:u00[01]|[bf])|[\ud800-\udfff\ufffe\uffff]")
UNSTORABLE_RULE = "a character that cannot be stored (a control character or half a surrogate pair)"


@dataclass(frozen=True)
class AnswerChoice:
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
    """One question. `expected` are (lowest, highest) by network type: outside is a warning, not a refusal.

    Of a safety question: `unsafe` are the answers that stop the work, and `advice` what to do then.

    `contradicting` are answers that contradict the closure: of the work, a finished job; of the closing stage, each
    code that asks the question.

    Of a photo: how large and how dense it is kept, whether the gallery may give it, whether print must be readable.

    Of a text: `line_check` whether the result of a check of the line answers it.
    """

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
    choices: tuple[AnswerChoice, ...] = ()
    when: tuple[Condition, ...] = ()
    long_edge: int = LONG_EDGE_PIXELS
    quality: float = JPEG_QUALITY
    gallery: bool = False
    label: bool = False
    line_check: bool = False
    unsafe: tuple[str, ...] = ()
    advice: str = ""
    translations: dict[str, dict[str, Any]] = field(default_factory=dict, hash=False)
    contradicting: tuple[str, ...] = ()

    @property
    def is_picture(self) -> bool:
        return self.kind in PICTURE_KINDS

    @property
    def possible(self) -> frozenset[str]:
        """What a condition can name as its answer."""
        return frozenset({"yes", "no"} if self.kind == "yes_no" else (choice.code for choice in self.choices))

    def choice(self, code: str) -> AnswerChoice | None:
        return next((choice for choice in self.choices if choice.code == code), None)


@dataclass(frozen=True)
class Matrix:
    edition: str
    name: str
    questions: tuple[Question, ...]

    def find(self, code: str) -> Question | None:
        return next((question for question in self.questions if question.code == code), None)


class BrokenMatrix(ImproperlyConfigured):
    """The file breaks a rule; the message names file, line, question and rule."""


@cache
def load_matrix(path: str) -> Matrix:
    """Read and check a matrix file. Raises BrokenMatrix."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as problem:
        raise BrokenMatrix(f"QUESTION_MATRIX: cannot read {path}: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise BrokenMatrix(f"QUESTION_MATRIX: {path} is not UTF-8 at byte {problem.start}") from problem
    return parse_matrix(text, name=path)


def parse_matrix(text: str, *, name: str) -> Matrix:
    """A matrix from the text of a file; `name` is used in refusals. Raises BrokenMatrix."""
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as problem:
        raise BrokenMatrix(f"{name}, line {problem.lineno}: not JSON: {problem.msg}") from problem
    except (ValueError, RecursionError) as problem:
        raise BrokenMatrix(f"{name}, line 1: a number or a nesting is too large") from problem
    for rule, holds in matrix_validation.validate_file(whole):
        if not holds:
            raise BrokenMatrix(f"{name}, line 1: {rule}")
    head = {member: value for member, value in whole.items() if member != "questions"}
    if not _is_storable(head):
        raise BrokenMatrix(f"{name}, line 1: {UNSTORABLE_RULE}")
    questions: dict[str, Question] = {}
    for line, row in _rows(text):
        code = row.get("code", "?") if isinstance(row, dict) else "?"
        if not _is_storable(row):
            raise BrokenMatrix(f"{name}, line {line}: question {code}: {UNSTORABLE_RULE}")
        possible = {code: question.possible for code, question in questions.items()}
        for rule, holds in matrix_validation.question_rules(row, possible):
            if not holds:
                raise BrokenMatrix(f"{name}, line {line}: question {code}: {rule}")
        questions[row["code"]] = _question(row)
    return Matrix(whole["edition"], whole["name"], tuple(questions.values()))


def _is_storable(value: Any) -> bool:
    return not UNSTORABLE.search(json.dumps(value, ensure_ascii=False))


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
    """A member given twice is a slip of the pen; JSON parsers would silently take the last."""
    row = dict(pairs)
    names = [name for name, _ in pairs]
    twice = {name: None for name in names if names.count(name) > 1}
    return {**row, **{f"{name} (given twice)": None for name in twice}}


def _condition(row: dict[str, Any]) -> Condition:
    return Condition(
        row["question"], tuple(matrix_validation.condition_values(row)), negated="not_equals" in row
    )


def _question(row: dict[str, Any]) -> Question:
    plain = {
        name: row[name]
        for name in matrix_validation.KNOWN_MEMBERS
        & {*row} - {"choices", "when", "expected", "unsafe", "contradicting"}
    }
    return Question(
        **{**plain, "job_types": tuple(row["job_types"]), "closures": tuple(row.get("closures", []))},
        choices=tuple(AnswerChoice(choice["code"], choice["text"]) for choice in row.get("choices", [])),
        when=tuple(_condition(condition) for condition in row.get("when", [])),
        unsafe=tuple(row.get("unsafe", [])),
        contradicting=tuple(row.get("contradicting", [])),
        expected={network: (pair[0], pair[1]) for network, pair in row.get("expected", {}).items()},
    )


def configured_matrix() -> Matrix:
    """The matrix of the setting QUESTION_MATRIX: new work begins with it until an imported edition starts. Raises
    BrokenMatrix."""
    return load_matrix(settings.QUESTION_MATRIX)


def matrices_of_files() -> dict[str, Matrix]:
    """Every edition next to the configured one or among those that we ship: an old job must open for ever.

    Raises BrokenMatrix, also when two files claim one edition.
    """
    return _load_editions(settings.QUESTION_MATRIX)


@cache
def _load_editions(current_file: str) -> dict[str, Matrix]:
    folders = {Path(current_file).resolve().parent, DATA}
    found: dict[str, Matrix] = {}
    paths = [path for folder in sorted(folders) for path in sorted(folder.glob("matrix_*.json"))]
    for path in [current_file, *paths]:
        version = load_matrix(str(path))
        if found.setdefault(version.edition, version) != version:
            raise BrokenMatrix(
                f"{path}: edition {version.edition} is another file's; a new edition needs a new name"
            )
    return found
