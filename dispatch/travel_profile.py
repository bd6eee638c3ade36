"""How long a drive of so many metres takes: the one rule behind single drives (travel) and matrices (planning)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

HOURS_OF_DAY = 24
# the mean of its radii (IUGG)
EARTH_METRES = 6_371_009


@dataclass(frozen=True)
class TravelProfile:
    """A speed over roads, which are so many times longer than the straight line, and the time to park and walk.

    `slowness`: for each hour of the local day, how many times longer than usual a drive takes.
    """

    metres_per_second: float
    detour: float
    parking_seconds: int
    slowness: tuple[float, ...] = (1.0,) * HOURS_OF_DAY

    @overload
    def drive_seconds(self, metres: float, *, slowness: float = 1.0) -> float: ...
    @overload
    def drive_seconds(self, metres: "NDArray[float64]", *, slowness: float = 1.0) -> "NDArray[float64]": ...
    def drive_seconds(
        self, metres: "float | NDArray[float64]", *, slowness: float = 1.0
    ) -> "float | NDArray[float64]":
        """Of a straight line of so many metres, parking included."""
        return metres * (self.detour * slowness / self.metres_per_second) + self.parking_seconds

    def slowest(self, first_hour: int, last_hour: int) -> float:
        """The largest slowness of these local hours, both included: a plan made with it is kept at any of them."""
        hours = range(first_hour, last_hour + 1)
        return max((self.slowness[hour % HOURS_OF_DAY] for hour in hours), default=1.0)


# a van in a city and its outskirts, and roads that are not straight lines
DEFAULT_PROFILE = TravelProfile(metres_per_second=9.0, detour=1.3, parking_seconds=240)
