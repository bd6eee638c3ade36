"""The seller's record, given as a file, compared with ours."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dispatch.board.replay_page import OutageForm
from seller_link import reconciliation
from seller_link.reconciliation import UnreadableRecord

MOST_BYTES = 64 * 1024 * 1024
MOST_SHOWN = 500


class ReconcileForm(OutageForm):
    """From, to and the seller's record of that time."""

    record = forms.FileField(label=gettext_lazy("The seller's record (JSON lines)"))

    def clean_record(self) -> Any:
        given = self.cleaned_data["record"]
        if given.size > MOST_BYTES:
            raise forms.ValidationError(_("This file is larger than 64 MiB. Compare a shorter time."))
        return given


@dataclass(frozen=True)
class ReconcilePage:
    """`compared` is None before a comparison."""

    form: ReconcileForm
    compared: int | None
    differences: list[str]
    number: int


def empty_page() -> ReconcilePage:
    return ReconcilePage(ReconcileForm(), None, [], 0)


def compared_page(form: ReconcileForm) -> ReconcilePage:
    """Every difference in words; a form with what is wrong when it cannot be compared."""
    if not form.is_valid():
        return ReconcilePage(form, None, [], 0)
    given = form.cleaned_data
    try:
        noted = reconciliation.read_record(given["record"].read().decode("utf-8").splitlines())
    except (UnreadableRecord, UnicodeDecodeError) as problem:
        form.add_error("record", str(problem))
        return ReconcilePage(form, None, [], 0)
    books = reconciliation.books_between(noted, from_at=given["from_at"], to_at=given["to_at"])
    found = reconciliation.differences(books)
    return ReconcilePage(form, books.compared, found[:MOST_SHOWN], len(found))
