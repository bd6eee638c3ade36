"""Working days of England: Monday to Friday without the bank holidays, from the library `holidays`."""

from datetime import date, timedelta
from functools import cache

import holidays

_SATURDAY = 5


@cache
def _bank_holidays(year: int) -> frozenset[date]:
    """Made when first asked for: the library reads its modules of all countries, which not every process needs.

    Each year from an object of its own: one that grows by year loses days when two threads let it grow at once.
    """
    return frozenset(holidays.country_holidays("GB", subdiv="ENG", years=year, expand=False))


def is_bank_holiday(day: date) -> bool:
    return day in _bank_holidays(day.year)


def is_business_day(day: date) -> bool:
    return day.weekday() < _SATURDAY and not is_bank_holiday(day)


def add_business_days(day: date, number: int) -> date:
    """The `number`-th business day after `day`; with 0 the day itself, whatever it is."""
    for _ in range(number):
        day = _next(day, timedelta(days=1))
    return day


def business_day_before(day: date) -> date:
    return _next(day, timedelta(days=-1))


def _next(day: date, step: timedelta) -> date:
    day += step
    while not is_business_day(day):
        day += step
    return day
