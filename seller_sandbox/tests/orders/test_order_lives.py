"""A few random lives of orders in every run; `make bench` lives ten thousand (row order_lives)."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from seller_sandbox.tests.orders.order_lives import OrderLives

pytestmark = pytest.mark.usefixtures("network")
RUNS, STEPS = 8, 25


def test_random_lives_stay_inside_the_table() -> None:
    """States, message sequences, provisioning before KCI3, capacity given back, no due action with an error."""
    OrderLives.lives = 0
    few = settings(
        max_examples=RUNS,
        stateful_step_count=STEPS,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    run_state_machine_as_test(OrderLives, settings=few)

    assert OrderLives.lives > RUNS
