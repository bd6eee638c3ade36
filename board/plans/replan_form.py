"""What a dispatcher says has happened, or might happen, in a day that is under way."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from board.engineer_choice import EngineerChoiceField
from board.form_inputs import MOMENT_INPUT, MomentField
from dispatch import jobs, visits
from dispatch.models import Job, Occasion
from dispatch.planning.change_weights import ChangeWeight
from dispatch.states import JobState

LONGEST_MINUTES = 600


class JobNumberField(forms.CharField):
    """A job by its number."""

    def clean(self, value: Any) -> Job | None:
        number = super().clean(value).strip()
        if not number:
            return None
        try:
            return jobs.find_job(provider_job_id=number)
        except jobs.JobNotFound as problem:
            raise forms.ValidationError(_("There is no job with this number.")) from problem


class ReplanForm(forms.Form):
    occasion = forms.ChoiceField(label=_("What has happened"), choices=Occasion.choices)
    job = JobNumberField(
        label=_("Job number"), required=False, help_text=_("Not for an absence."), max_length=60
    )
    engineer = EngineerChoiceField(
        label=_("Engineer"),
        required=False,
        help_text=_("For an absence."),
        empty_label=_("Choose"),
    )
    absent_since = MomentField(
        label=_("Absent from"),
        required=False,
        help_text=_("For an absence. Left empty: from now on."),
        widget=MOMENT_INPUT,
    )
    longer_minutes = forms.IntegerField(
        label=_("Minutes longer"),
        required=False,
        min_value=5,
        max_value=LONGEST_MINUTES,
        help_text=_("For a visit that takes longer."),
    )
    weight = forms.ChoiceField(
        label=_("How much may change"),
        choices=ChangeWeight.choices,
        initial=ChangeWeight.FEW,
        required=False,
        help_text=_("Which visits may go to another engineer, or begin at another time."),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        match data.get("occasion"):
            case Occasion.ENGINEER_ABSENT:
                self._require("engineer", _("Choose an engineer."))
            case Occasion.VISIT_LONGER:
                self._require("longer_minutes", _("Enter how many minutes longer the visit takes."))
                self._require_visit()
            case Occasion.JOB_CANCELLED:
                self._require_visit()
            case Occasion.NO_ACCESS:
                self._require_arrival()
            case Occasion.URGENT_JOB:
                self._require_open_job()
        return data

    def _require(self, field: str, message: Any) -> bool:
        if field in self.errors:
            return False
        if not self.cleaned_data.get(field):
            self.add_error(field, message)
            return False
        return True

    def _require_visit(self) -> None:
        if self._require("job", _("Enter the number of a job.")):
            visit = visits.current_visit(self.cleaned_data["job"])
            if visit is None or visit.ended_at:
                self.add_error("job", _("This job has no upcoming visit."))

    def _require_arrival(self) -> None:
        if self._require("job", _("Enter the number of a job.")):
            visit = visits.current_visit(self.cleaned_data["job"])
            if visit is None or visit.arrived_at is None:
                self.add_error("job", _("No engineer is on site at this job."))

    def _require_open_job(self) -> None:
        if self._require("job", _("Enter the number of a job.")):
            job = self.cleaned_data["job"]
            if job.state not in {JobState.UNASSIGNED, JobState.ASSIGNED}:
                self.add_error("job", _("Work on this job has begun or ended."))

    def request(self) -> dict[str, Any]:
        """The arguments of comparisons.request_comparison; what the occasion does not need is left out."""
        data = self.cleaned_data
        weight = ChangeWeight(data["weight"] or ChangeWeight.FEW)
        needed = {"occasion": Occasion(data["occasion"]), "weight": weight}
        if data["occasion"] == Occasion.ENGINEER_ABSENT:
            return needed | {"engineer": data["engineer"], "absent_since": data["absent_since"]}
        needed["job"] = data["job"]
        if data["occasion"] == Occasion.VISIT_LONGER:
            needed["longer_minutes"] = data["longer_minutes"]
        return needed
