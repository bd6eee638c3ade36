"""Spreadsheet files between a browser and a page: one that was chosen for an import, and one to download."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header

from closures.safe_csv import UnreadableSheet

CSV_TYPE = "text/csv; charset=utf-8"
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class SpreadsheetForm(forms.Form):
    file = forms.FileField()


def read_upload(request: HttpRequest, *, max_bytes: int, missing: str) -> bytes:
    """The chosen file, one byte longer than `max_bytes` at most, so that its reader knows that it is too large.

    Raises UnreadableSheet with the sentence `missing` where no file came, or an empty one.
    """
    form = SpreadsheetForm(request.POST, request.FILES)
    if not form.is_valid():
        raise UnreadableSheet(missing)
    content: bytes = form.cleaned_data["file"].read(max_bytes + 1)
    return content


def download(content: bytes, *, name: str, content_type: str = CSV_TYPE) -> HttpResponse:
    """To save under this name; no browser keeps a copy of its own."""
    headers = {
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or "",
        "Cache-Control": "no-store",
    }
    return HttpResponse(content, content_type=content_type, headers=headers)
