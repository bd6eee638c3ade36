"""`python -m tests.bench.random_days DAYS`: plans so many random days under way; prints JSON.

A process of its own, since its database is chosen from the environment before Django starts. A day whose plan adds a
breach ends it with that day.
"""

import json
import sys
import time

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from hypothesis import HealthCheck, Phase, given, settings  # noqa: E402

from tests.dispatch.drawn_days import DrawnDay, check_plan_of, drawn_days  # noqa: E402


def main() -> None:
    (number,) = map(int, sys.argv[1:])
    call_command("migrate", verbosity=0)
    planned = 0

    @settings(
        max_examples=number,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn_days)
    def every_day(day: DrawnDay) -> None:
        nonlocal planned
        check_plan_of(day)
        planned += 1

    started = time.process_time()
    every_day()
    report = {"days": planned, "processor_seconds": time.process_time() - started}
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
