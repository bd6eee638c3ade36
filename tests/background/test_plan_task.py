"""The worker makes a proposal in a process of its own, and says so when that fails."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from dispatch.models import Occasion, PlanProposal, ProposalState
from dispatch.planning.comparisons import request_comparison
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposals import request_proposal
from dispatch.planning.tasks import make_plan_comparison, make_plan_proposal
from engineers.shifts import day_span, local_time
from monitoring import task_queue
from tests import make
from tests.background import worker_process
from tests.background.worker_process import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def is_over(proposal: PlanProposal) -> bool:
    return not PlanProposal.objects.get(pk=proposal.pk).is_running


def requested() -> PlanProposal:
    """For tomorrow, with one engineer and one job."""
    tomorrow = local_time(timezone.now() + timedelta(days=1)).date()
    make.engineer()
    make.job(day=tomorrow, duration_minutes=60)
    scope = PlanScope(day_span(tomorrow))
    return request_proposal(scope=scope, by=make.dispatcher(), seconds=10, neighbourhoods=2)


def test_worker_makes_a_proposal(tmp_path: Path) -> None:
    proposal = requested()

    # longer than any other task may take
    with worker_process.running(tmp_path, WORKER_TASK_SECONDS="2") as worker:
        assert task_queue.enqueue(make_plan_proposal, proposal.pk)
        assert eventually(lambda: is_over(proposal)), worker.log.read_text()

    proposal.refresh_from_db()
    assert (proposal.state, proposal.failure) == (ProposalState.READY, "")
    assert proposal.changes.count() == 1


def test_worker_makes_all_ways_of_a_comparison(tmp_path: Path) -> None:
    tomorrow = local_time(timezone.now() + timedelta(days=1)).date()
    make.engineer()
    job = make.job(day=tomorrow, duration_minutes=60)
    comparison = request_comparison(occasion=Occasion.URGENT_JOB, by=make.dispatcher(), job=job)

    with worker_process.running(tmp_path, WORKER_TASK_SECONDS="60") as worker:
        assert task_queue.enqueue(make_plan_comparison, comparison.pk)
        assert eventually(lambda: all(map(is_over, comparison.proposals.all()))), worker.log.read_text()

    assert {proposal.failure for proposal in comparison.proposals.all()} == {""}
    assert [proposal.changes.count() for proposal in comparison.proposals.all()] == [1, 1, 1]


def test_comparison_whose_process_cannot_start_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = request_comparison(
        occasion=Occasion.URGENT_JOB,
        by=make.dispatcher(),
        job=make.job(day=local_time(timezone.now()).date()),
    )
    monkeypatch.setenv("DATABASE_URL", "nonsense")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "config.settings")

    make_plan_comparison(comparison.pk)

    failures = set(comparison.proposals.values_list("state", "failure"))
    assert failures == {(ProposalState.FAILED, "ended with exit code 1")}


def test_process_that_cannot_start_is_a_failure_of_the_proposal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its settings are refused."""
    proposal = requested()
    monkeypatch.setenv("DATABASE_URL", "nonsense")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "config.settings")

    make_plan_proposal(proposal.pk)

    proposal.refresh_from_db()
    assert (proposal.state, proposal.failure) == (ProposalState.FAILED, "ended with exit code 1")


def test_engine_starts_without_pandas() -> None:
    """VROOM's package loads it for a table that we do not read: 0.4 s and 42 MB of each start."""
    code = (
        "import sys; from dispatch.planning.engine import engine_process; sys.exit('pandas' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_web_processes_load_nothing_of_the_engine() -> None:
    """It takes 80 MB, and a quarter of a second to load."""
    code = (
        "import django, sys; django.setup();"
        "from dispatch.planning import proposal_acceptance, proposal_texts, tasks;"
        "from board.plans import views;"
        "sys.exit(len({'numpy', 'pandas', 'vroom'} & {*sys.modules}))"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.environment"}

    done = subprocess.run([sys.executable, "-c", code], env=environment, check=False)

    assert done.returncode == 0
