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
LONGEST_PRODUCT = 200

# job type, product, flag; empty for any product and for no flag
Group = tuple[str, str, str]


class LengthSample(NamedTuple):
    """A closed job that was worked on."""

    job_type: str
    product: str
    flags: frozenset[str]
    minutes: float


@transaction.atomic
def learn_lengths(samples: Collection[LengthSample], *, now: datetime) -> None:
    """Replaces what was learned before; what somebody has switched off stays so."""
    switched_off = set(LearnedLength.objects.filter(is_used=False).values_list("job_type", "product", "flag"))
    grouped = sorted((group, sample.minutes) for sample in samples for group in _groups(sample))
    LearnedLength.objects.all().delete()
    learned = []
    for group, members in groupby(grouped, key=lambda member: member[0]):
        minutes = [member[1] for member in members]
        if len(minutes) >= FEWEST_JOBS:
            job_type, product, flag = group
            learned.append(
                LearnedLength(
                    job_type=job_type,
                    product=product,
                    flag=flag,
                    minutes=_quantiles(minutes),
                    learned_from=len(minutes),
                    learned_at=now,
                    is_used=group not in switched_off,
                )
            )
    LearnedLength.objects.bulk_create(learned)


def _groups(sample: LengthSample) -> Iterator[Group]:
    """Flags make a job longer: what has one says nothing about those without."""
    for flag in sample.flags:
        yield sample.job_type, "", flag
    if not sample.flags:
        yield sample.job_type, "", ""
        if 0 < len(sample.product) <= LONGEST_PRODUCT:
            yield sample.job_type, sample.product, ""


def _quantiles(minutes: Collection[float]) -> list[int]:
    """Up to whole steps, so that visits begin and end at moments that people say."""
    hundredths = quantiles(minutes, n=100, method="inclusive")
    return [int(-(-hundredths[share - 1] // STEP_MINUTES) * STEP_MINUTES) for share in SHARES]
