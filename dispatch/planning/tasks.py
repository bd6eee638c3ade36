"""The worker's tasks that make proposals: they only look after the process that does, and load nothing of it."""

import os
import signal
import subprocess
import sys
import time

from django.conf import settings
from django.utils import timezone

from dispatch.planning.comparisons import record_comparison_failure
from dispatch.planning.proposals import fail_abandoned_proposals, most_task_seconds, record_failure
from monitoring import task_queue
from monitoring.processes import end_with_parent

LOOK_SECONDS = 2.0
# before the worker ends the task, which would leave the proposal as it was
SPARE_SECONDS = 2


@task_queue.long_task(most_task_seconds)
def make_plan_proposal(proposal_id: int) -> None:
    """May run twice: a proposal that is made, or that another process makes, stays as it is."""
    failure = _run("make_plan_proposal", str(proposal_id))
    if failure:
        record_failure(proposal_id, failure)


@task_queue.long_task(most_task_seconds)
def make_plan_comparison(comparison_id: int) -> None:
    """As make_plan_proposal, for all options of a comparison."""
    failure = _run("make_plan_proposal", "--comparison", str(comparison_id))
    if failure:
        record_comparison_failure(comparison_id, failure)


@task_queue.scheduled_task("watch for plans that nobody makes any more")
def watch_plans() -> None:
    """Each minute; a run that comes late or twice finds the same."""
    fail_abandoned_proposals(timezone.now())


def _run(*command: str) -> str:
    """Why it failed, or nothing."""
    process = subprocess.Popen(  # noqa: S603  # our own command
        [sys.executable, str(settings.BASE_DIR / "manage.py"), *command],
        stdin=subprocess.DEVNULL,
        preexec_fn=end_with_parent(os.getpid(), by=signal.SIGKILL),  # noqa: PLW1509  # we have one thread
    )
    try:
        return _wait(process)
    finally:
        process.kill()
        process.wait()


def _wait(process: "subprocess.Popen[bytes]") -> str:
    seconds = most_task_seconds() - SPARE_SECONDS
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            code = process.wait(LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            task_queue.record_progress()
            continue
        return f"ended with exit code {code}" if code else ""
    return f"not ready within {seconds:g} s"
