"""What the pages of the question matrix show: its editions, and a file before it is imported, with what it changes in
the cells of its sheet.
"""

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy

from board import formatting
from board.form_inputs import MOMENT_INPUT, MomentField
from board.matrix.flow_picture import FlowPicture, draw_flows
from board.spreadsheets import CellChange
from closures.models import MatrixEdition
from closures.question_matrix import matrix_editions
from closures.question_matrix.matrix import Matrix, configured_matrix, parse_matrix
from closures.question_matrix.matrix_editions import StoredEdition
from closures.question_matrix.matrix_sheet import SheetProblem, question_cells
from closures.question_matrix.translations import readers_language, translated_matrix

# as a form field; the whole request has a limit of its own
MAX_CONTENT_CHARACTERS = 1_500_000


@dataclass(frozen=True)
class QuestionChange:
    """`cells` by the names of their columns."""

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


class ImportEditionForm(forms.Form):
    """`content` is the text of a matrix file; it is checked again like any other."""

    content = forms.CharField(max_length=MAX_CONTENT_CHARACTERS, strip=False, widget=forms.HiddenInput)
    starts_at = MomentField(
        label=gettext_lazy("Starts at"),
        required=False,
        help_text=gettext_lazy("Empty: as soon as you import it."),
        widget=MOMENT_INPUT,
    )


@dataclass(frozen=True)
class EditionLine:
    """`starts`, `imported_at` and `imported_by` are empty for the edition of the installation's file."""

    edition: str
    name: str
    starts: str
    imported_at: str
    imported_by: str
    is_current: bool
    is_to_come: bool


@dataclass(frozen=True)
class EditionsPage:
    lines: list[EditionLine]
    current: str
    pictures: list[FlowPicture]
    problem: str = ""


@dataclass(frozen=True)
class LaterEdition:
    """One that starts after the file and replaces it: `differences` are what it changes then."""

    edition: str
    starts: str
    differences: EditionDifferences


@dataclass(frozen=True)
class EditionPreview:
    """A file that was read. `form` is None where a row breaks a rule. `differences` are those to the edition that it
    replaces; `seen` goes back with the form."""

    rows: list[SheetProblem] = field(default_factory=list)
    edition: str = ""
    name: str = ""
    form: ImportEditionForm | None = None
    replaced: str = ""
    differences: EditionDifferences | None = None
    later: list[LaterEdition] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    pictures: list[FlowPicture] = field(default_factory=list)
    problem: str = ""

    @property
    def has_error(self) -> bool:
        return bool(self.problem or self.rows)


def editions_page(*, problem: str = "") -> EditionsPage:
    """All editions, those that started last on top, with the flow of the current one."""
    current, now = matrix_editions.current_matrix(), timezone.now()
    stored = MatrixEdition.objects.select_related("imported_by").defer("content")
    lines = [
        EditionLine(
            row.edition,
            row.name,
            formatting.format_exact_moment(row.starts_at),
            formatting.format_exact_moment(row.imported_at),
            row.imported_by.display_name if row.imported_by else "",
            is_current=row.edition == current.edition,
            is_to_come=row.starts_at > now,
        )
        for row in stored
    ]
    file = configured_matrix()
    if file.edition not in {line.edition for line in lines}:
        is_current = file.edition == current.edition
        lines.append(
            EditionLine(file.edition, file.name, "", "", "", is_current=is_current, is_to_come=False)
        )
    return EditionsPage(lines, current.edition, _pictures(current), problem)


def broken_page(problems: list[SheetProblem]) -> EditionPreview:
    return EditionPreview(problems)


def preview_page(content: str, *, form: ImportEditionForm, problem: str = "") -> EditionPreview:
    """Of the text of a matrix file that keeps every rule. Raises BrokenMatrix."""
    matrix = parse_matrix(content, name="import")
    adjacent, whole = matrix_editions.adjacent_editions(_start(form)), json.loads(content)
    return EditionPreview(
        edition=matrix.edition,
        name=matrix.name,
        form=form,
        replaced=adjacent.replaced,
        differences=compare_editions(matrix_editions.content_of(adjacent.replaced), whole),
        later=[_later(stored, whole) for stored in adjacent.later],
        seen=adjacent.names,
        pictures=_pictures(matrix),
        problem=problem,
    )


def _start(form: ImportEditionForm) -> datetime:
    """As entered; now where none was, or none that can be."""
    entered = form.cleaned_data.get("starts_at") if form.is_bound and form.is_valid() else None
    return max(entered or timezone.now(), timezone.now())


def _later(stored: StoredEdition, whole: dict[str, Any]) -> LaterEdition:
    differences = compare_editions(whole, matrix_editions.content_of(stored.edition))
    return LaterEdition(stored.edition, formatting.format_exact_moment(stored.starts_at), differences)


def _pictures(matrix: Matrix) -> list[FlowPicture]:
    return draw_flows(translated_matrix(matrix, readers_language()))
