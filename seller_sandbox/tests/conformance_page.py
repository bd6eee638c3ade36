"""Pages that say which test shows which words of an interface document: docs/conformance-*.md.

Each page has a copy of the document's rows with their tests, a JSON file: the documents are not on every machine.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parents[1]
DOCS = ROOT / "docs"
DOCUMENTS = ROOT.parent / "shared" / "interfaces"


@dataclass(frozen=True)
class DocumentRow:
    """One table row, numbered rule, list item or sentence as the document writes it; without a test a note says why."""

    section: str
    heading: str
    row: str
    tests: tuple[str, ...]
    note: str = ""

    @property
    def cells(self) -> list[str]:
        return [cell.strip() for cell in self.row.strip("|").split("|")]

    @property
    def text(self) -> str:
        """Without what makes it a row, a rule or an item."""
        return re.sub(r"^(\d+\. |- |Rule: )", "", self.row)


@dataclass(frozen=True)
class ConformancePage:
    """A page, its copy of the document, and what stands above its tables.

    A test is named `file::function` or `file::Class::function`; files of the application begin with tests/, all
    others are of seller_sandbox/tests.
    """

    path: Path
    copy: Path
    head: str

    @property
    def rows(self) -> tuple[DocumentRow, ...]:
        return _read(self.copy)

    def rows_of(self, section: str, heading: str = "") -> list[DocumentRow]:
        """The rows under a heading that begins with this text."""
        found = [row for row in self.rows if row.section.startswith(section)]
        return [row for row in found if row.heading.startswith(heading) and (heading or not row.heading)]

    def text(self) -> str:
        return self.head + "\n".join(self._sections()) + "\n"

    def unknown_tests(self) -> list[str]:
        """Named tests that are not there."""
        named = sorted({name for row in self.rows for name in row.tests})
        return [name for name in named if name.partition("::")[2] not in _functions(name.partition("::")[0])]

    def _sections(self) -> Iterator[str]:
        for (section, heading), rows in groupby(self.rows, key=lambda row: (row.section, row.heading)):
            yield f"\n## {section}{f': {heading}' if heading and heading != section else ''}\n"
            yield "| the document's words | shown by |\n|---|---|"
            yield from (_line(row) for row in rows)


def _line(row: DocumentRow) -> str:
    texts = " / ".join(row.cells) if row.row.startswith("|") else row.text.replace("|", "\\|")
    note = [f"{row.note}."] if row.note else []
    return f"| {texts} | {' '.join([*note, ', '.join(f'`{name}`' for name in row.tests)]).strip()} |"


@cache
def _read(copy: Path) -> tuple[DocumentRow, ...]:
    return tuple(
        DocumentRow(**{**entry, "tests": tuple(entry["tests"])}) for entry in json.loads(copy.read_text())
    )


@cache
def _functions(path: str) -> frozenset[str]:
    file = (ROOT if path.startswith("tests/") else TESTS) / path
    return frozenset(_names(ast.parse(file.read_text()))) if file.is_file() else frozenset()


def _names(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            yield from (
                f"{node.name}::{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)
            )
