"""How far real drives lie from expected ones, learned each night: by the hour in which they begin, where enough of them
have begun in it, and over all hours."""

from collections.abc import Collection, Sequence
from datetime import datetime
from statistics import median
from typing import NamedTuple

from django.db import transaction

from dispatch.models import DriveCorrection, DriveSource

# fewer drives than these say little: nothing is corrected
FEWEST_DRIVES = 40
# beyond these something else is wrong: homes, places, or phones that report late
SMALLEST, LARGEST = 0.5, 2.5


class DriveSample(NamedTuple):
    """One drive from en route to on site. `ratio`: real time by expected time, before any correction."""

    source: DriveSource
    hour: int
    ratio: float


def compute_corrections(samples: Collection[DriveSample], *, now: datetime) -> list[DriveCorrection]:
    """Rows that are not stored yet: the samples are many, and SQLite's one writer must not wait for them."""
    off = set(DriveCorrection.objects.filter(is_used=False).values_list("source", "hour"))
    learned = [row for source in DriveSource for row in _corrections(samples, source, now=now)]
    for row in learned:
        row.is_used = (row.source, row.hour) not in off
    return learned


def corrected_ratios(samples: Collection[DriveSample], learned: Collection[DriveCorrection]) -> list[float]:
    """The ratios of these drives to what is expected with these corrections."""
    used = {(row.source, row.hour): row.factor for row in learned if row.is_used}
    return [sample.ratio / _factor(used, sample) for sample in samples]


@transaction.atomic
def replace_corrections(learned: Collection[DriveCorrection]) -> None:
    """Replaces what was learned before; what somebody has switched off stays so, also when it was switched off while
    these were computed, and over nights with too few drives to learn it again."""
    off = {(row.source, row.hour): row.pk for row in DriveCorrection.objects.filter(is_used=False)}
    hours = {(row.source, row.hour) for row in learned}
    for row in learned:
        row.is_used = (row.source, row.hour) not in off
    DriveCorrection.objects.exclude(pk__in=[pk for hour, pk in off.items() if hour not in hours]).delete()
    DriveCorrection.objects.bulk_create(learned)


def _factor(used: dict[tuple[str, int | None], float], sample: DriveSample) -> float:
    at_any_hour = used.get((sample.source, None), 1.0)
    return used.get((sample.source, sample.hour), at_any_hour)


def _corrections(
    samples: Collection[DriveSample], source: DriveSource, *, now: datetime
) -> list[DriveCorrection]:
    own = [sample for sample in samples if sample.source == source]
    by_hour = {hour: [sample.ratio for sample in own if sample.hour == hour] for hour in range(24)}
    found: list[tuple[int | None, Sequence[float]]] = [
        (None, [sample.ratio for sample in own]),
        *by_hour.items(),
    ]
    return [
        DriveCorrection(
            source=source,
            hour=hour,
            factor=min(max(median(ratios), SMALLEST), LARGEST),
            learned_from=len(ratios),
            learned_at=now,
        )
        for hour, ratios in found
        if len(ratios) >= FEWEST_DRIVES
    ]
