"""What puts jobs at risk besides the clock: a missing survey or lead time, stuck provisioning, a hold."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from dispatch import ont_scans
from dispatch.models import Job, ProvisioningResult, Visit
from dispatch.requirements import JobRequirements, survey_problems
from dispatch.risk import BEFORE_ARRIVAL
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
    of jobs at which somebody was on site. One query where a job was begun."""
    jobs = list(jobs)
    stuck = _stuck_results([job.pk for job in jobs if job.is_open and job.pk in begun], now=now)
    found = {
        job.pk: [
            *_hold(job),
            *(_survey(job, visits.get(job.pk), requirements[job.pk]) if job.pk not in begun else ()),
            *(_provisioning(stuck[job.pk]) if job.pk in stuck else ()),
        ]
        for job in jobs
    }
    return {key: concerns for key, concerns in found.items() if concerns}


def _hold(job: Job) -> Iterator[str]:
    if job.held_at:
        yield _("On hold since %(at)s.") % {"at": f"{local_time(job.held_at):%H:%M}"}


def _survey(job: Job, visit: Visit | None, requirements: JobRequirements) -> Iterator[str]:
    if job.state not in BEFORE_ARRIVAL:
        return
    # unassigned, it can still be planned for the last moment of its window
    starts_at = visit.planned_start if visit else job.window_end
    for problem in survey_problems(requirements, starts_at=starts_at):
        yield problem.message


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
