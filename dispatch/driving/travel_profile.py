"""How long a drive of so many metres takes: the one rule behind single drives (drive_times) and matrices (planning)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

HOURS_OF_DAY = 24
# the mean of its radii (IUGG)
EARTH_METRES = 6_371_009
# for each hour of the local day, how many times longer than usual a drive takes that begins in it
HourFactors = tuple[float, ...]
EVERY_HOUR_ALIKE: HourFactors = (1.0,) * HOURS_OF_DAY


def _usual_day() -> HourFactors:
    """Free roads at night, and the two rush hours of a working day on local roads."""
    night = dict.fromkeys([*range(6), *range(20, HOURS_OF_DAY)], 0.9)
    rush = {7: 1.1, 8: 1.15, 16: 1.1, 17: 1.15}
    return tuple((night | rush).get(hour, 1.0) for hour in range(HOURS_OF_DAY))


@dataclass(frozen=True)
class TravelProfile:
    """A speed over roads, which are so many times longer than the straight line, and the time to park and walk."""

    metres_per_second: float
    detour: float
    parking_seconds: int
    hour_factors: HourFactors = EVERY_HOUR_ALIKE

    @overload
    def drive_seconds(self, metres: float) -> float: ...
    @overload
    def drive_seconds(self, metres: "NDArray[float64]") -> "NDArray[float64]": ...
    def drive_seconds(self, metres: "float | NDArray[float64]") -> "float | NDArray[float64]":
        """Of a straight line of so many metres at a usual hour, parking included."""
        return metres * (self.detour / self.metres_per_second) + self.parking_seconds


def slowest_factor(factors: HourFactors, hours: Iterable[int]) -> float:
    """Of these local hours: what is planned with it is kept at any of them."""
    return max((factors[hour % HOURS_OF_DAY] for hour in hours), default=1.0)


def quickest_factor(factors: HourFactors, hours: Iterable[int]) -> float:
    """Of these local hours: no drive at any of them takes less."""
    return min((factors[hour % HOURS_OF_DAY] for hour in hours), default=1.0)


# a van in a city and its outskirts, and roads that are not straight lines
DEFAULT_PROFILE = TravelProfile(
    metres_per_second=9.0, detour=1.3, parking_seconds=240, hour_factors=_usual_day()
)
