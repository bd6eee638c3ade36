"""The office's clock in tests."""

from collections.abc import Iterator

import pytest
import time_machine

from tests import make


@pytest.fixture(autouse=True)
def day_before() -> Iterator[None]:
    """The day before make.DAY, whenever the tests run: nothing is late, short notice or in the past by the calendar."""
    with time_machine.travel(make.at("12:00", day=make.DAY - make.minutes(24 * 60))):
        yield
