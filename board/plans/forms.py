"""What a dispatcher requests of the planner."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from board.form_inputs import DayField
from board.plans.selection_fields import JobNumbersField, engineers_field
from dispatch.capacity.half_days import MORNING_ENDS
from dispatch.models import Job
from dispatch.planning.change_weights import CHANGE_MINUTES, ChangeWeight
from dispatch.planning.plan_scope import MOST_DAYS, PlanScope
from dispatch.planning.proposals import DEFAULT_RESERVE_MINUTES, DEFAULT_SECONDS, most_seconds
from engineers.current_scope import current_scope
from engineers.models import Area
from engineers.shifts import Window, day_window

PARTS = {"day": _("Whole day"), "morning": _("Morning, until 13:00"), "afternoon": _("Afternoon, from 13:00")}
# instead of a ChangeWeight
NEW_PLAN = "free"
MOST_RESERVE_MINUTES = 120
MOST_JOBS_OF_DAY = 50
WEIGHTS = [*ChangeWeight.choices, (NEW_PLAN, _("New plan: every visit may move"))]


class PlanForm(forms.Form):
    first = DayField(label=_("Day"))
    days = forms.IntegerField(label=_("Number of days"), min_value=1, max_value=MOST_DAYS, initial=1)
    part = forms.ChoiceField(label=_("Part of the day"), choices=list(PARTS.items()))
    jobs = JobNumbersField(
        label=_("Only these jobs"),
        help_text=_("job numbers with commas between them; empty for all"),
    )
    max_jobs = forms.IntegerField(
        label=_("Most jobs of an engineer in a day"),
        required=False,
        min_value=1,
        max_value=MOST_JOBS_OF_DAY,
        help_text=_("empty for no limit"),
    )
    field_order = ("first", "days", "part", "area", "jobs", "engineers", "max_jobs")
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
        longest, areas = most_seconds(), Area.objects.in_scope()
        self.fields["area"] = forms.ModelChoiceField(
            areas,
            label=_("Area"),
            required=current_scope().is_limited,
            empty_label=_("Choose") if current_scope().is_limited else _("All"),
        )
        self.fields["seconds"] = forms.IntegerField(
            label=_("Seconds to plan"),
            min_value=1,
            max_value=longest,
            initial=min(DEFAULT_SECONDS, longest),
            help_text=_("At most %(longest)s.") % {"longest": longest},
        )
        self.fields["engineers"] = engineers_field(
            label=_("Only these engineers"), help_text=_("none chosen for all")
        )
        self.order_fields(self.field_order)

    def clean_first(self) -> date:
        first: date = self.cleaned_data["first"]
        if first < timezone.localdate():
            raise forms.ValidationError(_("Choose today or a later day."))
        return first

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("days", 1) > 1 and data.get("part", "day") != "day":
            self.add_error("part", _("Choose the whole day, or one day only."))
        if data.get("jobs") and not self.errors:
            self._require_plannable(data["jobs"], self._span())
        return data

    def _require_plannable(self, chosen: Sequence[Job], span: Window) -> None:
        """Whoever chose a job expects to find it in the plan."""
        open_jobs = set(Job.objects.open().filter(pk__in=[job.pk for job in chosen]))
        if over := [job for job in chosen if job not in open_jobs]:
            self._refuse_jobs(_("These jobs are over: %(jobs)s."), over)
        if elsewhere := [job for job in chosen if job in open_jobs and not job.window.touches(span)]:
            self._refuse_jobs(_("The customer's window is in another part of the plan: %(jobs)s."), elsewhere)

    def _refuse_jobs(self, text: Any, jobs: Iterable[Job]) -> None:
        numbers = ", ".join(job.provider_job_id for job in jobs)
        self.add_error("jobs", forms.ValidationError(text, params={"jobs": numbers}))

    def change_minutes(self) -> int:
        weight = self.cleaned_data["weight"]
        return 0 if weight == NEW_PLAN else CHANGE_MINUTES[ChangeWeight(weight)]

    def scope(self) -> PlanScope:
        data = self.cleaned_data
        area: Area | None = data["area"]
        jobs, engineers = data["jobs"], data["engineers"]
        return PlanScope(
            span=self._span(),
            area=area.pk if area else None,
            jobs=frozenset(job.pk for job in jobs) if jobs else None,
            engineers=frozenset(engineer.pk for engineer in engineers) if engineers else None,
            max_jobs=data["max_jobs"],
            reserve_minutes=data["reserve_minutes"] or 0,
        )

    def _span(self) -> Window:
        first, days, part = self.cleaned_data["first"], self.cleaned_data["days"], self.cleaned_data["part"]
        whole = Window(day_window(first).start, day_window(first + timedelta(days=days - 1)).end)
        if part == "day":
            return whole
        middle = datetime.combine(first, MORNING_ENDS, tzinfo=timezone.get_current_timezone())
        return Window(whole.start, middle) if part == "morning" else Window(middle, day_window(first).end)
