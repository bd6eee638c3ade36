"""The worker's task that makes a proposal: it only looks after the process that does, and loads nothing of it."""

import os
import signal
import subprocess
import sys

from django.conf import settings

from dispatch.planning.proposals import record_failure
from monitoring import task_queue
from monitoring.processes import end_with_parent

LOOK_SECONDS = 2.0
# before the worker ends the task, which would leave the proposal as it was
SPARE_SECONDS = 2


@task_queue.task
def make_plan_proposal(proposal_id: int) -> None:
    """May run twice: a proposal that is made, or that another process makes, stays as it is."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "make_plan_proposal", str(proposal_id)]
    process = subprocess.Popen(  # noqa: S603  # our own command
        command,
        stdin=subprocess.DEVNULL,
        preexec_fn=end_with_parent(os.getpid(), by=signal.SIGKILL),  # noqa: PLW1509  # we have one thread
    )
    try:
        _wait(process, proposal_id)
    finally:
        process.kill()
        process.wait()


def _wait(process: "subprocess.Popen[bytes]", proposal_id: int) -> None:
    looks = int((settings.WORKER_TASK_SECONDS - SPARE_SECONDS) / LOOK_SECONDS)
    for _ in range(looks):
        try:
            code = process.wait(LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            task_queue.record_progress()
            continue
        if code:
            record_failure(proposal_id, f"ended with exit code {code}")
        return
    record_failure(proposal_id, f"not ready within {settings.WORKER_TASK_SECONDS - SPARE_SECONDS:g} s")
