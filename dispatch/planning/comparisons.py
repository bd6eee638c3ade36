"""Several options to go on with a day in which something has happened, or might happen: requested here, made elsewhere
(comparison_making), compared on the board. Nothing has changed before one of them is accepted."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from dispatch.models import Job, Occasion, PlanComparison, PlanProposal, Visit
from dispatch.plan_changes.plan_overruns import overrun_with
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.planning.change_weights import ChangeWeight, minutes_by_option
from dispatch.planning.job_limits import accepted_job_limits
from dispatch.planning.problem.plan_scope import Assumptions, PlanScope
from dispatch.planning.proposals import DEFAULT_RESERVE_MINUTES, RETENTION, record_failures, scope_json
from dispatch.planning.urgent_days import first_start
from dispatch.visits import current_visit
from engineers.models import Engineer, User
from engineers.shifts import TimeSpan, day_span, end_with_night_shifts, local_time

# at most: they are limited by work, so that the same day gives the same options
SECONDS_OF_OPTION = 2
# an engineer has time that was meant for a visit
FREES_TIME = frozenset({Occasion.JOB_CANCELLED, Occasion.NO_ACCESS})


@transaction.atomic
def request_comparison(
    *,
    occasion: Occasion,
    by: User,
    job: Job | None = None,
    engineer: Engineer | None = None,
    absent_since: datetime | None = None,
    longer_minutes: int = 0,
    weight: ChangeWeight = ChangeWeight.FEW,
    seconds: int | None = None,
) -> PlanComparison:
    """With a proposal for each option, which takes so many `seconds` at most (SECONDS_OF_OPTION); whoever calls this
    queues the task that makes them."""
    now = timezone.now()
    visit = current_visit(job) if job else None
    PlanComparison.objects.filter(requested_at__lt=now - RETENTION).delete()
    comparison = PlanComparison.objects.create(
        requested_by=by,
        requested_at=now,
        occasion=occasion,
        job=job,
        engineer=engineer,
        absent_since=absent_since,
        longer_minutes=longer_minutes,
        overrun=overrun_with(visit, timedelta(minutes=longer_minutes), now=now),
        version=plan_version(visit) if job else "",
    )
    span = _rest_of_day(job, visit, engineer, absent_since, now=now)
    # time that was freed is filled, but not to the last minute of a shift; whoever lost an engineer needs all of it
    reserve = DEFAULT_RESERVE_MINUTES if occasion in FREES_TIME else 0
    scope = PlanScope(span, reserve_minutes=reserve, job_limits=accepted_job_limits(span))
    for option, change_minutes in minutes_by_option(weight).items():
        PlanProposal.objects.create(
            requested_by=by,
            requested_at=now,
            starts_at=span.start,
            ends_at=span.end,
            scope=scope_json(scope),
            seconds=seconds or SECONDS_OF_OPTION,
            change_minutes=change_minutes,
            option=option,
            comparison=comparison,
        )
    return comparison


def _rest_of_day(
    job: Job | None,
    visit: Visit | None,
    engineer: Engineer | None,
    absent_since: datetime | None,
    *,
    now: datetime,
) -> TimeSpan:
    """From now, or from the morning of a later day: of the job's visit, of the absence, or the first of the job's
    window on which somebody can do it. To the end of the day, or of the night shift of whom it concerns."""
    at = visit.planned_start if visit else (job.window_start if job else absent_since or now)
    start = max(at, now)
    if job and visit is None:
        start = first_start(job, start)
    day = local_time(start).date()
    people = visit.people if visit else [engineer] if engineer else []
    return TimeSpan(max(day_span(day).start, now), end_with_night_shifts(people, day=day))


def assumptions_of(comparison: PlanComparison) -> Assumptions:
    job = frozenset({comparison.job_id} if comparison.job_id else set[int]())
    match comparison.occasion:
        case Occasion.URGENT_JOB:
            return Assumptions(urgent_jobs=job)
        case Occasion.JOB_CANCELLED:
            return Assumptions(cancelled_jobs=job)
        case Occasion.NO_ACCESS:
            return Assumptions(ended_jobs=job)
        case Occasion.VISIT_LONGER:
            by = timedelta(minutes=comparison.longer_minutes)
            return Assumptions(longer_job=comparison.job_id, longer_by=by)
        case _:
            since = comparison.absent_since or comparison.requested_at
            return Assumptions(absent_engineer=comparison.engineer_id, absent_since=since)


def record_comparison_failure(comparison_id: int, failure: str) -> None:
    record_failures(PlanProposal.objects.filter(comparison=comparison_id), failure)
