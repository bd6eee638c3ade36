"""Working days of England, asked for by the many threads of an endpoint."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest

from seller_sandbox.network import business_days

YEARS = range(2020, 2100)


@pytest.fixture
def hurried_threads() -> Iterator[None]:
    """Threads take turns in the middle of everything."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_threads_that_ask_at_once_lose_no_bank_holiday(hurried_threads: None) -> None:
    for _ in range(5):
        business_days._bank_holidays.cache_clear()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda year: business_days.is_bank_holiday(date(year, 7, 1)), YEARS))

        days = [date(year, 12, day) for year in YEARS for day in (25, 26)]
        assert [day for day in days if not business_days.is_bank_holiday(day)] == []


@pytest.mark.parametrize(
    ("day", "is_one"),
    [
        (date(2026, 4, 3), True),
        (date(2026, 8, 31), True),
        # 26 December is a Saturday
        (date(2026, 12, 28), True),
        (date(2026, 12, 29), False),
        # 1 January is a Saturday
        (date(2028, 1, 3), True),
        (date(2022, 6, 3), True),
    ],
)
def test_bank_holidays_are_those_of_england(day: date, *, is_one: bool) -> None:
    assert business_days.is_bank_holiday(day) == is_one
