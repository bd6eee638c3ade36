"""Importing areas: choose a file, look at the plan, confirm. Nothing is written before that."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from board.base_context import render_page
from board.people import area_import
from board.people.area_import import AreaImportPlan, AreaImportRow
from board.people.csv_files import MAX_BYTES, decode
from board.people.import_views import ConfirmImportForm
from board.people.views import SECTION
from board.spreadsheets import download, read_upload
from closures.safe_csv import UnreadableSheet
from engineers.area_records import AreaChanged, PostcodesTaken
from engineers.models import Right
from engineers.permissions import for_right, user_of
from engineers.throttling import RateLimit, rate_limited


@dataclass(frozen=True)
class AreaImportPage:
    """`plan` is None before a file was read; `problem` says why the file as a whole could not be."""

    plan: AreaImportPlan | None = None
    content: str = ""
    problem: str = ""

    @property
    def rows(self) -> list[AreaImportRow]:
        """Those with errors first, then those that change something."""
        order = ("wrong", "changed", "new", "unchanged")
        rows = self.plan.rows if self.plan else []
        return sorted(rows, key=lambda row: (order.index(row.kind), row.line))


@for_right(Right.CHANGE_PEOPLE)
@require_http_methods(["GET", "POST"])
@rate_limited(RateLimit("area_import", 20))
def import_areas(request: HttpRequest) -> HttpResponse:
    """POST with `file` shows the plan; with `content` and `digest` it is carried out."""
    if request.method != "POST":
        return _show(request, AreaImportPage())
    if "digest" in request.POST:
        return _confirm(request)
    try:
        content = decode(read_upload(request, max_bytes=MAX_BYTES, missing=_("Choose a CSV file.")))
        plan = area_import.plan_area_import(content)
    except UnreadableSheet as problem:
        return _show(request, AreaImportPage(problem=str(problem)), status=400)
    return _show(request, AreaImportPage(plan, content))


def _confirm(request: HttpRequest) -> HttpResponse:
    form = ConfirmImportForm(request.POST)
    if not form.is_valid():
        return _show(request, AreaImportPage(problem=_("Choose a CSV file.")), status=400)
    content = form.cleaned_data["content"]
    try:
        plan = area_import.plan_area_import(content)
    except UnreadableSheet as problem:
        return _show(request, AreaImportPage(problem=str(problem)), status=400)
    changed = _("Areas have changed since you looked at this plan. Nothing was imported. Check it again.")
    if plan.digest != form.cleaned_data["digest"]:
        return _show(request, AreaImportPage(plan, content, changed), status=409)
    if not plan.can_apply:
        return _show(request, AreaImportPage(plan, content), status=400)
    try:
        area_import.apply_area_import(plan, by=user_of(request))
    except (AreaChanged, PostcodesTaken):
        return _show(
            request, AreaImportPage(area_import.plan_area_import(content), content, changed), status=409
        )
    text = _("The areas were imported: %(new)d new, %(changed)d changed.")
    messages.success(request, text % {"new": plan.number_of("new"), "changed": plan.number_of("changed")})
    return redirect("board:areas")


@for_right(Right.CHANGE_PEOPLE)
@require_GET
def area_template(_request: HttpRequest) -> HttpResponse:
    return download(area_import.area_template_csv(), name="areas-template.csv")


@for_right(Right.CHANGE_PEOPLE)
@require_GET
@rate_limited(RateLimit("area_export", 20))
def export_areas(_request: HttpRequest) -> HttpResponse:
    return download(area_import.export_areas_csv(), name="areas.csv")


def _show(request: HttpRequest, page: AreaImportPage, status: int = 200) -> HttpResponse:
    return render_page(request, "board/people/area_import.html", page, section=SECTION, status=status)
