"""How far the real length of a drive or of a visit lies from the planned one: pure, over arrays of numpy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# job type, product, flag; empty for any product and for any flags
JobGroup = tuple[str, str, str]
# a spread is this many quantiles, from the smallest ratio to the largest
QUANTILES = 21
SHARES: Numbers = np.linspace(0, 1, QUANTILES)
# fewer than these say little: the default stays
FEWEST_SAMPLES = 40
# what already takes longer than anything before goes on for about this share of what was planned
TAIL = 0.15
LARGEST_RATIO = 6.0


@dataclass(frozen=True)
class Spread:
    """Ratios of real to planned, as quantiles in rising order."""

    ratios: tuple[float, ...]

    def median(self) -> float:
        return self.ratios[QUANTILES // 2]

    def draw(self, random: Numbers) -> Numbers:
        """A ratio for each random number from 0 to 1."""
        return np.interp(random, SHARES, self.ratios)

    def draw_longer_than(self, ratio: float, random: Numbers) -> Numbers:
        """The same for what has already taken `ratio` of what was planned."""
        if ratio >= self.ratios[-1]:
            rest: Numbers = ratio - TAIL * np.log1p(-np.minimum(random, 0.999))
            return rest
        passed = float(np.interp(ratio, self.ratios, SHARES))
        return np.maximum(self.draw(passed + (1 - passed) * random), ratio)


def spread_of(ratios: Sequence[float]) -> Spread:
    """Of at least one ratio; outliers (a phone that was forgotten) are cut."""
    quantiles = np.quantile(np.clip(np.asarray(ratios, dtype=np.float64), 0.0, LARGEST_RATIO), SHARES)
    return Spread(tuple(quantiles.round(4).tolist()))


def spread_between(*points: tuple[float, float]) -> Spread:
    """From (share, ratio) points, straight lines between them."""
    shares, ratios = zip(*points, strict=True)
    return Spread(tuple(np.interp(SHARES, shares, ratios).round(4).tolist()))


# careful guesses until enough visits have ended
DEFAULT_LENGTH = spread_between((0, 0.3), (0.1, 0.6), (0.5, 0.95), (0.8, 1.2), (0.95, 1.7), (1, 2.5))
DEFAULT_TRAVEL = spread_between((0, 0.5), (0.1, 0.75), (0.5, 1.0), (0.9, 1.5), (1, 2.5))
DEFAULT_NO_ACCESS = 0.05
# of the planned length, where nobody opens
NO_ACCESS_LENGTH = 0.3


class JobKind(NamedTuple):
    """What is known of a job before it begins."""

    job_type: str
    product: str = ""
    flags: frozenset[str] = frozenset()

    @property
    def groups(self) -> list[JobGroup]:
        """Flags make a job longer, so what has one says nothing about the product without."""
        by_flag = [(self.job_type, "", flag) for flag in sorted(self.flags)]
        by_product = [(self.job_type, self.product, "")] if self.product and not self.flags else []
        return [*by_flag, *by_product, (self.job_type, "", "")]


@dataclass(frozen=True)
class Spreads:
    """What a day is simulated with. `lengths` by group of jobs, `no_access` (a share) by job type."""

    travel: Spread = DEFAULT_TRAVEL
    lengths: Mapping[JobGroup, Spread] = field(default_factory=dict)
    no_access: Mapping[str, float] = field(default_factory=dict)

    def length(self, kind: JobKind) -> Spread:
        """Of the job's flags (that which takes longest), or else of its product, or of all jobs of its type."""
        *narrow, whole = kind.groups
        found = [self.lengths[group] for group in narrow if group in self.lengths]
        return max(found, key=Spread.median, default=self.lengths.get(whole, DEFAULT_LENGTH))

    def no_access_share(self, job_type: str) -> float:
        return self.no_access.get(job_type, DEFAULT_NO_ACCESS)
