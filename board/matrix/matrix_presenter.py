"""What the pages of the question matrix show: its editions, and a file before it is imported."""

import json
from dataclasses import dataclass, field

from django.utils import timezone

from board import formatting
from board.matrix.flow_picture import FlowPicture, draw_flows
from board.matrix.forms import ImportEditionForm
from closures import matrix_editions
from closures.edition_differences import EditionDifferences, compare_editions
from closures.matrix import Matrix, configured_matrix, parse_matrix
from closures.matrix_sheet import SheetProblem
from closures.models import MatrixEdition
from closures.translations import readers_language, translated_matrix


@dataclass(frozen=True)
class EditionLine:
    """`starts` and `imported_by` are empty for the edition of the installation's file."""

    edition: str
    name: str
    starts: str
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
class EditionPreview:
    """A file that was read. `form` is None where a row breaks a rule."""

    current: str
    rows: list[SheetProblem] = field(default_factory=list)
    edition: str = ""
    name: str = ""
    form: ImportEditionForm | None = None
    differences: EditionDifferences | None = None
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
            row.imported_by.display_name if row.imported_by else "",
            is_current=row.edition == current.edition,
            is_to_come=row.starts_at > now,
        )
        for row in stored
    ]
    file = configured_matrix()
    if file.edition not in {line.edition for line in lines}:
        is_current = file.edition == current.edition
        lines.append(EditionLine(file.edition, file.name, "", "", is_current=is_current, is_to_come=False))
    return EditionsPage(lines, current.edition, _pictures(current), problem)


def broken_page(problems: list[SheetProblem]) -> EditionPreview:
    return EditionPreview(matrix_editions.current_matrix().edition, problems)


def preview_page(content: str, *, form: ImportEditionForm, problem: str = "") -> EditionPreview:
    """Of the text of a matrix file that keeps every rule. Raises BrokenMatrix."""
    matrix = parse_matrix(content, name="import")
    before = matrix_editions.current_content()
    return EditionPreview(
        current=before["edition"],
        edition=matrix.edition,
        name=matrix.name,
        form=form,
        differences=compare_editions(before, json.loads(content)),
        pictures=_pictures(matrix),
        problem=problem,
    )


def _pictures(matrix: Matrix) -> list[FlowPicture]:
    return draw_flows(translated_matrix(matrix, readers_language()))
