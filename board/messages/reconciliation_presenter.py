"""The seller's record, given as a file or asked for at the seller's, compared with ours."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.conf import settings
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board.links import Link
from board.messages.replay_presenter import OutageForm
from seller_link import reconciliation
from seller_link.client import RecordUnavailable, iter_record, split_record_lines
from seller_link.reconciliation import UnreadableRecord

MAX_BYTES = 64 * 1024 * 1024
MAX_DIFFERENCES = 500
# a person waits for the page
FETCH_TIMEOUT_SECONDS = 30.0


class ReconcileForm(OutageForm):
    """From, to and the seller's record of that time: the file `record`, or with `ask` what the seller offers."""

    record = forms.FileField(label=gettext_lazy("The seller's message log (JSON Lines)"), required=False)

    @property
    def asks(self) -> bool:
        """Whether the seller is to be called."""
        return bool(self.data.get("ask")) and can_fetch_record()

    def clean_record(self) -> Any:
        record = self.cleaned_data["record"]
        if record is None and not self.asks:
            raise forms.ValidationError(_("Choose the file from the seller."))
        if record is not None and record.size > MAX_BYTES:
            raise forms.ValidationError(_("This file is larger than 64 MiB. Choose a shorter period."))
        return record

    def lines(self) -> Iterable[str]:
        """Of a valid form. Raises RecordUnavailable, UnicodeDecodeError."""
        if self.asks:
            return iter_record(settings.SELLER_RECORD_URL, seconds=FETCH_TIMEOUT_SECONDS)
        record: str = self.cleaned_data["record"].read().decode("utf-8")
        return split_record_lines(record)


def can_fetch_record() -> bool:
    return bool(settings.SELLER_RECORD_URL)


@dataclass(frozen=True)
class ReconcilePage:
    """`compared` is None before a comparison; `may_ask` when the seller offers a record to be called."""

    form: ReconcileForm
    may_ask: bool
    compared: int | None = None
    differences: list[str] = field(default_factory=list)
    number: int = 0
    # the seller's numbers of the jobs
    links: tuple[Link, ...] = ()


def empty_page() -> ReconcilePage:
    return ReconcilePage(ReconcileForm(), can_fetch_record())


def comparison_page(form: ReconcileForm) -> ReconcilePage:
    """Every difference as text; a form with what is wrong when it cannot be compared."""
    if not form.is_valid():
        return ReconcilePage(form, can_fetch_record())
    data = form.cleaned_data
    try:
        noted = reconciliation.read_record(form.lines())
    except (UnreadableRecord, UnicodeDecodeError, RecordUnavailable) as problem:
        form.add_error(None if form.asks else "record", str(problem))
        return ReconcilePage(form, can_fetch_record())
    books = reconciliation.messages_between(noted, from_at=data["from_at"], to_at=data["to_at"])
    found = reconciliation.list_differences(books)
    listed = found[:MAX_DIFFERENCES]
    return ReconcilePage(form, can_fetch_record(), books.compared, listed, len(found), _links(listed))


def _links(differences: Iterable[str]) -> tuple[Link, ...]:
    """Each sentence begins with the seller's number of the job, which the search finds, or says that there is none."""
    numbers = dict.fromkeys(sentence.partition(":")[0] for sentence in differences)
    found = [number for number in numbers if " " not in number]
    return tuple(Link(number, f"{reverse('board:search')}?{urlencode({'q': number})}") for number in found)
