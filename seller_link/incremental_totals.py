"""Sums over a table that only grows: no row is missed, none counted twice, and not all are read each time.

PostgreSQL hands out keys before the commit, so that a row may appear below one that has long been counted, as late
as its transaction likes. What may still get such rows is counted anew at each question; what lies below is kept as
a sum once every transaction is over that was under way when it was looked at.

The sum is also kept in the database (SettledTotals): to add up 50 million rows again takes longer than whoever asks for
figures waits, and each process would do it after each start.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

import structlog
from django.db import DatabaseError, models, transaction
from django.db.models import Max

from monitoring.transaction_numbers import SETTLED_AFTER_SECONDS, transactions
from seller_link.models import SettledTotals

log = structlog.get_logger("seller_link.incremental_totals")
# fewer are read again sooner than written down each time
ROWS_PER_RECORD = 10_000
Group = tuple[str, ...]
Sums = dict[Group, Counter[str]]


@dataclass(frozen=True)
class Watermark:
    """The highest key at a moment, and the transaction that would have been the next one to begin."""

    key: int
    next_transaction: int
    seen_at: float


class IncrementalTotals:
    """`sums` names what is added up, in the groups of `by` (fields, or names of expressions); one per process.

    Rows must be never deleted and what is grouped and added never changed. Other names or other groups are other
    totals; where only their meaning changes, `name` must.
    """

    def __init__(
        self,
        rows: "models.QuerySet[Any]",
        *,
        name: str,
        by: Mapping[str, Any],
        sums: Mapping[str, Any],
        settled_after: float = SETTLED_AFTER_SECONDS,
        rows_per_record: int = ROWS_PER_RECORD,
    ) -> None:
        shape = hashlib.sha256(repr((list(by), list(sums))).encode()).hexdigest()
        self._name, self._rows_per_record = f"{name} {shape[:16]}", rows_per_record
        # up to which row the sum is in the database; None before the first reading
        self._recorded_to: int | None = None
        self._rows, self._by, self._sums = rows.order_by(), by, sums
        self._settled_after = settled_after
        self._settled: Sums = {}
        self._settled_to = 0
        self._mark: Watermark | None = None

    def totals(self) -> Sums:
        """Of all rows that are committed now. Not for two threads at once."""
        if self._recorded_to is None:
            self._load()
        self._add_settled_rows()
        if self._mark is None:
            self._mark = self._read_watermark()
        return _added(self._settled, self._read(pk__gt=self._settled_to))

    def _read_watermark(self) -> Watermark:
        """The key first: who got a lower one had begun by then."""
        key = self._rows.filter(pk__gt=self._settled_to).aggregate(key=Max("pk"))["key"]
        _oldest, following = transactions()
        return Watermark(key or self._settled_to, following, monotonic())

    def _add_settled_rows(self) -> None:
        mark = self._mark
        if mark is None or monotonic() - mark.seen_at < self._settled_after:
            return
        oldest, _following = transactions()
        if oldest < mark.next_transaction:
            return
        found = self._read(pk__gt=self._settled_to, pk__lte=mark.key)
        self._settled, self._settled_to, self._mark = _added(self._settled, found), mark.key, None
        if self._settled_to - (self._recorded_to or 0) >= self._rows_per_record:
            self._record()

    def _load(self) -> None:
        known = SettledTotals.objects.filter(name=self._name).first()
        self._recorded_to = known.settled_to if known else 0
        if known:
            self._settled = {tuple(group): Counter(sums) for group, sums in known.sums}
            self._settled_to = known.settled_to

    def _record(self) -> None:
        """For processes that start later. While the database cannot write, the figures are given all the same."""
        sums = [[list(group), dict(counter)] for group, counter in self._settled.items()]
        try:
            with transaction.atomic():
                row, _is_new = SettledTotals.objects.get_or_create(
                    name=self._name, defaults={"settled_to": 0, "sums": []}
                )
                # another process may have come further
                behind = SettledTotals.objects.filter(pk=row.pk, settled_to__lt=self._settled_to)
                behind.update(settled_to=self._settled_to, sums=sums)
        except DatabaseError as problem:
            log.warning("totals not recorded", error=type(problem).__name__)
            return
        self._recorded_to = self._settled_to

    def _read(self, **limits: int) -> Sums:
        rows = self._rows.filter(**limits).annotate(**{f"by_{name}": what for name, what in self._by.items()})
        groups = [f"by_{name}" for name in self._by]
        sums = {f"sum_{name}": what for name, what in self._sums.items()}
        return {
            tuple("" if row[name] is None else str(row[name]) for name in groups): Counter(
                {name: row[f"sum_{name}"] or 0 for name in self._sums}
            )
            for row in rows.values(*groups).annotate(**sums)
        }


def _added(sums: Sums, other: Sums) -> Sums:
    return {group: sums.get(group, Counter()) + other.get(group, Counter()) for group in {*sums, *other}}
