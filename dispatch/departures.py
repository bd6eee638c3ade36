"""From where whoever is free leaves on the present day: in a shift that goes on now nobody leaves before now, from home
or from the last visit of it. Before a shift people drive to its first visit in their own time, on whatever day it
is."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from dispatch.driving.travel import Coordinates
from dispatch.models import Visit
from engineers.shifts import TimeSpan, day_span, local_time


class AttendedVisit(NamedTuple):
    """`held`: the time that it takes or will really take; `free_at`: when its engineer can leave there. `has_set_off`:
    the engineer has, or was there. `visit`: where it was read."""

    held: TimeSpan
    free_at: datetime
    has_set_off: bool
    position: Coordinates | None
    visit: Visit | None = None


class Departure(NamedTuple):
    """`since`: from when on the engineer is free to leave; `after`: the last visit, None at home."""

    since: datetime
    after: AttendedVisit | None


def has_set_off(visit: Visit) -> bool:
    """Whether its engineer is or was on the way, or on site."""
    return visit.travel_started_at is not None or visit.arrived_at is not None


def departure_now(
    shifts: Iterable[TimeSpan], visits: Iterable[AttendedVisit], *, now: datetime
) -> Departure | None:
    """Of an engineer with these shifts and visits; None where no shift goes on now, or where the engineer is busy."""
    shift = next((shift for shift in shifts if shift.start < now < shift.end), None)
    if shift is None:
        return None
    out = [visit for visit in visits if _is_out(visit, shift, now=now)]
    last = max(out, key=lambda visit: visit.free_at, default=None)
    if last is None:
        return Departure(shift.start, None)
    return Departure(last.free_at, last) if last.free_at <= now else None


def _is_out(visit: AttendedVisit, shift: TimeSpan, *, now: datetime) -> bool:
    """Whether it has taken the engineer from home; also in an earlier shift of the day, as in a plan (first_drives)."""
    is_of_day = visit.held.start >= day_span(local_time(shift.start).date()).start
    return (visit.has_set_off or visit.held.start < now) and (is_of_day or visit.free_at > shift.start)
