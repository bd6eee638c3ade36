"""Which visits a report is about: days, and where wanted one engineer, area or job type."""

from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from board.form_inputs import DayField
from dispatch.models import Job, JobQuerySet, Visit, VisitQuerySet
from dispatch.states import JobType
from engineers.area_scope import lies_in
from engineers.models import Area, Engineer
from engineers.shifts import day_span

GROUPINGS = {
    "day": _("Day"),
    "engineer": _("Engineer"),
    "area": _("Main area"),
    "job_type": _("Job type"),
}
PERIODS = {
    "today": _("Today"),
    "this_week": _("This week"),
    "last_7_days": _("Last 7 days"),
    "last_30_days": _("Last 30 days"),
    "this_month": _("This month"),
    "last_month": _("Last month"),
}
USUAL_DAYS, MOST_DAYS = 28, 366


class ReportFilterForm(forms.Form):
    """Without a `period` the days are those from `first` to `last`."""

    period = forms.ChoiceField(
        label=_("Period"), required=False, choices=[("", _("Chosen days")), *PERIODS.items()]
    )
    first = DayField(label=_("From"))
    last = DayField(label=_("To"))
    by = forms.ChoiceField(label=_("Group by"), choices=list(GROUPINGS.items()))
    engineer = forms.ModelChoiceField(
        Engineer.objects.none(), label=_("Engineer"), required=False, empty_label=_("All")
    )
    # each visit counts once: in the engineer's main area, as the groups do
    area = forms.ModelChoiceField(
        Area.objects.none(), label=_("Main area"), required=False, empty_label=_("All")
    )
    job_type = forms.ChoiceField(
        label=_("Job type"), required=False, choices=[("", _("All")), *JobType.choices]
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        engineers: Any = self.fields["engineer"]
        engineers.queryset = Engineer.objects.in_scope().select_related("user")
        areas: Any = self.fields["area"]
        areas.queryset = Area.objects.in_scope()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        first, last = data.get("first"), data.get("last")
        if first and last and first > last:
            raise forms.ValidationError(_("The end must be after the start. Change one of them."))
        if first and last and last - first >= timedelta(days=MOST_DAYS):
            raise forms.ValidationError(_("Choose at most one year."))
        return data


def report_form(query: QueryDict) -> ReportFilterForm:
    """What was asked for; the last four weeks by day where nothing was. The days of a period are today's, whatever the
    address says, and cannot be typed."""
    today, period = timezone.localdate(), query.get("period", "")
    usual = {"first": today - timedelta(days=USUAL_DAYS - 1), "last": today, "by": "day"}
    if period not in PERIODS:
        return ReportFilterForm({**usual, **query.dict()})
    first, last = days_of_period(period, today)
    form = ReportFilterForm({**usual, **query.dict(), "first": first, "last": last})
    for name in ("first", "last"):
        form.fields[name].widget.attrs["readonly"] = True
    return form


def days_of_period(period: str, today: date) -> tuple[date, date]:
    """The first and the last day of one of PERIODS."""
    month = today.replace(day=1)
    match period:
        case "this_week":
            monday = today - timedelta(days=today.weekday())
            return monday, monday + timedelta(days=6)
        case "last_7_days":
            return today - timedelta(days=6), today
        case "last_30_days":
            return today - timedelta(days=29), today
        case "this_month":
            following = (month + timedelta(days=31)).replace(day=1)
            return month, following - timedelta(days=1)
        case "last_month":
            last = month - timedelta(days=1)
            return last.replace(day=1), last
        case _:
            return today, today


def visits_of(data: dict[str, Any]) -> VisitQuerySet:
    """The visits that count, by the day on which the customer's window begins."""
    visits = Visit.objects.active().in_scope().filter(**_begins_between(data, "job__"))
    wanted = {
        "engineer": data["engineer"],
        "engineer__area": data["area"],
        "job__job_type": data["job_type"],
    }
    return visits.filter(**{name: value for name, value in wanted.items() if value})


def jobs_of(data: dict[str, Any]) -> JobQuerySet:
    """Jobs whose window begins on these days, whoever has them; none of them is one engineer's, and its area is that of
    its postcode."""
    if data["engineer"]:
        return Job.objects.none()
    jobs = Job.objects.in_scope().filter(**_begins_between(data))
    if data["area"]:
        jobs = jobs.filter(lies_in([data["area"].pk]))
    return jobs.filter(job_type=data["job_type"]) if data["job_type"] else jobs


def _begins_between(data: dict[str, Any], prefix: str = "") -> dict[str, datetime]:
    """`prefix` leads to the job."""
    first, last = day_span(data["first"]), day_span(data["last"])
    return {f"{prefix}window_start__gte": first.start, f"{prefix}window_start__lt": last.end}


def format_days(first: date, last: date) -> str:
    return f"{first.isoformat()}_{last.isoformat()}"
