"""Random lives of orders or tickets until so many have lived, with the sandbox seller's settings; prints JSON.

`python -m tests.bench.random_lives orders N`: a life that breaks a rule ends it with the steps that lead there.
"""

import argparse
import json
import logging
import os
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "seller_sandbox.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from hypothesis import HealthCheck, Phase, settings  # noqa: E402
from hypothesis.stateful import run_state_machine_as_test  # noqa: E402

from seller_sandbox.network.loading import load_network  # noqa: E402
from seller_sandbox.tests.faults.fault_lives import FaultLives  # noqa: E402
from seller_sandbox.tests.orders.order_lives import OrderLives  # noqa: E402

# and how many runs hypothesis makes at a time
KINDS = {"orders": (OrderLives, 50), "tickets": (FaultLives, 10)}
STEPS = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("lives", type=int)
    wanted = parser.parse_args()
    machine, runs = KINDS[wanted.kind]
    logging.disable(logging.INFO)
    call_command("migrate", verbosity=0)
    load_network(copies=2)
    some = settings(
        max_examples=runs,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    started = time.process_time()
    while machine.lives < wanted.lives:
        run_state_machine_as_test(machine, settings=some)
    processor_seconds = time.process_time() - started
    json.dump(
        {"lives": machine.lives, "events": machine.events, "processor_seconds": processor_seconds},
        sys.stdout,
    )


if __name__ == "__main__":
    main()
