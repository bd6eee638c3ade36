"""Counts the days of a late order and whose they are (order-provisioning.md, Late Provision Notification; D18, D19).

The base day is the first day in delay, the day of completion or cancellation is none any more: from Monday to Thursday
these are three days, Monday to Wednesday.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from seller_sandbox.orders.appointments.mborc_rules import MBORC_RULES, MborcType, Payable
from seller_sandbox.orders.late_orders.exclusion_codes import ExclusionCode
from seller_sandbox.orders.limits import local_day

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Agreement:
    """An appointment, by its reservation key, and when the buyer was sent it."""

    key: str
    agreed_at: datetime
    starts_at: datetime
    ends_at: datetime

    @property
    def day(self) -> date:
        return local_day(self.starts_at)


@dataclass(frozen=True)
class Failure:
    """A slot in which nothing succeeded, or a late change by the seller.

    `code` is the exclusion's; "" leaves the days with the seller.
    """

    happened_at: datetime
    day: date
    code: str = ""


@dataclass(frozen=True)
class Period:
    """Days under one exclusion reason; both ends count."""

    code: str
    starts_on: date
    ends_on: date

    @property
    def days(self) -> int:
        return (self.ends_on - self.starts_on).days + 1


@dataclass(frozen=True)
class Delay:
    """An order's delay: every day of `total_days` is either the seller's or under one exclusion."""

    base_on: date
    ended_on: date
    exclusions: tuple[Period, ...] = ()

    @property
    def total_days(self) -> int:
        return max((self.ended_on - self.base_on).days, 0)

    @property
    def other_days(self) -> int:
        return sum(period.days for period in self.exclusions)

    @property
    def seller_days(self) -> int:
        return self.total_days - self.other_days

    @property
    def payable_days(self) -> int:
        """Days of MBORC are not the seller's, and payable all the same (MBORC rules; D18)."""
        if MBORC_RULES[MborcType.PROVISION].late_provision == Payable.NO:
            return self.seller_days
        mborc = (period.days for period in self.exclusions if period.code == ExclusionCode.MBORC)
        return self.seller_days + sum(mborc)


def find_base(agreements: Iterable[Agreement], failures: Iterable[Failure]) -> Agreement | None:
    """The latest of the agreements, which come in their order, before the first failure (D19).

    A late change by the buyer is no failure: its date is the base.
    """
    base = None
    first = min((failure.happened_at for failure in failures), default=None)
    for agreement in agreements:
        if base and first and agreement.agreed_at >= first:
            break
        base = agreement
    return base


def failure_periods(
    failures: Iterable[Failure], agreements: Sequence[Agreement], *, ended_on: date
) -> Iterator[Period]:
    """From a failure that was not the seller's to the day before the next appointment, or to the end."""
    for failure in failures:
        later = (agreed.day for agreed in agreements if agreed.agreed_at >= failure.happened_at)
        until = next(later, ended_on)
        if failure.code and until > failure.day:
            yield Period(failure.code, failure.day, until - ONE_DAY)


def apportion(periods: Iterable[Period], *, base_on: date, ended_on: date) -> tuple[Period, ...]:
    """The parts of the periods that lie inside the delay, no day twice: of two reasons the first one has the day."""
    owners: dict[date, Period] = {}
    for period in periods:
        first, last = max(period.starts_on, base_on), min(period.ends_on, ended_on - ONE_DAY)
        for number in range((last - first).days + 1):
            owners.setdefault(first + number * ONE_DAY, period)
    return tuple(_runs(owners))


def _runs(owners: dict[date, Period]) -> Iterator[Period]:
    """Days that follow each other under the same reason are one entry."""
    ordered = sorted(owners)
    numbered = enumerate(ordered)
    for (code, _), run in groupby(
        numbered, key=lambda item: (owners[item[1]].code, item[1] - item[0] * ONE_DAY)
    ):
        days = [day for _, day in run]
        yield Period(code, days[0], days[-1])
