"""A few random lives of tickets in every run; `make bench` lives more (row ticket_lives)."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from seller_sandbox.tests.faults.fault_lives import FaultLives

pytestmark = pytest.mark.usefixtures("network")
RUNS, LENGTH = 10, 25


def test_random_lives_keep_the_rules() -> None:
    """Table, order of notifications, SLA clock, slots given back, contact attempts, no due action with an error."""
    FaultLives.lives = 0
    few = settings(
        max_examples=RUNS,
        stateful_step_count=LENGTH,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    run_state_machine_as_test(FaultLives, settings=few)

    assert FaultLives.lives >= RUNS
