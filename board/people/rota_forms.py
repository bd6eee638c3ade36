"""The forms of single days: absences, and days that differ from the pattern."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django import forms
from django.forms.utils import from_current_timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board.form_inputs import CLOCK_CHANGE, DayField
from board.people.forms import HoursField
from engineers.shifts import day_span
from engineers.working_hours import Hours

LONGEST_ABSENCE = timedelta(days=731)


class AbsenceForm(forms.Form):
    """Whole days, or from a time of the first day to a time of the last."""

    first_day = DayField(label=gettext_lazy("First day"))
    last_day = DayField(label=gettext_lazy("Last day"), required=False)
    starts = forms.TimeField(
        label=gettext_lazy("From (time, first day)"),
        required=False,
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

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if "first_day" not in data:
            return data
        first, last = data["first_day"], data.get("last_day") or data["first_day"]
        data["starts_at"] = self._moment(first, "starts") or day_span(first).start
        data["ends_at"] = self._moment(last, "ends") or day_span(last).end
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

    def clean_hours(self) -> Hours:
        hours: Hours = self.cleaned_data["hours"]
        if len(hours) > 1:
            raise forms.ValidationError(_("A single day can have one time span only."))
        return hours
