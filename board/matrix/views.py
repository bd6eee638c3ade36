"""The question matrix: its editions, and a new one from a file: choose it, look at it, import it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from board import formatting
from board.base_context import render_page
from board.matrix import matrix_presenter
from board.matrix.matrix_presenter import MAX_CONTENT_CHARACTERS, EditionPreview, ImportEditionForm
from board.spreadsheets import XLSX_TYPE, download, read_upload
from closures.question_matrix import matrix_editions, matrix_sheet, sheet_files
from closures.question_matrix.matrix import BrokenMatrix
from closures.question_matrix.matrix_editions import EditionRefused
from closures.safe_csv import UnreadableSheet, write_csv
from engineers.models import Right
from engineers.permissions import for_right, refusing_limited, user_of
from engineers.throttling import RateLimit, rate_limited, slow_request

SECTION = "matrix"


@for_right(Right.CHANGE_RULES)
@require_GET
def matrix_editions_list(request: HttpRequest) -> HttpResponse:
    return render_page(
        request, "board/matrix/editions.html", matrix_presenter.editions_page(), section=SECTION
    )


@for_right(Right.CHANGE_RULES)
@refusing_limited
@require_POST
@rate_limited(RateLimit("matrix_import", 20))
@slow_request
def preview_edition(request: HttpRequest) -> HttpResponse:
    """Show what a file would change, or what is wrong with each row. Nothing is stored."""
    missing = _("Choose a CSV or XLSX file.")
    try:
        raw = read_upload(request, max_bytes=sheet_files.MAX_BYTES, missing=missing)
        sheet = matrix_sheet.read_matrix(sheet_files.read_sheet(raw))
    except UnreadableSheet as problem:
        return _unreadable(request, str(problem))
    if sheet.problems:
        return _preview(request, matrix_presenter.broken_page(sheet.problems), status=400)
    if len(sheet.content) > MAX_CONTENT_CHARACTERS:
        return _unreadable(request, _("This matrix is too large."))
    confirmation = ImportEditionForm(initial={"content": sheet.content})
    try:
        return _preview(request, matrix_presenter.preview_page(sheet.content, form=confirmation))
    except BrokenMatrix:
        return _unreadable(request, _("The file has characters that can't be stored."))


@for_right(Right.CHANGE_RULES)
@refusing_limited
@require_POST
@rate_limited(RateLimit("matrix_import", 20))
def import_edition(request: HttpRequest) -> HttpResponse:
    """Store the edition as the preview showed it, next to the editions `seen` there."""
    form = ImportEditionForm(request.POST)
    content = form.data.get("content", "")
    try:
        if not form.is_valid():
            page = matrix_presenter.preview_page(content, form=form, problem=_("Enter a date and a time."))
            return _preview(request, page, status=400)
        stored = matrix_editions.import_edition(
            content=content,
            starts_at=form.cleaned_data["starts_at"],
            seen=request.POST.getlist("seen"),
            by=user_of(request),
        )
    except EditionRefused as refusal:
        problem = " ".join(problem.message for problem in refusal.problems)
        page = matrix_presenter.preview_page(content, form=form, problem=problem)
        return _preview(request, page, status=409)
    except BrokenMatrix:
        return _unreadable(request, _("The content of the page was changed. Choose the file again."))
    parameters = {"edition": stored.edition, "moment": formatting.format_exact_moment(stored.starts_at)}
    messages.success(request, _("Edition %(edition)s imported. It starts on %(moment)s.") % parameters)
    return redirect("board:matrix")


@for_right(Right.CHANGE_RULES)
@require_GET
def download_matrix_csv(request: HttpRequest) -> HttpResponse:
    """The edition that is asked for; without a name the current one, which is the template of the next."""
    return download(write_csv(_sheet_rows(request)), name="question-matrix.csv")


@for_right(Right.CHANGE_RULES)
@require_GET
def download_matrix_xlsx(request: HttpRequest) -> HttpResponse:
    content = sheet_files.write_xlsx(_sheet_rows(request), title="Matrix")
    return download(content, name="question-matrix.xlsx", content_type=XLSX_TYPE)


def _sheet_rows(request: HttpRequest) -> list[sheet_files.Row]:
    edition = request.GET.get("edition", "")
    content = matrix_editions.content_of(edition) if edition else matrix_editions.current_content()
    if edition not in {"", content["edition"]}:
        raise Http404
    return matrix_sheet.write_rows(content)


def _preview(request: HttpRequest, page: EditionPreview, status: int = 200) -> HttpResponse:
    return render_page(request, "board/matrix/preview.html", page, section=SECTION, status=status)


def _unreadable(request: HttpRequest, problem: str) -> HttpResponse:
    page = matrix_presenter.editions_page(problem=problem)
    return render_page(request, "board/matrix/editions.html", page, section=SECTION, status=400)
