"""The engine's own process: a request on standard input, the best plan so far as a line of JSON on standard output.

Apart from web processes and the worker, so that memory, a crash or a hang of the engine end this process only. It
knows nothing of Django and of the database.
"""

import os
import pickle
import signal
import sys
import time

from dispatch.planning.engine.engine_model import build_model
from dispatch.planning.engine.plan_progress import progress_line
from dispatch.planning.engine.plan_search import PlanSearch
from dispatch.planning.engine.routing_problem import EngineRequest, PlanProgress
from dispatch.planning.engine.solver_pool import SolverPools
from monitoring.processes import end_with_parent


def main() -> None:
    if bind := end_with_parent(os.getppid(), by=signal.SIGKILL):
        bind()
    # what our parent wrote; nobody else can
    request = pickle.load(sys.stdin.buffer)  # noqa: S301
    assert isinstance(request, EngineRequest)
    model = build_model(request.problem)
    with SolverPools(model) as pools:
        for option, limits in enumerate(request.options):
            started = time.monotonic() if request.started is None else request.started
            PlanSearch(model, limits, _report, option=option, started=started).run(pools)
    sys.stdout.flush()
    # leaving takes time, and nothing is left to do
    os._exit(0)


def _report(progress: PlanProgress) -> None:
    sys.stdout.write(progress_line(progress) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
