"""The question matrix as the seller handed it out: each edition a file in data/matrices (job-messages.md, closeJob).

A message does not name its edition, so answers are compared with every edition and the best fit decides.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

PICTURES = {"photo", "signature"}
CLOSING = "closing"
YES_NO = ("Yes", "No")


@dataclass(frozen=True)
class Condition:
    """Asked only when that earlier question has one of these answers, or with `negated` none of them."""

    question: str
    values: tuple[str, ...]
    negated: bool


@dataclass(frozen=True)
class Question:
    """`choices` maps the text of a choice to the code that conditions name."""

    code: str
    text: str
    kind: str
    stage: str
    job_types: tuple[str, ...]
    closures: tuple[str, ...]
    is_mandatory: bool
    choices: Mapping[str, str]
    conditions: tuple[Condition, ...]
    minimum: float | None
    maximum: float | None
    decimals: int

    @property
    def is_picture(self) -> bool:
        return self.kind in PICTURES


Matrix = Mapping[str, Question]


def editions() -> list[Matrix]:
    """Every edition that a partner may still use."""
    return [_load(path) for path in sorted(settings.MATRIX_FOLDER.glob("*.json"))]


@cache
def _load(path: Path) -> Matrix:
    rows = json.loads(path.read_text(encoding="utf-8"))["questions"]
    return {row["code"]: _question(row) for row in rows}


def _question(row: dict[str, Any]) -> Question:
    yes_no = {text: text.lower() for text in YES_NO} if row["kind"] == "yes_no" else {}
    return Question(
        code=row["code"],
        text=row["text"],
        kind=row["kind"],
        stage=row["stage"],
        job_types=tuple(row["job_types"]),
        closures=tuple(row.get("closures", [])),
        is_mandatory=row.get("mandatory", True),
        choices=yes_no or {choice["text"]: choice["code"] for choice in row.get("choices", [])},
        conditions=tuple(_condition(condition) for condition in row.get("when", [])),
        minimum=row.get("minimum"),
        maximum=row.get("maximum"),
        decimals=row.get("decimals", 0),
    )


def _condition(row: dict[str, Any]) -> Condition:
    negated = "not_equals" in row
    values = row["in"] if "in" in row else [row["not_equals" if negated else "equals"]]
    return Condition(row["question"], tuple(values), negated)


def required(
    matrix: Matrix, *, job_type: str, closure_code: str, stages: set[str], answers: Mapping[str, str]
) -> list[Question]:
    """The mandatory questions of these stages that the given answers (text by code) lead to."""
    asked: dict[str, Question] = {}
    for question in matrix.values():
        fits = job_type in question.job_types and (
            question.stage != CLOSING or closure_code in question.closures
        )
        if fits and all(_holds(condition, asked, answers) for condition in question.conditions):
            asked[question.code] = question
    return [question for question in asked.values() if question.is_mandatory and question.stage in stages]


def _holds(condition: Condition, asked: Mapping[str, Question], answers: Mapping[str, str]) -> bool:
    if condition.question not in asked or condition.question not in answers:
        return False
    text = answers[condition.question]
    value = asked[condition.question].choices.get(text, text)
    return (value in condition.values) != condition.negated
