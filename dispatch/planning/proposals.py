"""Proposals of the planner from the request to the stop. Made elsewhere (proposal_making), in a process of its own."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from dispatch.models import PlanProposal, ProposalState
from dispatch.planning.problem.plan_scope import PlanScope
from engineers.models import User
from engineers.shifts import TimeSpan

# yesterday's proposals fit nothing any more
RETENTION = timedelta(days=2)
# then the worker is not running, or the task was lost
OVERDUE = timedelta(minutes=2)
# of a task's time: two starts of a process, reading and writing
OVERHEAD_SECONDS = 20
DEFAULT_SECONDS = 10
# one visit in five takes longer: so much at the end of a shift keeps most of what comes after it in the shift; more
# costs jobs, less is work after the shift (docs/adr/0019 and numbers.md)
DEFAULT_RESERVE_MINUTES = 20


def most_task_seconds() -> float:
    """The longest that the task which makes a proposal may take."""
    server = settings.TRAVEL_SERVER
    return settings.PLAN_SECONDS + OVERHEAD_SECONDS + (server.seconds if server.url else 0)


def request_proposal(
    *,
    scope: PlanScope,
    by: User,
    seconds: int = DEFAULT_SECONDS,
    neighbourhoods: int | None = None,
    seed: int = 1,
    change_minutes: int = 0,
) -> PlanProposal:
    """The row of a new proposal; whoever calls this queues the task that makes it. `change_minutes`: of driving that
    it costs to take a visit from its engineer or to begin it at another time; 0 makes a new plan. Proposals older than
    RETENTION are deleted, unless they were accepted for days to come."""
    now = timezone.now()
    old = PlanProposal.objects.filter(requested_at__lt=now - RETENTION)
    # the limits of one that was accepted hold for its days
    old.exclude(action__isnull=False, ends_at__gt=now).delete()
    return PlanProposal.objects.create(
        requested_by=by,
        requested_at=now,
        starts_at=scope.span.start,
        ends_at=scope.span.end,
        scope=scope_json(scope),
        seconds=min(seconds, settings.PLAN_SECONDS),
        neighbourhoods=neighbourhoods,
        seed=seed,
        change_minutes=change_minutes,
    )


def scope_json(scope: PlanScope) -> dict[str, Any]:
    """As read_scope reads it."""
    return {
        "area": scope.area,
        "jobs": sorted(scope.jobs) if scope.jobs is not None else None,
        "engineers": sorted(scope.engineers) if scope.engineers is not None else None,
        "max_jobs": scope.max_jobs,
        "reserve_minutes": scope.reserve_minutes,
        # keys of an object in JSON are texts
        "job_limits": sorted(scope.job_limits.items()),
    }


def read_scope(proposal: PlanProposal) -> PlanScope:
    stored = proposal.scope
    jobs, engineers = stored.get("jobs"), stored.get("engineers")
    return PlanScope(
        span=TimeSpan(proposal.starts_at, proposal.ends_at),
        area=stored.get("area"),
        jobs=frozenset(jobs) if jobs is not None else None,
        engineers=frozenset(engineers) if engineers is not None else None,
        max_jobs=stored.get("max_jobs"),
        reserve_minutes=stored.get("reserve_minutes", 0),
        job_limits=dict(stored.get("job_limits", [])),
    )


def request_stop(proposal: PlanProposal) -> bool:
    """Offer the best plan so far, as soon as the engine has one; whether there was anything to stop."""
    running = PlanProposal.objects.filter(
        pk=proposal.pk, state__in=[ProposalState.REQUESTED, ProposalState.PLANNING], stop_requested_at=None
    )
    return bool(running.update(stop_requested_at=timezone.now()))


def record_failure(proposal_id: int, failure: str) -> None:
    record_failures(PlanProposal.objects.filter(pk=proposal_id), failure)


def record_failures(proposals: QuerySet[PlanProposal], failure: str) -> None:
    """Of those of these proposals that are not ready; nothing in the plan has changed."""
    running = proposals.exclude(state=ProposalState.READY)
    running.update(state=ProposalState.FAILED, failure=failure[:300], made_at=timezone.now())


def _longest_wait() -> timedelta:
    """For what a running task makes; then its process is gone."""
    return OVERDUE + timedelta(seconds=most_task_seconds())


def fail_abandoned_proposals(now: datetime) -> None:
    """Those that were begun longer ago than any task may take: the process has died with its worker, and a task that
    runs again leaves them to it. Those that nobody has begun still wait for a worker."""
    latest = now - _longest_wait()
    abandoned = PlanProposal.objects.filter(state=ProposalState.PLANNING, started_at__lt=latest)
    record_failures(abandoned, "its process ended without a plan")


def is_overdue(proposal: PlanProposal, *, now: datetime) -> bool:
    """Whether nobody will make it any more: it takes too long, or waits although no other plan is being made."""
    limit = _longest_wait()
    if not proposal.is_running or now - (proposal.started_at or proposal.requested_at) <= limit:
        return False
    others = PlanProposal.objects.filter(state=ProposalState.PLANNING, started_at__gt=now - limit)
    return proposal.state == ProposalState.PLANNING or not others.exists()
