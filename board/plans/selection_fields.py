"""Jobs and engineers that a dispatcher chooses for a plan."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dispatch.models import Job
from engineers.models import Engineer

MOST_JOBS = 300
# a number and what stands between two
CHARACTERS = MOST_JOBS * 40


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
