"""Importing engineers: choose a file, look at the plan, confirm. Nothing is written before that."""

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from board.base_context import render_page
from board.people import engineer_import
from board.people.csv_files import MAX_BYTES, decode
from board.people.engineer_import import ImportPlan, ImportRefused, ImportRow
from board.people.views import SECTION
from board.spreadsheets import download, read_upload
from closures.safe_csv import UnreadableSheet
from engineers.models import Right
from engineers.permissions import for_right, refuse_limited, user_of
from engineers.throttling import RateLimit, rate_limited, slow_request


class ConfirmImportForm(forms.Form):
    """The text of the file as it was shown, and the digest of the plan."""

    content = forms.CharField(max_length=MAX_BYTES, strip=False)
    digest = forms.CharField(max_length=64)


@dataclass(frozen=True)
class ImportPage:
    """`plan` is None before a file was read; `problem` says why the file as a whole could not be."""

    plan: ImportPlan | None = None
    content: str = ""
    problem: str = ""

    @property
    def rows(self) -> list[ImportRow]:
        """Those with errors first, then those that change something."""
        order = ("wrong", "changed", "new", "unchanged")
        rows = self.plan.rows if self.plan else []
        return sorted(rows, key=lambda row: (order.index(row.kind), row.line))

    @property
    def counts(self) -> dict[str, int]:
        kinds = ("wrong", "changed", "new", "unchanged")
        return {kind: self.plan.number_of(kind) if self.plan else 0 for kind in kinds}


@for_right(Right.CHANGE_PEOPLE)
@require_http_methods(["GET", "POST"])
@rate_limited(RateLimit("engineer_import", 20))
@slow_request
def import_engineers(request: HttpRequest) -> HttpResponse:
    """POST with `file` shows the plan; with `content` and `digest` it is carried out. A file may name any engineer."""
    refuse_limited()
    if request.method != "POST":
        return _show(request, ImportPage())
    if "digest" in request.POST:
        return _confirm(request)
    try:
        content = decode(read_upload(request, max_bytes=MAX_BYTES, missing=_("Choose a CSV file.")))
        plan = engineer_import.plan_import(content)
    except UnreadableSheet as problem:
        return _show(request, ImportPage(problem=str(problem)), status=400)
    return _show(request, ImportPage(plan, content))


def _confirm(request: HttpRequest) -> HttpResponse:
    form = ConfirmImportForm(request.POST)
    if not form.is_valid():
        return _show(request, ImportPage(problem=_("Choose a CSV file.")), status=400)
    content = form.cleaned_data["content"]
    try:
        plan = engineer_import.plan_import(content)
    except UnreadableSheet as problem:
        return _show(request, ImportPage(problem=str(problem)), status=400)
    changed = _("Engineers have changed since you looked at this plan. Nothing was imported. Check it again.")
    if plan.digest != form.cleaned_data["digest"]:
        return _show(request, ImportPage(plan, content, changed), status=409)
    if not plan.can_apply:
        return _show(request, ImportPage(plan, content), status=400)
    try:
        engineer_import.apply_import(plan, by=user_of(request))
    except ImportRefused:
        return _show(request, ImportPage(engineer_import.plan_import(content), content, changed), status=409)
    _tell(request, plan)
    return redirect("board:people")


def _tell(request: HttpRequest, plan: ImportPlan) -> None:
    added, changed = plan.number_of("new"), plan.number_of("changed")
    if added:
        text = ngettext(
            "%(number)d engineer was added. Create a sign-in link on the engineer's page.",
            "%(number)d engineers were added. Create sign-in links on their pages.",
            added,
        )
        messages.success(request, text % {"number": added})
    if changed:
        text = ngettext("%(number)d engineer was changed.", "%(number)d engineers were changed.", changed)
        messages.success(request, text % {"number": changed})


@for_right(Right.CHANGE_PEOPLE)
@require_GET
def import_template(_request: HttpRequest) -> HttpResponse:
    return download(engineer_import.template_csv(), name="engineers-template.csv")


@for_right(Right.CHANGE_PEOPLE)
@require_GET
@rate_limited(RateLimit("engineer_export", 20))
def export_engineers(_request: HttpRequest) -> HttpResponse:
    return download(engineer_import.export_csv(), name="engineers.csv")


def _show(request: HttpRequest, page: ImportPage, status: int = 200) -> HttpResponse:
    return render_page(request, "board/people/import.html", page, section=SECTION, status=status)
