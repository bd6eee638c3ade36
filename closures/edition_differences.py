"""What a new edition of the question matrix changes, question by question, in the cells of its sheet. Pure."""

from dataclasses import dataclass
from typing import Any

from closures.matrix_sheet import question_cells


@dataclass(frozen=True)
class CellChange:
    """One cell of a question; empty where it was or becomes empty."""

    column: str
    before: str
    after: str


@dataclass(frozen=True)
class QuestionChange:
    code: str
    text: str
    cells: list[CellChange]


@dataclass(frozen=True)
class EditionDifferences:
    """`added` and `removed` are (code, text) of questions."""

    added: list[tuple[str, str]]
    removed: list[tuple[str, str]]
    changed: list[QuestionChange]
    is_reordered: bool

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.changed or self.is_reordered)


def compare_editions(before: dict[str, Any], after: dict[str, Any]) -> EditionDifferences:
    """Of two contents of matrix files."""
    old = {question["code"]: question for question in before["questions"]}
    new = {question["code"]: question for question in after["questions"]}
    changes = [_change(old[code], question) for code, question in new.items() if code in old]
    return EditionDifferences(
        added=[(code, question["text"]) for code, question in new.items() if code not in old],
        removed=[(code, question["text"]) for code, question in old.items() if code not in new],
        changed=[change for change in changes if change.cells],
        is_reordered=[code for code in old if code in new] != [code for code in new if code in old],
    )


def _change(before: dict[str, Any], after: dict[str, Any]) -> QuestionChange:
    old, new = question_cells(before), question_cells(after)
    columns = [*old, *(column for column in new if column not in old)]
    cells = [
        CellChange(column, str(old.get(column, "")), str(new.get(column, "")))
        for column in columns
        if old.get(column, "") != new.get(column, "")
    ]
    return QuestionChange(after["code"], after["text"], cells)
