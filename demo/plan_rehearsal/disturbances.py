"""What happens in a rehearsed day whoever plans it: pure, from a seed, and drawn for each job on its own, so that the
order in which jobs are done changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from engineers.shifts import TimeSpan

# one visit in five takes longer than planned, the others on average a little less
OVERRUN_SHARE, OVERRUN, USUAL = 0.2, (1.2, 1.7), (0.75, 1.05)
# of the drive that was expected
TRAFFIC = (0.85, 1.25)
NO_ACCESS_SHARE, CANCELLED_SHARE = 0.04, 0.05
NO_ACCESS = timedelta(minutes=15)
SICK_HOUR = 10


@dataclass(frozen=True)
class JobDisturbance:
    """`length_factor`, `drive_factor`: of the planned length, and of the expected drive to it. `cancelled_at`: by the
    seller, if nobody is on site then."""

    length_factor: float
    drive_factor: float
    is_without_access: bool
    cancelled_at: datetime | None

    def real_length(self, planned: timedelta) -> timedelta:
        return NO_ACCESS if self.is_without_access else _minutes(planned * self.length_factor)

    def real_drive(self, expected: timedelta) -> timedelta:
        return _minutes(expected * self.drive_factor)


@dataclass(frozen=True)
class Disturbances:
    """`sick_engineer`: index of who goes home at `sick_at`; by job (index) what happens to it."""

    jobs: Sequence[JobDisturbance]
    sick_engineer: int
    sick_at: datetime


def draw_disturbances(
    windows: Sequence[TimeSpan], *, engineers: int, morning: datetime, seed: int
) -> Disturbances:
    """For jobs with these windows. `morning`: midnight of the day."""
    return Disturbances(
        jobs=[_draw(number, window, seed=seed) for number, window in enumerate(windows)],
        sick_engineer=_random(f"{seed}:sick").randrange(engineers),
        sick_at=morning + timedelta(hours=SICK_HOUR),
    )


def _draw(number: int, window: TimeSpan, *, seed: int) -> JobDisturbance:
    chance = _random(f"{seed}:job:{number}")
    length = OVERRUN if chance.random() < OVERRUN_SHARE else USUAL
    length_factor, drive_factor = chance.uniform(*length), chance.uniform(*TRAFFIC)
    is_without_access, is_cancelled = chance.random() < NO_ACCESS_SHARE, chance.random() < CANCELLED_SHARE
    moment = window.start + _minutes(window.length * chance.random())
    return JobDisturbance(length_factor, drive_factor, is_without_access, moment if is_cancelled else None)


def _random(key: str) -> Random:
    return Random(key)  # noqa: S311  # a rehearsal, not a key


def _minutes(span: timedelta) -> timedelta:
    return timedelta(minutes=round(span.total_seconds() / 60))
