"""Importing a CSV file: choose it, look at the plan, confirm. Nothing is written before that, and then all or nothing.

What the rows are, how they are saved and which texts are shown comes with a CsvImport (import_views.py).
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from board.base_context import render_page
from board.people.views import SECTION
from board.spreadsheets import MAX_CSV_BYTES, CellChange, decode, read_upload
from closures.safe_csv import UnreadableSheet
from engineers.models import User
from engineers.permissions import user_of

# those with errors first, then those that change something
KINDS = ("wrong", "changed", "new", "unchanged")


class PlannedRow(Protocol):
    """One row of the file and what it would do: `kind` is one of KINDS, `problems` are sentences, `fingerprint` is what
    the plan saw and would save."""

    @property
    def line(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def problems(self) -> list[str]: ...
    @property
    def changes(self) -> list[CellChange]: ...
    @property
    def kind(self) -> str: ...
    @property
    def fingerprint(self) -> object: ...


Row = TypeVar("Row", bound=PlannedRow)


@dataclass(frozen=True)
class CsvPlan(Generic[Row]):
    rows: list[Row]

    @property
    def digest(self) -> str:
        """What the person saw: another plan needs another look."""
        seen = [(row.line, row.fingerprint, row.problems) for row in self.rows]
        return hashlib.sha256(repr(seen).encode()).hexdigest()

    def number_of(self, kind: str) -> int:
        return sum(row.kind == kind for row in self.rows)

    @property
    def can_apply(self) -> bool:
        return not self.number_of("wrong") and bool(self.number_of("new") + self.number_of("changed"))


@dataclass(frozen=True)
class CsvImport(Generic[Row]):
    """`make_plan` (a text, `by`) raises UnreadableSheet; `apply` (a plan, `by`) saves every row or raises one of
    `refusals`, which `refusal` explains; `report` says what was saved, on `next_page`."""

    template: str
    make_plan: Callable[[str, User], CsvPlan[Row]]
    apply: Callable[[CsvPlan[Row], User], None]
    refusals: tuple[type[Exception], ...]
    refusal: Any
    report: Callable[[CsvPlan[Row]], list[str]]
    next_page: str


class ConfirmImportForm(forms.Form):
    """The text of the file as it was shown, and the digest of the plan."""

    content = forms.CharField(max_length=MAX_CSV_BYTES, strip=False)
    digest = forms.CharField(max_length=64)


@dataclass(frozen=True)
class ImportPage(Generic[Row]):
    """`plan` is None before a file was read; `problem` says why the file as a whole could not be."""

    plan: CsvPlan[Row] | None = None
    content: str = ""
    problem: str = ""

    @property
    def rows(self) -> list[Row]:
        rows = self.plan.rows if self.plan else []
        return sorted(rows, key=lambda row: (KINDS.index(row.kind), row.line))

    @property
    def counts(self) -> dict[str, int]:
        return {kind: self.plan.number_of(kind) if self.plan else 0 for kind in KINDS}


def run_import(request: HttpRequest, wanted: CsvImport[Row]) -> HttpResponse:
    """POST with `file` shows the plan; with `content` and `digest` it is carried out."""
    if request.method != "POST":
        return _show(request, wanted, ImportPage())
    if "digest" in request.POST:
        return _confirm(request, wanted)
    try:
        content = decode(read_upload(request, max_bytes=MAX_CSV_BYTES, missing=_("Choose a CSV file.")))
        plan = wanted.make_plan(content, user_of(request))
    except UnreadableSheet as problem:
        return _show(request, wanted, ImportPage(problem=str(problem)), status=400)
    return _show(request, wanted, ImportPage(plan, content))


def _confirm(request: HttpRequest, wanted: CsvImport[Row]) -> HttpResponse:
    form = ConfirmImportForm(request.POST)
    if not form.is_valid():
        return _show(request, wanted, ImportPage(problem=_("Choose a CSV file.")), status=400)
    content = form.cleaned_data["content"]
    try:
        plan = wanted.make_plan(content, user_of(request))
    except UnreadableSheet as problem:
        return _show(request, wanted, ImportPage(problem=str(problem)), status=400)
    if plan.digest != form.cleaned_data["digest"]:
        return _show(request, wanted, ImportPage(plan, content, str(wanted.refusal)), status=409)
    if not plan.can_apply:
        return _show(request, wanted, ImportPage(plan, content), status=400)
    try:
        wanted.apply(plan, user_of(request))
    except wanted.refusals:
        plan = wanted.make_plan(content, user_of(request))
        return _show(request, wanted, ImportPage(plan, content, str(wanted.refusal)), status=409)
    for text in wanted.report(plan):
        messages.success(request, text)
    return redirect(wanted.next_page)


def _show(
    request: HttpRequest, wanted: CsvImport[Row], page: ImportPage[Row], status: int = 200
) -> HttpResponse:
    return render_page(request, wanted.template, page, section=SECTION, status=status)
