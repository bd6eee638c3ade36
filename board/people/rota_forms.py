"""The forms of single days: absences, and days that differ from the pattern."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django import forms
from django.forms.utils import from_current_timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board.form_inputs import CLOCK_CHANGE, DayField
from board.people.forms import HoursField
from engineers.models import Engineer, ShiftException
from engineers.rota import day_version, exception_hours
from engineers.shifts import day_span, whole_days
from engineers.working_hours import Hours

LONGEST_ABSENCE = timedelta(days=731)


class AbsenceForm(forms.Form):
    """Whole days with their night shifts, or from a time of the first day to a time of the last."""

    first_day = DayField(label=gettext_lazy("First day"))
    last_day = DayField(label=gettext_lazy("Last day"), required=False)
    starts = forms.TimeField(
        label=gettext_lazy("From (time, first day)"),
        required=False,
        help_text=gettext_lazy("Without times: whole days, each with the night shift that begins on it."),
        widget=forms.TimeInput(attrs={"type": "time"}),
    )
    ends = forms.TimeField(
        label=gettext_lazy("Until (time, last day)"),
        required=False,
        widget=forms.TimeInput(attrs={"type": "time"}),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=120,
        help_text=gettext_lazy("Only supervisors see it."),
    )

    def __init__(self, *args: Any, engineer: Engineer, **options: Any) -> None:
        super().__init__(*args, **options)
        self.engineer = engineer

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if "first_day" not in data:
            return data
        first, last = data["first_day"], data.get("last_day") or data["first_day"]
        whole = whole_days(self.engineer, first=first, last=last)
        data["ends_at"] = self._moment(last, "ends") or whole.end
        # who enters an end in the night before the first day means that night
        start = whole.start if whole.start < data["ends_at"] else day_span(first).start
        data["starts_at"] = self._moment(first, "starts") or start
        if data["ends_at"] <= data["starts_at"]:
            self.add_error("last_day", _("The end must be after the start. Change one of them."))
        elif data["ends_at"] - data["starts_at"] > LONGEST_ABSENCE:
            self.add_error("last_day", _("An absence can be two years long at most."))
        return data

    def _moment(self, day: date, field: str) -> datetime | None:
        """In UTC, as the hours of one zone can't be compared when the clocks change; none where no time is given."""
        clock = self.cleaned_data.get(field)
        if clock is None:
            return None
        try:
            return from_current_timezone(datetime.combine(day, clock)).astimezone(UTC)
        except forms.ValidationError:
            self.add_error(field, CLOCK_CHANGE)
            return None


class ExceptionForm(forms.Form):
    """Other hours on one day; none for a day off."""

    day = DayField(label=gettext_lazy("Day"))
    hours = HoursField(
        label=gettext_lazy("Hours on this day"),
        help_text=gettext_lazy("For example 08:00-12:00. Empty: not working."),
    )

    # what was on the page, of each day that differs: `2026-11-23=12:00–20:00;2026-11-24=off`
    seen = forms.CharField(required=False, max_length=100_000, widget=forms.HiddenInput)

    def clean_hours(self) -> Hours:
        hours: Hours = self.cleaned_data["hours"]
        if len(hours) > 1:
            raise forms.ValidationError(_("A single day can have one time span only."))
        return hours

    @property
    def seen_version(self) -> str:
        """Of the day as rota.day_version has it; empty where the page had none."""
        return seen_versions(self.cleaned_data["seen"]).get(self.cleaned_data["day"].isoformat(), "")


def seen_versions(text: str) -> dict[str, str]:
    """By day, as `write_versions` wrote them; whatever else it is says nothing of any day."""
    return {day: version for day, _is, version in (part.partition("=") for part in text.split(";"))}


def write_versions(exceptions: Iterable[ShiftException]) -> str:
    return ";".join(f"{row.day.isoformat()}={day_version(exception_hours(row))}" for row in exceptions)
