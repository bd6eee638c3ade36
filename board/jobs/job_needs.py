"""What a job asks for by its property flags, as lines to read: on the board's panel, the job page and the day sheet."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from board import formatting
from dispatch import skills
from dispatch.models import Job
from dispatch.requirements import JobRequirements


@dataclass(frozen=True)
class Need:
    """`is_missing`: it stands in the way of the visit."""

    name: str
    value: str
    is_missing: bool = False


def job_needs(job: Job, requirements: JobRequirements) -> list[Need]:
    return list(_needs(job, requirements))


def _needs(job: Job, requirements: JobRequirements) -> Iterator[Need]:
    if requirements.skills:
        yield Need(_("Skills"), ", ".join(sorted(map(skills.skill_name, requirements.skills))))
    if requirements.team:
        yield Need(_("People"), _("Two people"))
    if requirements.kit:
        yield Need(_("Kit"), ", ".join(requirements.kit))
    if requirements.earliest_day and job.is_open:
        yield Need(_("Lead time"), _lead_time(requirements))
    if requirements.is_survey_missing and job.is_open:
        text = _("Required, none known (external job closed EXTCOMP)")
        yield Need(_("Survey"), text, is_missing=True)


def _lead_time(requirements: JobRequirements) -> str:
    if requirements.earliest_day is None:
        return ""
    return _("Not before %(day)s") % {"day": formatting.format_day(requirements.earliest_day)}
