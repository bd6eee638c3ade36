"""What a dispatcher requests of the planner, with the jobs and engineers chosen for it."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from board.form_inputs import DayField
from board.jobs.forms import reason_field
from dispatch.capacity.half_days import MORNING_ENDS
from dispatch.models import Job, ProposedChange
from dispatch.planning.change_weights import CHANGE_MINUTES, ChangeWeight
from dispatch.planning.problem.plan_scope import MOST_DAYS, PlanScope
from dispatch.planning.proposals import DEFAULT_RESERVE_MINUTES, DEFAULT_SECONDS
from engineers.current_scope import current_scope
from engineers.models import Area, Engineer
from engineers.shifts import TimeSpan, day_span

MOST_JOBS = 300
# a number and what stands between two
CHARACTERS = MOST_JOBS * 40
PARTS = {"day": _("Whole day"), "morning": _("Morning, until 13:00"), "afternoon": _("Afternoon, from 13:00")}
# instead of a ChangeWeight
NEW_PLAN = "free"
MOST_RESERVE_MINUTES = 120
MOST_JOBS_OF_DAY = 50
MOST_SEED = 999_999
MOST_STEPS = 1_000_000
# with what a plan is found again; seldom needed
SEARCH_FIELDS = ("seed", "steps")
WEIGHTS = [*ChangeWeight.choices, (NEW_PLAN, _("New plan: every visit may move"))]


class JobNumbersField(forms.CharField):
    """Numbers of jobs with commas or spaces between them; cleans to the jobs, None where it is empty."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, max_length=CHARACTERS, **options)

    def clean(self, value: Any) -> list[Job] | None:
        numbers = dict.fromkeys(super().clean(value).replace(",", " ").split())
        if not numbers:
            return None
        if len(numbers) > MOST_JOBS:
            raise forms.ValidationError(_("Choose between 1 and %(most)d jobs."), params={"most": MOST_JOBS})
        jobs = {
            job.provider_job_id: job for job in Job.objects.in_scope().filter(provider_job_id__in=numbers)
        }
        for number in numbers:
            if number not in jobs:
                raise forms.ValidationError(_("There is no job %(job)s."), params={"job": number})
        return list(jobs.values())


def engineers_field(**options: Any) -> "forms.ModelMultipleChoiceField[Engineer]":
    """Any number of active engineers of the own areas, by their staff numbers; made for each request."""
    active = Engineer.objects.active().in_scope().select_related("user")
    ordered = active.order_by("user__first_name", "user__last_name")
    return forms.ModelMultipleChoiceField(ordered, to_field_name="staff_number", required=False, **options)


class AcceptForm(forms.Form):
    """`change`: keys of the changes, or `all`. `reason`: of an absence that is entered with them, private."""

    reason = reason_field(_("Reason"), most=120)

    @classmethod
    def ticking(cls, changes: Iterable[ProposedChange]) -> "AcceptForm":
        """With these ticked, and no other."""
        data = QueryDict(mutable=True)
        data.setlist("change", [str(change.pk) for change in changes])
        return cls(data)

    @property
    def ticked(self) -> list[str] | None:
        """None for all."""
        return None if not self.is_bound or "all" in self.data else self.data.getlist("change")  # type: ignore[attr-defined]


class PlanForm(forms.Form):
    first = DayField(label=_("Day"))
    days = forms.IntegerField(label=_("Number of days"), min_value=1, max_value=MOST_DAYS, initial=1)
    part = forms.ChoiceField(label=_("Part of the day"), choices=list(PARTS.items()))
    jobs = JobNumbersField(
        label=_("Only these jobs"),
        help_text=_("Job numbers separated by commas. Leave empty for all."),
    )
    max_jobs = forms.IntegerField(
        label=_("Maximum jobs per engineer and day"),
        required=False,
        min_value=1,
        max_value=MOST_JOBS_OF_DAY,
        help_text=_("Empty for no limit."),
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
    seed = forms.IntegerField(
        label=_("Seed"),
        required=False,
        min_value=1,
        max_value=MOST_SEED,
        help_text=_("Empty for 1. The same jobs, seed and steps give the same plan."),
    )
    steps = forms.IntegerField(
        label=_("Steps to search"),
        required=False,
        min_value=1,
        max_value=MOST_STEPS,
        help_text=_("Empty for as many as fit into the seconds."),
    )
    weight = forms.ChoiceField(
        label=_("How much may change"),
        choices=WEIGHTS,
        initial=ChangeWeight.FEW,
        help_text=_("Which visits may go to another engineer, or begin at another time."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        longest, areas = settings.PLAN_SECONDS, Area.objects.in_scope()
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
            label=_("Only these engineers"), help_text=_("Leave empty for all.")
        )
        self.order_fields(self.field_order)

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in SEARCH_FIELDS]

    @property
    def search_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in SEARCH_FIELDS]

    @property
    def has_search(self) -> bool:
        """Whether one of them was filled in, or refused."""
        return any(field.value() or field.errors for field in self.search_fields)

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

    def _require_plannable(self, chosen: Sequence[Job], span: TimeSpan) -> None:
        """Whoever chose a job expects to find it in the plan."""
        open_jobs = set(Job.objects.open().filter(pk__in=[job.pk for job in chosen]))
        if over := [job for job in chosen if job not in open_jobs]:
            self._refuse_jobs(_("These jobs are closed or cancelled: %(jobs)s."), over)
        if elsewhere := [job for job in chosen if job in open_jobs and not job.window.overlaps(span)]:
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

    def _span(self) -> TimeSpan:
        first, days, part = self.cleaned_data["first"], self.cleaned_data["days"], self.cleaned_data["part"]
        whole = TimeSpan(day_span(first).start, day_span(first + timedelta(days=days - 1)).end)
        if part == "day":
            return whole
        middle = datetime.combine(first, MORNING_ENDS, tzinfo=timezone.get_current_timezone())
        return TimeSpan(whole.start, middle) if part == "morning" else TimeSpan(middle, day_span(first).end)
