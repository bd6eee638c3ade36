"""How long jobs of a type take, learned each night from closed ones; flag_rules.usual_minutes uses it for new jobs for
which the seller gives no length."""

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import groupby
from statistics import quantiles
from typing import NamedTuple

from django.db import transaction

from dispatch.models import LearnedLength

# fewer jobs than these say little
FEWEST_JOBS = 40
# in percent; flag_rules.planned_minutes takes the fourth
SHARES = (10, 25, 50, 75, 90)
STEP_MINUTES = 5
# as the columns have it; what the seller sends has no bound
LONGEST_PRODUCT, LONGEST_FLAG = 200, 40

# job type, product, flag; empty for any product and for no flag
Group = tuple[str, str, str]


class LengthSample(NamedTuple):
    """A closed job that was worked on."""

    job_type: str
    product: str
    flags: frozenset[str]
    minutes: float


def compute_lengths(samples: Collection[LengthSample], *, now: datetime) -> list[LearnedLength]:
    """Rows that are not stored yet: the samples are many, and SQLite's one writer must not wait for them."""
    grouped = sorted(
        (group, sample.minutes) for sample in samples for group in _groups(sample) if is_storable(group)
    )
    by_group = {
        group: [minutes for _group, minutes in members]
        for group, members in groupby(grouped, key=lambda member: member[0])
    }
    return [
        _learned_length(group, minutes, now=now)
        for group, minutes in by_group.items()
        if len(minutes) >= FEWEST_JOBS
    ]


def _learned_length(group: Group, minutes: Collection[float], *, now: datetime) -> LearnedLength:
    job_type, product, flag = group
    return LearnedLength(
        job_type=job_type,
        product=product,
        flag=flag,
        minutes=_quantiles(minutes),
        learned_from=len(minutes),
        learned_at=now,
    )


@transaction.atomic
def replace_lengths(learned: Collection[LearnedLength]) -> None:
    """Replaces what was learned before; what somebody has switched off stays so, also over nights in which too few
    jobs were closed to learn it again."""
    off = {
        (row.job_type, row.product, row.flag): row.pk for row in LearnedLength.objects.filter(is_used=False)
    }
    groups = {(row.job_type, row.product, row.flag) for row in learned}
    for row in learned:
        row.is_used = (row.job_type, row.product, row.flag) not in off
    LearnedLength.objects.exclude(pk__in=[pk for group, pk in off.items() if group not in groups]).delete()
    LearnedLength.objects.bulk_create(learned)


def _groups(sample: LengthSample) -> Iterator[Group]:
    """Flags make a job longer: what has one says nothing about those without."""
    for flag in sample.flags:
        yield sample.job_type, "", flag
    if not sample.flags:
        yield sample.job_type, "", ""
        if sample.product:
            yield sample.job_type, sample.product, ""


def is_storable(group: Group) -> bool:
    """Of a longer product or flag nothing is learned."""
    _job_type, product, flag = group
    return len(product) <= LONGEST_PRODUCT and len(flag) <= LONGEST_FLAG


def _quantiles(minutes: Collection[float]) -> list[int]:
    """Up to whole steps, so that visits begin and end at moments that people say."""
    hundredths = quantiles(minutes, n=100, method="inclusive")
    return [int(-(-hundredths[share - 1] // STEP_MINUTES) * STEP_MINUTES) for share in SHARES]
