"""How many jobs of a day an engineer may have: what a dispatcher chose for a plan holds for what is proposed later."""

from django.db.models import Max, Q

from dispatch.models import PlanProposal
from dispatch.planning.proposals import read_scope
from engineers.shifts import TimeSpan


def accepted_job_limits(span: TimeSpan) -> dict[int, int]:
    """By engineer (key) the limit of the newest plan for a part of this time that was accepted, at least in part, and
    not undone. A plan without a limit, but for a selection of jobs, ends an earlier one. One query, and one for each
    plan."""
    is_in_force = Q(changes__accepted_at__isnull=False) & (
        Q(changes__action=None) | Q(changes__action__undone_at=None)
    )
    plans = PlanProposal.objects.filter(comparison=None, starts_at__lt=span.end, ends_at__gt=span.start)
    accepted = plans.annotate(last=Max("changes__accepted_at", filter=is_in_force)).exclude(last=None)
    limits: dict[int, int] = {}
    for scope in map(read_scope, accepted.order_by("last", "pk")):
        if scope.max_jobs is not None:
            limits |= dict.fromkeys(scope.engineer_keys(), scope.max_jobs)
        elif scope.jobs is None:
            ended = scope.engineer_keys()
            limits = {key: limit for key, limit in limits.items() if key not in ended}
    return limits
