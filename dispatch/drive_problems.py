"""Drives for which a visit leaves its engineer too little time: between the visits of the plan and, on the present day,
from where the engineer will really be by then.

The drive from home counts only for whoever is still there in a shift that goes on now (departures), as it does for
suggestions and plans. For the first visit of another day, or before a shift, it is nobody's working time.

What will be late by no more than GRACE is on time, as it is on the board: so what a page has suggested, or a plan
proposes, is not refused when it is pressed some minutes later.

Where an engineer will be is a guess from what was reported last: somebody without signal, or who forgot to tap, is
elsewhere. So what only the present is against can be overridden with a reason whatever it lacks; between visits of the
plan no more than TRAVEL_SHORTFALL_MINUTES may lack.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.conf import settings
from django.utils.translation import gettext as _

from dispatch.departures import AttendedVisit, Departure, departure_now, has_set_off
from dispatch.driving.drive_times import Drive, DriveTimes, read_drive_times
from dispatch.driving.travel import Coordinates, home_coordinates, job_coordinates
from dispatch.forecast import GRACE
from dispatch.models import Visit
from dispatch.occupied_time import occupied_span, withdrawn_at
from dispatch.problems import Problem, with_other_job
from dispatch.progress_today import ProgressToday
from dispatch.quarter_hours import next_quarter
from dispatch.visit_proposals import VisitProposal
from engineers.area_scope import title_for_reader
from engineers.moment_texts import format_span, format_time_on
from engineers.shifts import TimeSpan, WorkTime, local_time

MINUTE = timedelta(minutes=1)
# between two visits of the plan, and on the present day whatever the plan says
PLANNED, PRESENT = "travel", "travel_today"


@dataclass(frozen=True)
class _Neighbour:
    """Another visit of the engineer, which does not overlap the proposal as planned: `free_at` is when the engineer can
    leave there, `is_held_up` says that this is later than planned."""

    visit: Visit
    held: TimeSpan
    free_at: datetime

    @property
    def is_held_up(self) -> bool:
        return self.free_at > self.held.end

    @property
    def hours(self) -> str:
        return format_span(self.held)


def drive_problems(
    person: VisitProposal,
    *,
    others: Iterable[Visit],
    today: ProgressToday,
    at_work: WorkTime,
) -> list[Problem]:
    """Of the proposal's first engineer, whose visits `others` are and who is `at_work` then. What was planned before
    is put back without. Two queries at most."""
    if person.not_before is None:
        return []
    others = list(others)
    near = list(_neighbours(person, others, today.expected))
    departure = _departure(person, others, today, at_work=at_work)
    if not near and departure is None:
        return []
    drives = read_drive_times(_drives(person, near, departure))
    leaving = list(_from_now(person, departure, drives=drives)) if departure else []
    left = departure.after.visit if leaving and departure and departure.after else None
    telling = _without_earlier_delays(person, [each for each in near if each.visit != left], drives=drives)
    found = [problem for neighbour in telling for problem in _between(person, neighbour, drives=drives)]
    return [*found, *leaving]


def _neighbours(
    person: VisitProposal, others: Iterable[Visit], expected: Mapping[int, TimeSpan]
) -> Iterator[_Neighbour]:
    for other in others:
        held = occupied_span(other)
        free_at = (
            max(held.end, expected[other.pk].end) if person.present and other.pk in expected else held.end
        )
        is_near = TimeSpan(held.start, free_at).overlaps(person.within_a_drive)
        if is_near and held.start < held.end and not held.overlaps(person.span):
            yield _Neighbour(other, held, free_at)


def _drives(
    person: VisitProposal, near: Sequence[_Neighbour], departure: Departure | None
) -> Iterator[Drive]:
    own = job_coordinates(person.job)
    if departure:
        yield _position(person, departure), own
    for neighbour in near:
        position = job_coordinates(neighbour.visit.job)
        yield position, own
        yield own, position


def _without_earlier_delays(
    person: VisitProposal, near: Sequence[_Neighbour], *, drives: DriveTimes
) -> list[_Neighbour]:
    """Of the visits before that are held up only the one that leaves the engineer latest: its start is the one to
    choose."""
    held_up = [other for other in near if other.is_held_up and other.held.end <= person.span.start]
    held_up.sort(key=lambda other: other.free_at + _drive_from(person, other, drives=drives))
    return [other for other in near if other not in held_up[:-1]]


def _between(person: VisitProposal, other: _Neighbour, *, drives: DriveTimes) -> Iterator[Problem]:
    if other.held.end > person.span.start:
        problem = _to_next(person, other, drives=drives)
    elif other.is_held_up:
        problem = _from_held_up(person, other, drives=drives)
    else:
        problem = _from_before(person, other, drives=drives)
    if problem:
        yield with_other_job(problem, other.visit)


def _to_next(person: VisitProposal, other: _Neighbour, *, drives: DriveTimes) -> Problem | None:
    own, position = job_coordinates(person.job), job_coordinates(other.visit.job)
    drive, gap = drives.time(own, position, at=person.span.end), other.held.start - person.span.end
    if drive <= gap:
        return None
    text = _("The drive to %(postcode)s (%(hours)s) takes %(drive)d min, but there are only %(gap)d min.")
    return _planned_problem(text % _figures(other, drive, gap), lacks=drive - gap)


def _from_before(person: VisitProposal, other: _Neighbour, *, drives: DriveTimes) -> Problem | None:
    drive, gap = _drive_from(person, other, drives=drives), person.span.start - other.held.end
    if drive <= gap:
        return None
    text = _("The drive from %(postcode)s (%(hours)s) takes %(drive)d min, but there are only %(gap)d min.")
    return _planned_problem(text % _figures(other, drive, gap), lacks=drive - gap)


def _from_held_up(person: VisitProposal, other: _Neighbour, *, drives: DriveTimes) -> Problem | None:
    drive, gap = _drive_from(person, other, drives=drives), person.span.start - other.held.end
    is_planned_so = drive > gap
    if not is_planned_so and other.free_at + drive - person.span.start <= GRACE:
        return None
    text = _(
        "According to the last report, the visit at %(postcode)s (%(hours)s) will end at %(ends)s, and the drive from "
        "there takes %(drive)d min. Choose a start from %(next)s on."
    )
    parameters = _figures(other, drive, gap) | _times(person, ends=other.free_at, there=other.free_at + drive)
    message = text % parameters
    return _planned_problem(message, lacks=drive - gap) if is_planned_so else _present_problem(message)


def _drive_from(person: VisitProposal, other: _Neighbour, *, drives: DriveTimes) -> timedelta:
    return drives.time(job_coordinates(other.visit.job), job_coordinates(person.job), at=other.free_at)


def _departure(
    person: VisitProposal, others: Iterable[Visit], today: ProgressToday, *, at_work: WorkTime
) -> Departure | None:
    if person.present is None:
        return None
    attended = [_attended(other, today.expected.get(other.pk) or occupied_span(other)) for other in others]
    withdrawn = [visit for visit in today.withdrawn if person.engineer.pk in visit.people_keys]
    attended += [_attended(visit, withdrawn_at(visit.ended_at, visit.unassigned_at)) for visit in withdrawn]
    return departure_now(at_work.attended, attended, now=person.present)


def _attended(visit: Visit, held: TimeSpan) -> AttendedVisit:
    free_at, position = visit.ended_at or held.end, job_coordinates(visit.job)
    return AttendedVisit(held, free_at, has_set_off(visit), position, visit)


def _position(person: VisitProposal, departure: Departure) -> Coordinates | None:
    return departure.after.position if departure.after else home_coordinates(person.engineer)


def _from_now(person: VisitProposal, departure: Departure, *, drives: DriveTimes) -> Iterator[Problem]:
    now, last = person.present or departure.since, departure.after and departure.after.visit
    drive = drives.time(_position(person, departure), job_coordinates(person.job), at=now)
    # a start in this quarter hour may have been offered minutes ago: it is no past (VisitProposal)
    lacks = min(now, person.span.start) + drive - person.span.start
    if lacks <= GRACE:
        return
    parameters = {"drive": ceil(drive / MINUTE), "engineer": person.engineer.name}
    parameters |= _times(person, ends=now, there=now + drive)
    if last is None:
        text = _(
            "%(engineer)s has not reported setting off from home, and the drive takes %(drive)d min. Choose a start "
            "from %(next)s on."
        )
        yield _present_problem(text % parameters)
    else:
        text = _(
            "According to the last report, %(engineer)s comes from %(postcode)s, and the drive takes %(drive)d min. "
            "Choose a start from %(next)s on."
        )
        parameters |= {"postcode": title_for_reader(last.job.title)}
        yield with_other_job(_present_problem(text % parameters), last)


def _figures(other: _Neighbour, drive: timedelta, gap: timedelta) -> dict[str, object]:
    return {
        "drive": ceil(drive / MINUTE),
        "gap": gap // MINUTE,
        "postcode": title_for_reader(other.visit.job.title),
        "hours": other.hours,
    }


def _times(person: VisitProposal, *, ends: datetime, there: datetime) -> dict[str, object]:
    day = local_time(person.span.start).date()
    return {"ends": format_time_on(ends, day=day), "next": format_time_on(next_quarter(there), day=day)}


def _planned_problem(text: str, *, lacks: timedelta) -> Problem:
    is_tight = lacks <= MINUTE * settings.TRAVEL_SHORTFALL_MINUTES
    return Problem(PLANNED, "starts_at", text, can_override=is_tight)


def _present_problem(text: str) -> Problem:
    return Problem(PRESENT, "starts_at", text, can_override=True)
