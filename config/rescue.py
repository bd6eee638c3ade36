"""The office reads in a phone's rescue file: a page in the board's frame over what the phone's door knows."""

from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dispatch.board.frame import show
from engineers.phone import rescue
from engineers.phone.rescue import Line, RescueFile, Unreadable
from engineers.roles import for_office, user_of

# two hundred photos; deploy/nginx/people.conf lets as much through
MOST_BYTES = 100 * 2**20


class RescueForm(forms.Form):
    file = forms.FileField(label=gettext_lazy("The rescue file from the phone (.json)"))

    def clean_file(self) -> Any:
        given = self.cleaned_data["file"]
        if given.size > MOST_BYTES:
            raise forms.ValidationError(_("This file is larger than 100 MiB."))
        return given


@dataclass(frozen=True)
class RescuePage:
    """`file` is None before one was read."""

    form: RescueForm
    file: RescueFile | None = None
    lines: list[Line] = field(default_factory=list)

    @property
    def refused(self) -> int:
        return sum(line.tone == "alarm" for line in self.lines)

    @property
    def is_all_known(self) -> bool:
        return bool(self.lines) and all(line.tone == "calm" for line in self.lines)


@for_office
def page(request: HttpRequest) -> HttpResponse:
    """POST with `file` applies it and says line by line what became of each."""
    if request.method != "POST":
        return _show(request, RescuePage(RescueForm()))
    form = RescueForm(request.POST, request.FILES)
    if not form.is_valid():
        return _show(request, RescuePage(form), status=400)
    try:
        file = rescue.read(form.cleaned_data["file"].read())
    except Unreadable as unreadable:
        form.add_error("file", str(unreadable))
        return _show(request, RescuePage(form), status=400)
    lines = rescue.take_in(file=file, by=user_of(request))
    return _show(request, RescuePage(RescueForm(), file, lines))


def _show(request: HttpRequest, page: RescuePage, status: int = 200) -> HttpResponse:
    return show(request, "board/rescue.html", page, section="messages", status=status)
