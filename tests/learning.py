"""What the nightly learning does with samples, without the visits that they come from."""

from collections.abc import Collection
from datetime import datetime

from dispatch.driving.drive_corrections import (
    DriveSample,
    compute_corrections,
    corrected_ratios,
    replace_corrections,
)
from dispatch.job_lengths import LengthSample, compute_lengths, replace_lengths


def learn_lengths(samples: Collection[LengthSample], *, now: datetime) -> None:
    replace_lengths(compute_lengths(samples, now=now))


def learn_corrections(samples: Collection[DriveSample], *, now: datetime) -> list[float]:
    """The ratios of the same drives to what is expected from now on."""
    learned = compute_corrections(samples, now=now)
    replace_corrections(learned)
    return corrected_ratios(samples, learned)
