"""The audit as a page and as CSV: its filter, and a line for each entry."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board import formatting
from board.audit.audit_facts import describe_facts
from board.audit.audit_subjects import subject_text
from board.form_inputs import DayField
from closures.safe_csv import write_csv
from dispatch.models import JobEvent
from dispatch.states import Actor
from engineers.audit import AuditFilter, DataArea, action_text, data_area_text, find_entries
from engineers.input_values import read_number
from engineers.models import AuditEntry, User
from engineers.shifts import day_span

# whoever wants more exports it, or chooses a shorter period
PAGE_SIZE, MOST_PAGES = 100, 500
USUAL_DAYS, MOST_DAYS = 7, 366
# of an export; more than a spreadsheet is read with
MOST_ROWS = 50_000


class AuditFilterForm(forms.Form):
    """It stands in the address. People are those of the office; engineers change only what is their own."""

    first = DayField(label=gettext_lazy("From"))
    last = DayField(label=gettext_lazy("To"))
    data_area = forms.ChoiceField(
        label=gettext_lazy("Area of data"),
        required=False,
        choices=[("", gettext_lazy("All")), *DataArea.choices],
    )
    text = forms.CharField(
        label=gettext_lazy("About"),
        required=False,
        max_length=100,
        help_text=gettext_lazy("A user name, staff number, job number or area."),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        people = User.objects.order_by("first_name", "last_name", "username")
        self.fields["person"] = forms.ChoiceField(
            label=_("Who"),
            required=False,
            choices=[("", _("Everybody")), *((str(person.pk), person.display_name) for person in people)],
        )
        self.order_fields(["person", "data_area", "text", "first", "last"])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        first, last = data.get("first"), data.get("last")
        if first and last and first > last:
            raise forms.ValidationError(_("The end must be after the start. Change one of them."))
        if first and last and last - first >= timedelta(days=MOST_DAYS):
            raise forms.ValidationError(_("Choose at most one year."))
        return data

    def wanted(self) -> AuditFilter:
        """Only of a valid form."""
        data = self.cleaned_data
        return AuditFilter(
            person=int(data["person"]) if data["person"] else None,
            data_area=data["data_area"],
            text=data["text"].strip(),
            first=day_span(data["first"]).start,
            last=day_span(data["last"]).end,
        )


@dataclass(frozen=True)
class AuditLine:
    """`facts` says what was before and is now, shortened."""

    at: datetime
    at_text: str
    who: str
    data_area: str
    action: str
    subject: str
    facts: str


@dataclass(frozen=True)
class AuditPage:
    """`export_query` is the filter; `older` and `newer` lead to the next pages, or are empty."""

    form: AuditFilterForm
    lines: list[AuditLine]
    export_query: str
    older: str
    newer: str
    has_jobs: bool
    kept_days: int


def audit_form(query: QueryDict) -> AuditFilterForm:
    """What was asked for; the last week where nothing was."""
    today = timezone.localdate()
    usual = {"first": f"{today - timedelta(days=USUAL_DAYS - 1)}", "last": f"{today}"}
    return AuditFilterForm({**usual, **query.dict()})


def audit_page(query: QueryDict) -> AuditPage:
    form, number = audit_form(query), min(max(read_number(query.get("page", "1")) or 1, 1), MOST_PAGES)
    filters = {name: str(form.data.get(name, "")) for name in form.fields if form.data.get(name)}
    start = (number - 1) * PAGE_SIZE
    found = list(_lines(form.wanted(), most=start + PAGE_SIZE + 1))[start:] if form.is_valid() else []
    return AuditPage(
        form=form,
        lines=found[:PAGE_SIZE],
        export_query=urlencode(filters),
        older=urlencode({**filters, "page": number + 1}) if len(found) > PAGE_SIZE else "",
        newer=urlencode({**filters, "page": number - 1}) if number > 1 else "",
        has_jobs=bool(form.data.get("person")),
        kept_days=settings.RETENTION_AUDIT_DAYS,
    )


def _lines(wanted: AuditFilter, *, most: int) -> Iterator[AuditLine]:
    """The newest first. What somebody did to jobs stands in the jobs' histories: it is read for one person."""
    found = [_entry_line(entry) for entry in find_entries(wanted)[:most]]
    if wanted.person is not None and wanted.data_area in {"", DataArea.JOBS}:
        found += [_event_line(event) for event in _events(wanted)[:most]]
    yield from sorted(found, key=lambda line: line.at, reverse=True)[:most]


def _events(wanted: AuditFilter) -> Any:
    found = JobEvent.objects.filter(user=wanted.person, actor=Actor.DISPATCHER).order_by("-pk")
    found = found.filter(recorded_at__gte=wanted.first, recorded_at__lt=wanted.last)
    if wanted.text:
        found = found.filter(job__provider_job_id__icontains=wanted.text)
    return found.select_related("user", "job")


def _entry_line(entry: AuditEntry) -> AuditLine:
    return AuditLine(
        at=entry.recorded_at,
        at_text=formatting.format_exact_moment(entry.recorded_at),
        who=entry.actor.display_name if entry.actor else _("The system"),
        data_area=data_area_text(entry.action),
        action=action_text(entry.action),
        subject=subject_text(entry.action, entry.subject),
        facts=describe_facts(entry.before, entry.after),
    )


def _event_line(event: JobEvent) -> AuditLine:
    return AuditLine(
        at=event.recorded_at,
        at_text=formatting.format_exact_moment(event.recorded_at),
        who=event.user.display_name if event.user else "",
        data_area=str(DataArea.JOBS.label),
        action=event.get_kind_display(),
        subject=event.job.provider_job_id,
        facts="",
    )


class TooManyRows(Exception):
    """More than MOST_ROWS: a shorter period is needed."""


def audit_csv(form: AuditFilterForm) -> tuple[str, bytes]:
    """Name and content of a file with the lines of a valid form. Raises TooManyRows."""
    lines = list(_lines(form.wanted(), most=MOST_ROWS + 1))
    if len(lines) > MOST_ROWS:
        raise TooManyRows
    head = [_("Time"), _("Who"), _("Area of data"), _("Action"), _("About"), _("Before and after")]
    first, last = form.cleaned_data["first"], form.cleaned_data["last"]
    return f"audit_{_day(first)}_{_day(last)}.csv", write_csv([head, *_rows(lines)])


def _rows(lines: Iterable[AuditLine]) -> Iterator[list[str]]:
    for line in lines:
        at = timezone.localtime(line.at).isoformat(timespec="seconds")
        yield [at, line.who, line.data_area, line.action, line.subject, line.facts]


def _day(day: date) -> str:
    return day.isoformat()
