"""What a dispatcher requests of the planner."""

from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from board.people.forms import DayField
from dispatch.capacity.half_days import MORNING_ENDS
from dispatch.planning.change_weights import CHANGE_MINUTES, ChangeWeight
from dispatch.planning.plan_scope import MOST_DAYS, PlanScope
from dispatch.planning.proposals import DEFAULT_RESERVE_MINUTES, DEFAULT_SECONDS, most_seconds
from engineers.models import Area
from engineers.shifts import Window, day_window

PARTS = {"day": _("Whole day"), "morning": _("Morning, until 13:00"), "afternoon": _("Afternoon, from 13:00")}
# instead of a ChangeWeight
NEW_PLAN = "free"
MOST_RESERVE_MINUTES = 120
WEIGHTS = [*ChangeWeight.choices, (NEW_PLAN, _("New plan: every visit may move"))]


class PlanForm(forms.Form):
    first = DayField(label=_("Day"))
    days = forms.IntegerField(label=_("Number of days"), min_value=1, max_value=MOST_DAYS, initial=1)
    part = forms.ChoiceField(label=_("Part of the day"), choices=list(PARTS.items()))
    area = forms.ModelChoiceField(Area.objects.all(), label=_("Area"), required=False, empty_label=_("All"))
    reserve_minutes = forms.IntegerField(
        label=_("Minutes free at the end of a shift"),
        required=False,
        min_value=0,
        max_value=MOST_RESERVE_MINUTES,
        initial=DEFAULT_RESERVE_MINUTES,
        help_text=_("For visits that take longer. Leave it empty for none."),
    )
    weight = forms.ChoiceField(
        label=_("How much may change"),
        choices=WEIGHTS,
        initial=ChangeWeight.FEW,
        help_text=_(
            "Which visits may go to another engineer. Planned starts are kept where that is possible."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        longest = most_seconds()
        self.fields["seconds"] = forms.IntegerField(
            label=_("Seconds to plan"),
            min_value=1,
            max_value=longest,
            initial=min(DEFAULT_SECONDS, longest),
            help_text=_("At most %(longest)s.") % {"longest": longest},
        )

    def clean_first(self) -> date:
        first: date = self.cleaned_data["first"]
        if first < timezone.localdate():
            raise forms.ValidationError(_("Choose today or a later day."))
        return first

    def change_minutes(self) -> int:
        weight = self.cleaned_data["weight"]
        return 0 if weight == NEW_PLAN else CHANGE_MINUTES[ChangeWeight(weight)]

    def scope(self) -> PlanScope:
        data = self.cleaned_data
        area: Area | None = data["area"]
        reserve = data["reserve_minutes"] or 0
        return PlanScope(span=self._span(), area=area.pk if area else None, reserve_minutes=reserve)

    def _span(self) -> Window:
        """A half day is a half of one day, also where more days were chosen."""
        first, days, part = self.cleaned_data["first"], self.cleaned_data["days"], self.cleaned_data["part"]
        whole = Window(day_window(first).start, day_window(first + timedelta(days=days - 1)).end)
        if part == "day":
            return whole
        middle = datetime.combine(first, MORNING_ENDS, tzinfo=timezone.get_current_timezone())
        return Window(whole.start, middle) if part == "morning" else Window(middle, day_window(first).end)
