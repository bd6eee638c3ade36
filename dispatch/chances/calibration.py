"""Whether chances came true: of the visits that were said to begin in time with 80 %, did 80 % do so? Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

GROUPS = 10


@dataclass(frozen=True)
class CalibrationGroup:
    """Forecasts from `lowest` up to `lowest` + 10 points. `forecast` and `happened`: the mean chance and the share that
    began in time; all in percent."""

    lowest: int
    number: int
    forecast: float
    happened: float

    @property
    def difference(self) -> float:
        """In points; above 0, the forecast was too gloomy."""
        return self.happened - self.forecast


def build_group(number: int, size: int, chances: float, in_time: int) -> CalibrationGroup:
    """From the sum of the chances of one group and how many of its visits began in time."""
    return CalibrationGroup(
        lowest=number * 100 // GROUPS,
        number=size,
        forecast=100 * chances / size,
        happened=100 * in_time / size,
    )


def mean_difference(groups: Iterable[CalibrationGroup]) -> float:
    """In points, each group by its size; 0 for none."""
    known = list(groups)
    size = sum(group.number for group in known)
    return sum(abs(group.difference) * group.number for group in known) / size if size else 0.0
