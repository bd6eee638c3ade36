"""How long a drive takes that begins at some moment: as a travel server said, where it was asked about this drive, and
otherwise as estimated; both corrected by what real drives have taught.

Pages read what is stored (read_drive_times, a fixed number of queries) and never ask the server themselves.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings

from dispatch.driving.travel import Coordinates, distance_metres
from dispatch.driving.travel_profile import (
    DEFAULT_PROFILE,
    HOURS_OF_DAY,
    HourFactors,
    quickest_factor,
    slowest_factor,
)
from dispatch.models import DriveCorrection, DriveSource, RoadDrive
from engineers.shifts import TimeSpan, local_time

Drive = tuple[Coordinates | None, Coordinates | None]
# keys of one query; no page shows more drives
MOST_DRIVES = 10_000


@dataclass(frozen=True)
class DriveTimes:
    """`road_seconds`: without parking, by pair_code; every other drive is estimated. Both kinds have their own
    factors for each hour."""

    road_seconds: Mapping[str, int] = field(default_factory=dict)
    estimate_factors: HourFactors = DEFAULT_PROFILE.hour_factors
    road_factors: HourFactors = DEFAULT_PROFILE.hour_factors

    def seconds(self, start: Coordinates | None, end: Coordinates | None, *, at: datetime) -> int:
        """Of a drive that begins then; 0 when a position is not known, is none on earth, or both are the same."""
        usual, factors = self._usual(start, end)
        return round(usual * factors[local_time(at).hour])

    def slowest_seconds(self, start: Coordinates | None, end: Coordinates | None, *, during: TimeSpan) -> int:
        """The longest that it can take when it begins at any moment of this time."""
        usual, factors = self._usual(start, end)
        return round(usual * slowest_factor(factors, hours_of(during)))

    def least_seconds(self, start: Coordinates | None, end: Coordinates | None, *, during: TimeSpan) -> int:
        """The shortest that it can take when it begins at any moment of this time."""
        usual, factors = self._usual(start, end)
        return round(usual * quickest_factor(factors, hours_of(during)))

    def time(self, start: Coordinates | None, end: Coordinates | None, *, at: datetime) -> timedelta:
        return timedelta(seconds=self.seconds(start, end, at=at))

    def source(self, start: Coordinates | None, end: Coordinates | None) -> DriveSource:
        is_known = start is not None and end is not None and pair_code(start, end) in self.road_seconds
        return DriveSource.ROAD if is_known else DriveSource.ESTIMATE

    def _usual(self, start: Coordinates | None, end: Coordinates | None) -> tuple[float, HourFactors]:
        if start is None or end is None or start == end or not (is_on_earth(start) and is_on_earth(end)):
            return 0, self.estimate_factors
        road = self.road_seconds.get(pair_code(start, end))
        if road is None:
            return DEFAULT_PROFILE.drive_seconds(distance_metres(start, end)), self.estimate_factors
        return road + DEFAULT_PROFILE.parking_seconds, self.road_factors


# where nothing was fetched and nothing was learned
ESTIMATES = DriveTimes()


def is_on_earth(coordinates: Coordinates) -> bool:
    latitude, longitude = coordinates
    return abs(latitude) <= 90 and abs(longitude) <= 180


def position_code(position: Coordinates) -> str:
    """A position to about ten metres."""
    # no minus zero
    latitude, longitude = (round(degrees, 4) + 0.0 for degrees in position)
    return f"{latitude:.4f},{longitude:.4f}"


def pair_code(start: Coordinates, end: Coordinates) -> str:
    return pair_of_codes(position_code(start), position_code(end))


def pair_of_codes(start: str, end: str) -> str:
    return f"{start} {end}"


def hours_of(span: TimeSpan) -> range:
    """The local hours that a time touches, in order; each once."""
    first = local_time(span.start)
    length = span.end - span.start + timedelta(minutes=first.minute, seconds=first.second)
    return range(first.hour, first.hour + min(-(-length // timedelta(hours=1)) or 1, HOURS_OF_DAY))


def read_drive_times(
    drives: Iterable[Drive], factors: tuple[HourFactors, HourFactors] | None = None
) -> DriveTimes:
    """For these drives: one query for what was learned, unless its `factors` were read (read_hour_factors), and, where
    a travel server is configured, one more."""
    estimate_factors, road_factors = factors or read_hour_factors()
    known: dict[str, int] = {}
    if settings.TRAVEL_SERVER.url:
        codes = {pair_code(start, end) for start, end in drives if start and end and start != end}
        rows = RoadDrive.objects.filter(pair__in=list(islice(sorted(codes), MOST_DRIVES)))
        stored = rows.values_list("pair", "seconds") if codes else ()
        known = {pair: seconds for pair, seconds in stored if seconds is not None}
    return DriveTimes(known, estimate_factors=estimate_factors, road_factors=road_factors)


def read_hour_factors() -> tuple[HourFactors, HourFactors]:
    """Of estimated drives and of a travel server's: the usual day, corrected by what was learned. One query."""
    learned = {(row.source, row.hour): row.factor for row in DriveCorrection.objects.filter(is_used=True)}
    estimate, road = (_corrected(learned, source) for source in (DriveSource.ESTIMATE, DriveSource.ROAD))
    return estimate, road


def _corrected(learned: Mapping[tuple[str, int | None], float], source: DriveSource) -> HourFactors:
    at_any_hour = learned.get((source, None), 1.0)
    return tuple(
        usual * learned.get((source, hour), at_any_hour)
        for hour, usual in enumerate(DEFAULT_PROFILE.hour_factors)
    )
