"""What puts jobs at risk besides the clock: a missing survey or lead time, a skill that its engineer no longer has,
one engineer where two are needed, stuck provisioning, a hold."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from dispatch import ont_scans
from dispatch.models import Job, ProvisioningResult, Visit
from dispatch.problems import Problem
from dispatch.requirements import JobRequirements, survey_problems
from dispatch.skills import skill_problems
from dispatch.states import BEFORE_ARRIVAL
from dispatch.teams import alone_problems
from dispatch.visit_proposals import local_days
from engineers.models import HeldSkill
from engineers.moment_texts import format_recent_moment
from engineers.shifts import local_time


def list_concerns(
    jobs: Iterable[Job],
    *,
    visits: Mapping[int, Visit],
    requirements: Mapping[int, JobRequirements],
    begun: Collection[int],
    now: datetime,
) -> dict[int, list[str]]:
    """Sentences by the job's key, for those that have any. `visits` and `requirements` by the job's key, `begun`: keys
    of jobs at which somebody was on site. One query where a job was begun, one where an engineer needs a skill."""
    jobs = list(jobs)
    stuck = _stuck_results([job.pk for job in jobs if job.is_open and job.pk in begun], now=now)
    unfit = _skill_gaps(jobs, visits, requirements)
    found = {
        job.pk: [
            *_hold(job),
            *unfit.get(job.pk, ()),
            *(_survey(job, visits.get(job.pk), requirements[job.pk]) if job.pk not in begun else ()),
            *(_provisioning(stuck[job.pk]) if job.pk in stuck else ()),
        ]
        for job in jobs
    }
    return {key: concerns for key, concerns in found.items() if concerns}


def _hold(job: Job) -> Iterator[str]:
    if job.on_hold_since:
        yield _("On hold since %(at)s.") % {"at": format_recent_moment(job.on_hold_since)}


def _survey(job: Job, visit: Visit | None, requirements: JobRequirements) -> Iterator[str]:
    if job.state not in BEFORE_ARRIVAL:
        return
    # unassigned, it can still be planned for the last moment of its window
    starts_at = visit.planned_start if visit else job.window_end
    for problem in survey_problems(requirements, starts_at=starts_at):
        yield problem.message


def _skill_gaps(
    jobs: Iterable[Job], visits: Mapping[int, Visit], requirements: Mapping[int, JobRequirements]
) -> dict[int, list[str]]:
    """By the job's key: what its engineer had when the visit was planned, and will not have on the day; and whether
    somebody goes alone to a job that needs two people."""
    planned = {
        job.pk: visits[job.pk]
        for job in jobs
        if job.state in BEFORE_ARRIVAL and job.pk in visits and requirements[job.pk].people_skills
    }
    if not planned:
        return {}
    held: dict[int, list[HeldSkill]] = {}
    engineers = {visit.engineer_id for visit in planned.values()}
    for item in HeldSkill.objects.filter(engineer__in=engineers).select_related("skill"):
        held.setdefault(item.engineer_id, []).append(item)
    return {
        key: [problem.message for problem in _skill_problems(visit, requirements[key], held)]
        for key, visit in planned.items()
    }


def _skill_problems(
    visit: Visit, requirements: JobRequirements, held: Mapping[int, list[HeldSkill]]
) -> Iterator[Problem]:
    own, days = held.get(visit.engineer_id, []), local_days(visit.span)
    yield from skill_problems(visit.engineer, needed=requirements.skills, held=own, days=days)
    if visit.second_engineer_id is None:
        yield from alone_problems(visit.engineer, needed=requirements.team, held=own, days=days)


def _stuck_results(jobs: Collection[int], *, now: datetime) -> dict[int, ProvisioningResult]:
    if not jobs:
        return {}
    newest = ont_scans.newest_results().filter(job__in=jobs)
    return {result.job_id: result for result in newest if _is_stuck(result, now=now)}


def _is_stuck(result: ProvisioningResult, *, now: datetime) -> bool:
    return result.result_id in ont_scans.FAILED_RESULTS or ont_scans.is_retry_overdue(result, now=now)


def _provisioning(result: ProvisioningResult) -> Iterator[str]:
    if result.result_id in ont_scans.FAILED_RESULTS:
        yield _("Provisioning failed with result %(id)s.") % {"id": result.result_id}
    else:
        due = f"{local_time(ont_scans.retry_due_at(result)):%H:%M}"
        yield _("The provisioning result due at %(at)s is missing.") % {"at": due}
