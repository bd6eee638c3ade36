"""Load of network nodes in the last finished busy period, in samples of five minutes (fault-decisions.md, D10, D11).

A sample follows from the node, the hour and what was switched: the same again each time, and nothing to store. The
decision record is docs/adr/0022-load-and-its-colours.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any
from zlib import crc32

from django.conf import settings
from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.diagnostics import data_tables
from seller_sandbox.diagnostics.models import SwitchedLoad
from seller_sandbox.diagnostics.signals import load_changed

# percent; None is a sample that was not measured
Sample = Decimal | None


class Rag(StrEnum):
    RED = "Red"
    ORANGE = "Orange"
    GREEN = "Green"
    UNKNOWN = "Unk"


# an unknown node may be a red one, so it counts for more than a green one
WORST_FIRST = (Rag.RED, Rag.ORANGE, Rag.UNKNOWN, Rag.GREEN)


@dataclass(frozen=True)
class BusyPeriod:
    """From `starts_at` to before `ends_at`."""

    starts_at: datetime
    ends_at: datetime

    @property
    def sample_times(self) -> list[datetime]:
        """When each sample begins, in local time."""
        step = timedelta(minutes=data_tables.read("node_load")["sample_minutes"])
        count = (self.ends_at - self.starts_at) // step
        return [(self.starts_at + number * step).astimezone(settings.LOCAL_ZONE) for number in range(count)]


def last_busy_period() -> BusyPeriod:
    """The last one that has ended by the sandbox's clock."""
    now = clock.now().astimezone(settings.LOCAL_ZONE)
    period = _period_of(now)
    return period if period.ends_at <= now else _period_of(now - timedelta(days=1))


def _period_of(moment: datetime) -> BusyPeriod:
    starts, ends = (
        datetime.combine(moment.date(), time, tzinfo=settings.LOCAL_ZONE) for time in settings.BUSY_PERIOD
    )
    return BusyPeriod(starts, ends)


# --- colours ----------------------------------------------------------------------------------------------
def colours(nodes: Mapping[str, str]) -> dict[str, Rag]:
    """The colour of each of these nodes by its name; `nodes` are the nodes' identifiers by their names."""
    found = list_samples(nodes.values())
    return {name: colour(found[node], minutes=peak_minutes(name)) for name, node in nodes.items()}


def peak_minutes(name: str) -> int:
    """Over how many minutes the load of a node of this name is taken (Rules for reading the result 3)."""
    return data_tables.read("node_load")["peak_minutes"][name]


def colour(samples: Sequence[Sample], *, minutes: int) -> Rag:
    """By the peak as it is, not rounded: Green below 80 %, Orange below 95 %, otherwise Red (D10)."""
    limits = data_tables.read("node_load")
    peak = peak_percent(samples, minutes=minutes)
    if peak is None:
        return Rag.UNKNOWN
    if peak >= limits["red_from_percent"]:
        return Rag.RED
    return Rag.ORANGE if peak >= limits["orange_from_percent"] else Rag.GREEN


def peak_percent(samples: Sequence[Sample], *, minutes: int) -> Decimal | None:
    """The highest mean over so many minutes without a gap, None when there are none (D11)."""
    count = minutes // data_tables.read("node_load")["sample_minutes"]
    stretches = (samples[first : first + count] for first in range(len(samples) - count + 1))
    sums = [sum(stretch) for stretch in stretches if None not in stretch]
    return max(sums) / count if sums else None


def worst(colours: Iterable[Rag]) -> Rag:
    """Red, Orange, Unk, Green; Unk when there are none."""
    return min(colours, key=WORST_FIRST.index, default=Rag.UNKNOWN)


# --- samples ----------------------------------------------------------------------------------------------
def list_samples(nodes: Iterable[str]) -> dict[str, list[Sample]]:
    """The samples of the last busy period by node, one for each five minutes."""
    period = last_busy_period()
    found = {node: [*_usual_samples(node, period)] for node in nodes}
    if found and (
        rows := _switched(len(found)).all(**{f"node{number}": node for number, node in enumerate(found)})
    ):
        minutes = [time.hour * 60 + time.minute for time in period.sample_times]
        for row in rows:
            _apply(row, minutes, found[row.node])
    return found


@cache
def _switched(count: int) -> CompiledQuery[SwitchedLoad]:
    """What was switched on so many nodes."""
    nodes = [Parameter(f"node{number}") for number in range(count)]
    return CompiledQuery(lambda: SwitchedLoad.objects.filter(node__in=nodes).order_by("pk"))


def _apply(row: SwitchedLoad, minutes: list[int], samples: list[Sample]) -> None:
    for number, minute in enumerate(minutes):
        if row.first_minute <= minute < row.end_minute:
            samples[number] = row.percent


@lru_cache(maxsize=20_000)
def _usual_samples(node: str, period: BusyPeriod) -> tuple[Decimal, ...]:
    """Busier in the evening, some nodes more than others, and never so busy that a colour changes."""
    table = data_tables.read("node_load")
    of_node = crc32(node.encode()) % (table["usual_difference_of_nodes"] + 1)
    return tuple(
        Decimal(
            table["usual_percent_by_hour"][time.hour]
            + of_node
            + crc32(f"{node} {time.isoformat()}".encode()) % (table["usual_difference_of_samples"] + 1)
        )
        for time in period.sample_times
    )


# --- switches ---------------------------------------------------------------------------------------------
def congest(node: str, *, percent: Decimal, first_minute: int, end_minute: int) -> SwitchedLoad:
    """From now on the node has this load each day between two minutes of the day, local time.

    It counts for the last busy period at once. What is switched later wins where both are about the same minutes.
    """
    return _switch(node=node, percent=percent, first_minute=first_minute, end_minute=end_minute)


def stop_measuring(node: str, *, first_minute: int, end_minute: int) -> SwitchedLoad:
    """There are no samples of the node between these minutes of the day, until its load is switched back."""
    return _switch(node=node, first_minute=first_minute, end_minute=end_minute)


@transaction.atomic
def clear(nodes: Iterable[str]) -> int:
    """Back to the usual load; says how many switches were ended."""
    ended = SwitchedLoad.objects.filter(node__in=[*nodes]).delete()[0]
    if ended:
        load_changed.send(sender=SwitchedLoad)
    return ended


@transaction.atomic
def _switch(**fields: Any) -> SwitchedLoad:
    switched = SwitchedLoad.objects.create(**fields)
    load_changed.send(sender=SwitchedLoad)
    return switched
