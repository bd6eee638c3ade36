"""What the actions on engineers' days and on several jobs are asked with."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from board.engineer_choice import EngineerChoiceField
from board.form_inputs import DayField, MomentField
from board.people.rota_forms import LONGEST_ABSENCE
from dispatch.models import Job
from dispatch.reassignment import SeenJob
from engineers.models import Engineer

MAX_JOBS = 100


class DayAbsenceForm(forms.Form):
    starts_at = MomentField(error_messages={"required": _("Enter when the absence starts.")})
    ends_at = MomentField(error_messages={"required": _("Enter when the absence ends.")})
    reason = forms.CharField(required=False, max_length=120)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        starts_at, ends_at = data.get("starts_at"), data.get("ends_at")
        if starts_at and ends_at and ends_at <= starts_at:
            self.add_error("ends_at", _("The absence must end after it starts."))
        elif starts_at and ends_at and ends_at - starts_at > LONGEST_ABSENCE:
            self.add_error("ends_at", _("An absence can be two years long at most."))
        return data


class SwapForm(forms.Form):
    """`other`: staff number, then `job|plan version` of each of that engineer's visits, with blanks between; `job`: the
    same of the first engineer's, repeated. `seen` is both by job number."""

    day = DayField(error_messages={"required": _("Choose a day.")})
    other = forms.CharField(error_messages={"required": _("Choose an engineer.")})
    job = forms.Field(required=False, widget=forms.SelectMultiple)

    def clean_other(self) -> Engineer:
        number = self.cleaned_data["other"].split()[0]
        engineer = (
            Engineer.objects.active().in_scope().filter(staff_number=number).select_related("user").first()
        )
        if engineer is None:
            raise forms.ValidationError(_("No active engineer has this staff number."))
        return engineer

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        rows = [*(data.get("job") or []), *self.data.get("other", "").split()[1:]]
        return {**data, "seen": dict(row.partition("|")[::2] for row in rows[:MAX_JOBS])}


class SeenJobsField(forms.Field):
    """`J-7K3M-92QX|plan version`, repeated; unknown numbers are an error, twice the same is once."""

    widget = forms.SelectMultiple

    def clean(self, value: Any) -> list[SeenJob]:
        versions = dict(str(entry).partition("|")[::2] for entry in value or [])
        if not 0 < len(versions) <= MAX_JOBS:
            raise forms.ValidationError(_("Choose between 1 and %(most)d jobs."), params={"most": MAX_JOBS})
        jobs = {
            job.provider_job_id: job for job in Job.objects.in_scope().filter(provider_job_id__in=versions)
        }
        for number in versions:
            if number not in jobs:
                raise forms.ValidationError(_("There is no job %(job)s."), params={"job": number})
        return [SeenJob(jobs[number], version) for number, version in versions.items()]


class JobSelectionForm(forms.Form):
    """`starts_at`, with an engineer: from when on the jobs follow one another."""

    job = SeenJobsField()
    action = forms.ChoiceField(choices=[("reassign", _("Assign")), ("unassign", _("Unassign"))])
    engineer = EngineerChoiceField(required=False)
    starts_at = MomentField(required=False)
