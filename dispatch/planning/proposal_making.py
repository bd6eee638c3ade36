"""Makes a proposal: reads the problem, runs the engine, and saves what would change and why.

Loads numpy and holds the drives of a whole region, so it runs in a process of its own (the command
make_plan_proposal), which neither web processes nor the worker are.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog
from django.conf import settings
from django.utils import timezone

from dispatch.models import PlanProposal, ProposalState
from dispatch.planning.engine.routing_problem import Plan, PlanLimits, PlanProgress
from dispatch.planning.plan_runner import EngineFailed, EngineProcess, run_engine
from dispatch.planning.problem.late_visits import hold_late_days
from dispatch.planning.problem.problem_reader import LoadedProblem, read_problem
from dispatch.planning.proposal_changes import save_plan, save_start
from dispatch.planning.proposals import read_scope, record_failure

log = structlog.get_logger("dispatch.planning.proposal_making")
LOOK_SECONDS = 0.5


def make_proposal(proposal_id: int) -> None:
    """May run twice: a proposal that is made, or that another process makes, stays as it is."""
    waiting = PlanProposal.objects.filter(pk=proposal_id, state=ProposalState.REQUESTED)
    if not waiting.update(state=ProposalState.PLANNING, started_at=timezone.now()):
        return
    proposal = PlanProposal.objects.get(pk=proposal_id)
    try:
        _make(proposal)
    except EngineFailed as failed:
        log.error("planner failed", proposal=proposal_id, reason=str(failed))
        record_failure(proposal_id, str(failed))
    except Exception as problem:
        # whoever waits for it is shown that it failed
        record_failure(proposal_id, type(problem).__name__)
        raise


def _make(proposal: PlanProposal) -> None:
    # it starts while the problem is read, so that none of the plan's time goes by with that
    with EngineProcess() as engine:
        _make_with(engine, proposal)


def _make_with(engine: EngineProcess, proposal: PlanProposal) -> None:
    read = read_problem(
        read_scope(proposal), now=timezone.now(), travel_server_seconds=settings.TRAVEL_SERVER.seconds
    )
    if read is None:
        save_plan(proposal, None, Plan())
        return
    save_start(proposal, read)
    limits = PlanLimits(
        proposal.seconds,
        neighbourhoods=proposal.neighbourhoods,
        seed=proposal.seed,
        change_seconds=_change_seconds(proposal, read),
    )
    held = hold_late_days(read.problem, free=read.left)
    plan = run_engine(
        held.problem,
        limits,
        on_progress=progress_recorder(proposal),
        should_stop=_stop_check(proposal),
        engine=engine,
    )
    save_plan(proposal, read, plan, held)


def _change_seconds(proposal: PlanProposal, read: LoadedProblem) -> int:
    """None where nobody expects anybody yet: a search that moves few finds less, and there is nobody to be moved."""
    if read.visits or not proposal.change_minutes:
        return proposal.change_minutes * 60
    PlanProposal.objects.filter(pk=proposal.pk).update(is_first_plan=True)
    return 0


@dataclass
class _Interval:
    """Whether it is time again, at most twice a second."""

    due_at: float = field(default=0.0)

    def is_due(self) -> bool:
        now = time.monotonic()
        if now < self.due_at:
            return False
        self.due_at = now + LOOK_SECONDS
        return True


def progress_recorder(proposal: PlanProposal) -> Callable[[PlanProgress], None]:
    """What the plan is worth so far, for whoever watches it: at most twice a second."""
    interval = _Interval()

    def record(progress: PlanProgress) -> None:
        if interval.is_due():
            figures = {"value": progress.value, "travel_seconds": progress.travel_seconds}
            PlanProposal.objects.filter(pk=proposal.pk).update(**figures)

    return record


def _stop_check(proposal: PlanProposal) -> Callable[[], bool]:
    interval = _Interval()

    def should_stop() -> bool:
        requested = PlanProposal.objects.filter(pk=proposal.pk, stop_requested_at__isnull=False)
        return interval.is_due() and requested.exists()

    return should_stop
