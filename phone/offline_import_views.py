"""The office page that imports a phone's offline export."""

from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board.base_context import render_page
from engineers.models import Right, User
from engineers.permissions import for_right, user_of
from engineers.throttling import RateLimit, rate_limited, slow_request
from phone import offline_import
from phone.offline_import import ImportedEntry, OfflineExport, UnreadableExport

# two hundred photos; deploy/nginx/people.conf lets as much through
MOST_BYTES = 100 * 2**20


class OfflineImportForm(forms.Form):
    file = forms.FileField(label=gettext_lazy("Offline export from the phone (.json)"))
    reason = forms.CharField(
        label=gettext_lazy("Reason (only for unsigned files)"), required=False, max_length=200
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(_("This file is larger than 100 MiB."))
        return file


@dataclass(frozen=True)
class OfflineImportPage:
    """`file` is None before one was read; `is_preview`: nothing of it was applied."""

    form: OfflineImportForm
    file: OfflineExport | None = None
    lines: list[ImportedEntry] = field(default_factory=list)
    is_preview: bool = False

    @property
    def refused(self) -> int:
        return sum(line.tone == "alarm" for line in self.lines)

    @property
    def is_all_known(self) -> bool:
        return bool(self.lines) and all(line.tone == "calm" for line in self.lines)


@for_right(Right.IMPORT_PHONE_DATA)
@rate_limited(RateLimit("offline_import", 20))
@slow_request
def offline_import_page(request: HttpRequest) -> HttpResponse:
    """POST with `file` applies it and says line by line what became of each.

    What the engineer's phone has not signed is applied for a supervisor only, who has seen it and gives a reason.
    """
    if request.method != "POST":
        return _show(request, OfflineImportPage(OfflineImportForm()))
    form = OfflineImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _show(request, OfflineImportPage(form), status=400)
    try:
        file = offline_import.read_export(form.cleaned_data["file"].read())
    except UnreadableExport as unreadable:
        form.add_error("file", str(unreadable))
        return _show(request, OfflineImportPage(form), status=400)
    reason = form.cleaned_data["reason"].strip()
    objection = _objection(file, user_of(request), reason)
    if objection:
        form.add_error("file", objection)
        return _show(
            request,
            OfflineImportPage(form, file, offline_import.preview_export(file), is_preview=True),
            status=400,
        )
    lines = offline_import.import_export(file=file, by=user_of(request), reason=reason)
    return _show(request, OfflineImportPage(OfflineImportForm(), file, lines))


def _objection(file: OfflineExport, user: User, reason: str) -> str:
    if file.is_signed:
        return ""
    if not user.may(Right.IMPORT_UNSIGNED):
        return _(
            "This file has no valid signature of the engineer's phone, so its origin can't be verified. It may be "
            "older than the last “Sign out everywhere” or change of password. Sign in on the phone and save the "
            "file again, or ask a supervisor to import it."
        )
    text = _(
        "This file has no valid signature of the engineer's phone, so its origin can't be verified. It may be "
        "older than the last “Sign out everywhere” or change of password. "
        "Check the entries below with the engineer. Then choose the file again and enter a "
        "reason."
    )
    return "" if reason else text


def _show(request: HttpRequest, page: OfflineImportPage, status: int = 200) -> HttpResponse:
    return render_page(request, "phone/offline_import.html", page, section="messages", status=status)
