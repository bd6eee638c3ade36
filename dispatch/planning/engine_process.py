"""The engine's own process: a problem on standard input, the best plan so far as a line of JSON on standard output.

Apart from web processes and the worker, so that memory, a crash or a hang of the engine end this process only. It
knows nothing of Django and of the database.
"""

import os
import pickle
import signal
import sys
import time

from dispatch.planning.plan_problem import PlanLimits, PlanProblem, PlanProgress
from dispatch.planning.plan_progress import progress_line
from dispatch.planning.plan_search import PlanSearch
from monitoring.processes import end_with_parent


def main(started: float) -> None:
    """`started`: when the time limit began, by time.monotonic, which all processes of a machine share."""
    if bind := end_with_parent(os.getppid(), by=signal.SIGKILL):
        bind()
    # what our parent wrote; nobody else can
    problem, limits = pickle.load(sys.stdin.buffer)  # noqa: S301
    assert isinstance(problem, PlanProblem)
    assert isinstance(limits, PlanLimits)

    def report(progress: PlanProgress) -> None:
        sys.stdout.write(progress_line(progress) + "\n")
        sys.stdout.flush()

    PlanSearch(problem, limits, report, started=started).run()
    sys.stdout.flush()
    # pandas and numpy take a tenth of a second to leave, and nothing is left to do
    os._exit(0)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else time.monotonic())
