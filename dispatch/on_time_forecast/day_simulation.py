"""The rest of a day, simulated many times: pure, over plain values. Nothing here knows of the database.

All times are seconds since an origin that the caller knows. The same day with the same seed gives the same
probabilities, and each visit keeps its random numbers from one minute to the next, so that a probability moves only
when the day does."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dispatch.on_time_forecast.causes import Cause
from dispatch.on_time_forecast.spreads import NO_ACCESS_LENGTH, JobKind, Numbers, Spreads

RUNS = 1000
# of what is late in those runs in which the window is missed: less is no cause of its own
LEAST_CAUSE_SECONDS = 300
LATE_SHARE = 0.9


@dataclass(frozen=True)
class VisitAhead:
    """A visit that has not ended. `travel_seconds`: the planned drive from the place before. `window_end`: when the
    visit must have begun. `travel_started` and `arrived`: when they happened, or None. `second_engineer`: who
    accompanies, and begins with the first; `second_travel_seconds`: that one's drive."""

    key: int
    engineer: int
    kind: JobKind
    planned_start: int
    length_seconds: int
    travel_seconds: int
    window_end: int
    travel_started: int | None = None
    arrived: int | None = None
    second_engineer: int | None = None
    second_travel_seconds: int = 0

    @property
    def drives(self) -> list[tuple[int, int]]:
        """Of each who attends: engineer and planned drive."""
        first = (self.engineer, self.travel_seconds)
        if self.second_engineer is None:
            return [first]
        return [first, (self.second_engineer, self.second_travel_seconds)]


@dataclass(frozen=True)
class VisitOutcome:
    """`probability`: the share of runs in which it begins inside its window, None for one that has begun. `cause` of
    most of the others, at the visit `cause_key`. `start` is the median, `late_start` what nine of ten runs keep."""

    key: int
    probability: float | None
    start: int
    late_start: int
    cause: Cause = Cause.NONE
    cause_key: int | None = None


@dataclass(frozen=True)
class EngineerOutcome:
    """When the last visit ends: the median, and what nine of ten runs keep."""

    engineer: int
    finish: int
    late_finish: int


@dataclass(frozen=True)
class DayOutcome:
    """`misses`: the expected number of visits that do not begin inside their window; nine of ten runs have at most
    `most_misses`."""

    visits: Mapping[int, VisitOutcome]
    engineers: Mapping[int, EngineerOutcome]
    misses: float
    most_misses: int


@dataclass(frozen=True)
class _Runs:
    """One visit in all runs; `late_drive` and `late_work` are what each took beyond the plan."""

    visit: VisitAhead
    begins: Numbers
    ends: Numbers
    late_drive: Numbers
    late_work: Numbers


def simulate_day(
    visits: Iterable[VisitAhead], spreads: Spreads, *, now: int, runs: int = RUNS, seed: int = 1
) -> DayOutcome:
    """`visits`: in the order in which each engineer makes them."""
    outcomes: dict[int, VisitOutcome] = {}
    made: dict[int, list[_Runs]] = {}
    missed = np.zeros(runs, dtype=np.int64)
    idle = np.full(runs, float(now))
    for visit in visits:
        free = {person: made[person][-1].ends if person in made else idle for person, _drive in visit.drives}
        found, last = _simulate(visit, spreads, free=free, now=now, seed=seed)
        for person in free:
            made.setdefault(person, []).append(found)
        if visit.arrived is None:
            missed += found.begins > visit.window_end
        outcomes[visit.key] = _outcome(made[last])
    engineers = {
        person: EngineerOutcome(person, *_median_and_late(own[-1].ends)) for person, own in made.items()
    }
    most = int(np.quantile(missed, LATE_SHARE, method="inverted_cdf"))
    return DayOutcome(outcomes, engineers, float(missed.mean()), most)


def _simulate(
    visit: VisitAhead, spreads: Spreads, *, free: Mapping[int, Numbers], now: int, seed: int
) -> tuple[_Runs, int]:
    """`free`: by engineer. With whoever of them is usually there last."""
    runs = len(free[visit.engineer])
    for_drive, for_work, for_access, for_second = np.random.default_rng((seed, visit.key)).random((4, runs))
    if visit.arrived is not None:
        begins = np.full(runs, float(visit.arrived))
        passed = (now - visit.arrived) / max(visit.length_seconds, 1)
        ratios = spreads.length(visit.kind).draw_longer_than(max(passed, 0.0), for_work)
        made = _runs(visit, begins, np.zeros(runs), ratios * visit.length_seconds, now=now)
        return made, visit.engineer
    arrivals = [
        (person, *_arrive(visit, spreads, drive_seconds, free=free[person], now=now, random=random))
        for (person, drive_seconds), random in zip(visit.drives, (for_drive, for_second), strict=False)
    ]
    begins = np.max([there for _person, there, _late_drive in arrivals], axis=0)
    ratios = spreads.length(visit.kind).draw(for_work)
    nobody_opens = for_access < spreads.no_access_share(visit.kind.job_type)
    work = np.where(nobody_opens, NO_ACCESS_LENGTH, ratios) * visit.length_seconds
    last, _there, late_drive = max(arrivals, key=lambda arrival: float(arrival[1].mean()))
    return _runs(visit, begins, late_drive, work, now=now), last


def _arrive(
    visit: VisitAhead, spreads: Spreads, drive_seconds: int, *, free: Numbers, now: int, random: Numbers
) -> tuple[Numbers, Numbers]:
    """When one of the people can begin, and what the drive takes beyond the plan."""
    if visit.travel_started is not None:
        passed = (now - visit.travel_started) / max(drive_seconds, 1)
        drive = spreads.travel.draw_longer_than(max(passed, 0.0), random) * drive_seconds
        return np.maximum(visit.travel_started + drive, now), drive - drive_seconds
    drive = spreads.travel.draw(random) * drive_seconds
    return np.maximum(visit.planned_start, np.maximum(free, now) + drive), drive - drive_seconds


def _runs(visit: VisitAhead, begins: Numbers, late_drive: Numbers, work: Numbers, *, now: int) -> _Runs:
    return _Runs(visit, begins, np.maximum(begins + work, now), late_drive, work - visit.length_seconds)


def _outcome(made: Sequence[_Runs]) -> VisitOutcome:
    """Of the last of them."""
    last = made[-1]
    start, late_start = _median_and_late(last.begins)
    if last.visit.arrived is not None:
        return VisitOutcome(last.visit.key, None, start, late_start)
    is_missed = last.begins > last.visit.window_end
    probability = 1.0 - float(is_missed.mean())
    cause, at = _find_cause(made, is_missed) if is_missed.any() else (Cause.NONE, None)
    return VisitOutcome(last.visit.key, probability, start, late_start, cause, at)


def _find_cause(
    made: Sequence[_Runs], is_missed: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> tuple[Cause, int]:
    """What takes most beyond the plan in those runs: work at an earlier visit, or a drive; otherwise the plan itself is
    too tight."""
    found = [(float(run.late_drive[is_missed].mean()), Cause.DRIVE, run.visit.key) for run in made]
    found += [(float(run.late_work[is_missed].mean()), Cause.WORK, run.visit.key) for run in made[:-1]]
    seconds, cause, key = max(found)
    return (cause, key) if seconds >= LEAST_CAUSE_SECONDS else (Cause.PLAN, made[-1].visit.key)


def _median_and_late(moments: Numbers) -> tuple[int, int]:
    median, late = np.quantile(moments, (0.5, LATE_SHARE))
    return round(float(median)), round(float(late))
