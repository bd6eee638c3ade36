"""What one job asks for by its property flags: skills, a second person, kit, lead time and a survey."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from dispatch.flag_rules import default_rules, load_flag_rules, longest_lead_time, required_skills, team_skill
from dispatch.models import FlagRule, Job, JobEvent
from dispatch.problems import Problem
from dispatch.states import EventKind, JobState
from engineers.shifts import local_time

# an external job that was closed so has surveyed the premises
SURVEYED_CODE = "EXTCOMP"


@dataclass(frozen=True)
class JobRequirements:
    """`skills` are mandatory, `team` (at most one skill) may be overridden. `earliest_day`: the first on which the
    lead time is over; None without one."""

    skills: frozenset[str] = frozenset()
    team: frozenset[str] = frozenset()
    kit: tuple[str, ...] = ()
    earliest_day: date | None = None
    is_survey_missing: bool = False

    @property
    def people_skills(self) -> frozenset[str]:
        """Of one engineer who comes with a second person of their own."""
        return self.skills | self.team


def list_requirements(jobs: Iterable[Job]) -> dict[int, JobRequirements]:
    """By the job's key; a query for the rules, and one for the surveys where a job asks for one."""
    jobs = list(jobs)
    table = load_flag_rules() if any(job.flags for job in jobs) else default_rules()
    rules_of = {job.pk: table.rules_of(flag_codes(job)) for job in jobs}
    to_survey = [job for job in jobs if any(rule.needs_survey for rule in rules_of[job.pk])]
    surveyed = surveyed_jobs(to_survey) if to_survey else frozenset()
    unsurveyed = {job.pk for job in to_survey} - surveyed
    return {job.pk: _requirements(job, rules_of[job.pk], unsurveyed) for job in jobs}


def flag_codes(job: Job) -> list[str]:
    """None where the stored value is no list: whoever displays the job says that it is broken."""
    return job.flags if isinstance(job.flags, list) else []


def job_requirements(job: Job) -> JobRequirements:
    return list_requirements([job])[job.pk]


def _requirements(job: Job, rules: list[FlagRule], unsurveyed: Collection[int]) -> JobRequirements:
    return JobRequirements(
        skills=required_skills(job_type=job.job_type, rules=rules),
        team=team_skill(rules),
        kit=tuple(dict.fromkeys(str(item) for rule in rules for item in rule.kit)),
        earliest_day=earliest_day(job, longest_lead_time(rules)),
        is_survey_missing=job.pk in unsurveyed,
    )


def earliest_day(job: Job, lead_days: int) -> date | None:
    """The first on which so many days of lead time are over; None without one."""
    return local_time(job.received_at).date() + timedelta(days=lead_days) if lead_days else None


def surveyed_jobs(jobs: Iterable[Job]) -> frozenset[int]:
    """Of these jobs (keys) those whose previous job, or another one at this UPRN, was closed EXTCOMP; one query."""
    jobs = list(jobs)
    closed = JobEvent.objects.filter(job=OuterRef("pk"), kind=EventKind.CLOSED, facts__code=SURVEYED_CODE)
    same = Q(uprn__in={job.uprn for job in jobs} - {""})
    previous = Q(provider_job_id__in={job.previous_provider_job_id for job in jobs} - {""})
    found = Job.objects.filter(same | previous, Exists(closed), state=JobState.CLOSED)
    rows = list(found.values_list("uprn", "provider_job_id"))
    return follow_ups(
        jobs, premises={uprn for uprn, _number in rows} - {""}, numbers={number for _uprn, number in rows}
    )


def follow_ups(jobs: Iterable[Job], *, premises: Collection[str], numbers: Collection[str]) -> frozenset[int]:
    """Of these jobs (keys) those that a survey counts for which was made at these premises (UPRN), or at jobs of these
    numbers."""
    return frozenset(
        job.pk for job in jobs if job.uprn in premises or job.previous_provider_job_id in numbers
    )


def survey_problems(requirements: JobRequirements, *, starts_at: datetime) -> list[Problem]:
    """What speaks against a visit at that time; a dispatcher may go on with a reason."""
    found = []
    if requirements.is_survey_missing:
        message = _("The premises must be surveyed first, and no survey (closed EXTCOMP) is known.")
        found.append(Problem("survey_missing", "job", message, can_override=True))
    earliest = requirements.earliest_day
    if earliest and local_time(starts_at).date() < earliest:
        message = _("The lead time is not kept: the earliest day is %(day)s.")
        parameters = {"day": date_format(earliest, _("D j M"))}
        found.append(Problem("lead_time", "starts_at", message % parameters, can_override=True))
    return found
