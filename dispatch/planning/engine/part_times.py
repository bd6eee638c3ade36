"""When the visits of one part of a shift begin, once their order is decided: as many as possible at the times that they
have today, which the seller knows. VROOM itself begins each as early as it can."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.part_breaks import has_time_for_breaks
from dispatch.planning.engine.vroom_solver import RouteStop

Windows = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class PartTimes:
    """A route that VROOM found for a part (index). `wanted`: by job (index) when its visit begins today; `own`: those
    of these jobs that the same engineer has today, which alone are worth to be kept. `held`: jobs that begin when the
    route says, since somebody else begins with them."""

    model: EngineModel
    part: int
    stops: Sequence[RouteStop]
    wanted: Mapping[int, int]
    own: frozenset[int]
    held: frozenset[int] = frozenset()

    def near_today(self) -> tuple[RouteStop, ...]:
        """The stops in the same order, as they are where nothing is nearer to today, or a break would not fit."""
        if all(self.wanted.get(stop.job, stop.start) == stop.start for stop in self.stops):
            return tuple(self.stops)
        found = tuple(self._moved(self._kept_stops()))
        return found if has_time_for_breaks(self.model, self.part, found) else tuple(self.stops)

    @cached_property
    def _locations(self) -> list[int]:
        """Of the start, of each stop and of the end."""
        part = self.model.parts[self.part]
        jobs = self.model.problem.jobs
        return [part.start_location, *(jobs[stop.job].location for stop in self.stops), part.end_location]

    @cached_property
    def _drives(self) -> list[int]:
        """Seconds to each stop, and to the end."""
        drives: list[int] = self.model.durations[self._locations[:-1], self._locations[1:]].tolist()
        return drives

    @cached_property
    def _lengths(self) -> list[int]:
        return [self.model.problem.jobs[stop.job].length_seconds for stop in self.stops]

    @cached_property
    def _windows(self) -> list[Windows]:
        """When each visit may begin."""
        return [
            [(stop.start, stop.start)]
            if stop.job in self.held
            else self.model.problem.jobs[stop.job].start_windows
            for stop in self.stops
        ]

    def _kept_stops(self) -> frozenset[int]:
        """Numbers of the stops that keep their times, as many as can; each leaves the route to go on from there."""
        span, number = self.model.parts[self.part].span, len(self.stops)
        # by the last stop that is kept: how many are, and which one before it
        best: dict[int, tuple[int, int]] = {-1: (0, -1)}
        for last in range(-1, number):
            if last not in best:
                continue
            free_at = span.start if last < 0 else self.wanted[self.stops[last].job] + self._lengths[last]
            for stop, earliest in self._earliest_from(last + 1, free_at):
                start = self.wanted[self.stops[stop].job] if self.stops[stop].job in self.own else None
                is_possible = start is not None and earliest <= start and _is_in(self._windows[stop], start)
                if is_possible and best[last][0] + 1 > best.get(stop, (0, 0))[0]:
                    best[stop] = best[last][0] + 1, last
        return self._chain(best)

    def _earliest_from(self, first: int, free_at: int) -> Iterator[tuple[int, int]]:
        """Each stop from this one on that is reached in its windows, and when; its end is the last one's number."""
        for stop in range(first, len(self.stops)):
            start = _first_in(self._windows[stop], free_at + self._drives[stop])
            if start is None:
                return
            yield stop, start
            free_at = start + self._lengths[stop]

    def _chain(self, best: Mapping[int, tuple[int, int]]) -> frozenset[int]:
        """The longest one after which the rest of the route is still possible."""
        for last in sorted(best, key=lambda stop: (-best[stop][0], stop)):
            if self._is_end_in_time(last):
                chain = [last]
                while chain[-1] >= 0:
                    chain.append(best[chain[-1]][1])
                return frozenset(chain[:-1])
        return frozenset()

    def _is_end_in_time(self, last: int) -> bool:
        """Whether the part can be completed after this stop has begun at its time of today."""
        span = self.model.parts[self.part].span
        free_at = span.start if last < 0 else self.wanted[self.stops[last].job] + self._lengths[last]
        reached = last
        for stop, start in self._earliest_from(last + 1, free_at):
            reached, free_at = stop, start + self._lengths[stop]
        return reached == len(self.stops) - 1 and free_at + self._drives[-1] <= span.end

    def _moved(self, kept_stops: frozenset[int]) -> Iterator[RouteStop]:
        """Those that are kept at their times, and each other one as near to its own as they leave it."""
        latest = self._latest(kept_stops)
        free_at = self.model.parts[self.part].span.start
        for number, stop in enumerate(self.stops):
            wanted = self.wanted.get(stop.job, stop.start)
            windows = [(wanted, wanted)] if number in kept_stops else self._windows[number]
            earliest = _first_in(windows, free_at + self._drives[number])
            assert earliest is not None
            start = max(earliest, min(wanted, latest[number]))
            start = start if _is_in(windows, start) else earliest
            yield RouteStop(stop.job, start)
            free_at = start + self._lengths[number]

    def _latest(self, kept_stops: frozenset[int]) -> list[int]:
        """When each stop begins at the latest, for those after it."""
        until, found = self.model.parts[self.part].span.end, list[int]()
        for number in reversed(range(len(self.stops))):
            until -= self._drives[number + 1] + self._lengths[number]
            own = self.wanted[self.stops[number].job] if number in kept_stops else until
            until = _last_in(self._windows[number], min(until, own))
            found.append(until)
        return found[::-1]


def _is_in(windows: Windows, start: int) -> bool:
    return any(first <= start <= last for first, last in windows)


def _first_in(windows: Windows, earliest: int) -> int | None:
    return next((max(first, earliest) for first, last in windows if earliest <= last), None)


def _last_in(windows: Windows, latest: int) -> int:
    """At or before this moment; the moment itself where no window has begun."""
    return next((min(last, latest) for first, last in reversed(windows) if first <= latest), latest)
