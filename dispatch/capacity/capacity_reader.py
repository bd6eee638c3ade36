"""The workload of the coming days as the database has it, with a fixed number of queries, and its figures."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from django.conf import settings
from django.db.models import Prefetch, Q
from django.utils import timezone

from dispatch.capacity.capacity_figures import CapacityFigures, count_capacity
from dispatch.capacity.half_days import MINUTE, Horizon, list_half_days
from dispatch.capacity.workload import AreaKey, AssignedVisit, OfferedTime, WaitingJob, Workload
from dispatch.driving.drive_times import DriveTimes, read_drive_times
from dispatch.driving.travel import job_coordinates
from dispatch.flag_rules import FlagRules, load_flag_rules, longest_lead_time, required_skills, team_skill
from dispatch.hours_conflicts import list_hours_conflicts
from dispatch.models import Job, Visit
from dispatch.occupied_time import occupied_span
from dispatch.requirements import earliest_day, flag_codes
from dispatch.states import DEFAULT_MINUTES, OPEN_STATES, JobType
from engineers.areas import area_map, find_area
from engineers.models import Absence, Area, Engineer, HeldSkill, ShiftException
from engineers.shifts import (
    TimeSpan,
    clip,
    day_span,
    is_absent_during,
    local_time,
    with_day_before,
    work_time_of,
)

DAYS = 14
# skills, team and days of lead time of a job type and its flags
NeedsOf = Callable[[str, tuple[str, ...]], tuple[frozenset[str], frozenset[str], int]]
VISIT_COLUMNS = (
    "engineer__user__is_active",
    "second_engineer__user__is_active",
    "planned_start",
    "planned_end",
    "ended_at",
)
JOB_COLUMNS = (
    "state",
    "job_type",
    "flags",
    "postcode",
    "latitude",
    "longitude",
    "window_start",
    "window_end",
    "duration_minutes",
    "received_at",
)


@dataclass(frozen=True)
class Capacity:
    """`areas`: the names of all areas by their key, in order."""

    horizon: Horizon
    areas: dict[int, str]
    figures: CapacityFigures
    has_engineers_without_area: bool


def tomorrow() -> date:
    """The first day that counts: today is the board's."""
    return timezone.localdate() + timedelta(days=1)


def read_capacity(first: date, *, days: int = DAYS) -> Capacity:
    """Of so many days; ten queries, one more with a travel server."""
    reading = _Reading(Horizon(list_half_days(first, days=days)))
    workload = reading.workload()
    usual = DEFAULT_MINUTES[JobType.INSTALLATION] + reading.usual_drive
    return Capacity(
        horizon=reading.horizon,
        areas={area.pk: area.name for area in reading.areas},
        figures=count_capacity(workload, horizon=reading.horizon, usual_minutes=usual),
        has_engineers_without_area=any(person.area is None for person in workload.offered),
    )


def area_of(engineer: Engineer) -> AreaKey:
    """In which area the engineer's time counts."""
    return engineer.area_id


class _Reading:
    """What the queries give, on the way to a workload."""

    def __init__(self, horizon: Horizon) -> None:
        self.horizon = horizon
        # a night shift of the last evening goes on after it
        self.reach = TimeSpan(horizon.whole.start, horizon.whole.end + timedelta(days=1))
        self.areas = list(Area.objects.all())
        self._area_by_code = area_map(self.areas)
        self.usual_drive = settings.CAPACITY_TRAVEL_MINUTES
        self._needs = _needs_by(load_flag_rules())

    def workload(self) -> Workload:
        people = {engineer.pk: engineer for engineer in _read_engineers(self.reach)}
        visits = _read_visits(self.reach)
        drives = self._drives(visits, people)
        conflicts = list_hours_conflicts(visits, people=people.values())
        left = [visit for visit in visits if visit.pk in conflicts or _is_left(visit, people)]
        left_keys = {visit.pk for visit in left}
        unassigned = map(self._unassigned_job, _read_unassigned(self.horizon.whole))
        waiting = [job for job in unassigned if job is not None]
        windows = [(visit.job, self._window_of(visit)) for visit in left if visit.is_in_scope]
        # of the day behind the horizon there are visits, too
        waiting += [
            self._waiting_job(job, window) for job, window in windows if window.overlaps(self.horizon.whole)
        ]
        offered = {key: self._offered_time(engineer) for key, engineer in people.items()}
        planned = [
            self._planned_visit(visit, offered, drives.get(visit.pk, 0))
            for visit in visits
            if visit.pk not in left_keys
        ]
        return Workload(list(offered.values()), planned, waiting)

    def _offered_time(self, engineer: Engineer) -> OfferedTime:
        days = with_day_before({half.day for half in self.horizon.half_days})
        worked = clip(work_time_of(engineer, days=days).worked, self.reach)
        return OfferedTime(
            engineer=engineer.pk,
            area=area_of(engineer),
            worked=tuple(map(self.horizon.minutes, worked)),
            skills={held.skill.code: held.expires_on for held in engineer.held_skills.all()},
        )

    def _drives(self, visits: Iterable[Visit], people: Mapping[int, Engineer]) -> dict[int, int]:
        """By the visit's key: minutes of the drive from the engineer's visit before on the same day. The way from home
        is no part of a shift."""
        pairs = list(_visits_in_turn(visits, people))
        times = read_drive_times(
            (job_coordinates(before.job), job_coordinates(visit.job)) for before, visit in pairs
        )
        drives: dict[int, int] = {}
        for before, visit in pairs:
            drives[visit.pk] = max(drives.get(visit.pk, 0), _drive_minutes(before, visit, times))
        return drives

    def _planned_visit(self, visit: Visit, offered: Mapping[int, OfferedTime], drive: int) -> AssignedVisit:
        start, end = self.horizon.minutes(occupied_span(visit))
        skills, team, _lead_days = self._needs(visit.job.job_type, tuple(flag_codes(visit.job)))
        # a colleague of another area may accompany
        people = tuple(key for key in visit.people_keys if key in offered)
        # who was sent without a team was sent with a reason: somebody comes along
        held = {code for key in people for code in offered[key].skills}
        return AssignedVisit(people, start, (start - drive, end), skills | (team & held))

    def _unassigned_job(self, job: Job) -> WaitingJob | None:
        """In what the lead time leaves of its window; None where that lies behind the horizon."""
        _skills, _team, lead_days = self._needs(job.job_type, tuple(flag_codes(job)))
        left = _after_lead_time(job, lead_days)
        # a window that was shorter than the job all along is no matter of the lead time
        if left.length < min(job.duration, job.window.length):
            return replace(self._waiting_job(job, job.window), is_too_early=True)
        return self._waiting_job(job, left) if left.overlaps(self.horizon.whole) else None

    def _waiting_job(self, job: Job, window: TimeSpan) -> WaitingJob:
        area = find_area(job.postcode, self._area_by_code)
        skills, team, _lead_days = self._needs(job.job_type, tuple(flag_codes(job)))
        start, end = self.horizon.minutes(clip([window], self.horizon.whole)[0])
        return WaitingJob(
            key=job.pk,
            area=area.pk if area else None,
            window=(start, max(end, start + 1)),
            length=job.duration_minutes,
            drive=self.usual_drive,
            skills=skills,
            team=team,
        )

    def _window_of(self, visit: Visit) -> TimeSpan:
        """The customer's, or the visit's own where that is over: a job that goes on another day."""
        window = visit.job.window
        return window if window.overlaps(self.horizon.whole) else visit.span


def _after_lead_time(job: Job, lead_days: int) -> TimeSpan:
    """The window from the earliest day on; it ends before it begins where nothing is left."""
    earliest = earliest_day(job, lead_days)
    begins = day_span(earliest).start if earliest else job.window_start
    return TimeSpan(max(begins, job.window_start), job.window_end)


def _is_left(visit: Visit, people: Mapping[int, Engineer]) -> bool:
    """Somebody else must make it: the engineer is suspended, or absent then. `people`: whose absences are known."""
    own = [people[key] for key in visit.people_keys if key in people]
    is_suspended = not all(engineer.user.is_active for engineer in visit.people)
    return is_suspended or any(is_absent_during(visit.span, engineer.absences.all()) for engineer in own)


def _needs_by(rules: FlagRules) -> NeedsOf:
    """Skills, team and lead time of a job type and its flags: few kinds, however many jobs."""

    @cache
    def needs(job_type: str, flags: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str], int]:
        own = rules.rules_of(flags)
        return required_skills(job_type=job_type, rules=own), team_skill(own), longest_lead_time(own)

    return needs


def _visits_in_turn(visits: Iterable[Visit], people: Mapping[int, Engineer]) -> Iterator[tuple[Visit, Visit]]:
    """Each visit that one of these drives to from another one on the same day, behind that other one."""
    last: dict[tuple[int, date], Visit] = {}
    for visit in visits:
        for engineer in people.keys() & visit.people_keys:
            day = (engineer, local_time(visit.planned_start).date())
            if day in last:
                yield last[day], visit
            last[day] = visit


def _drive_minutes(before: Visit, visit: Visit, times: DriveTimes) -> int:
    """At most the time that the plan leaves for it."""
    free_at = occupied_span(before).end
    seconds = times.seconds(job_coordinates(before.job), job_coordinates(visit.job), at=free_at)
    gap = max(visit.planned_start - free_at, timedelta())
    return min(round(seconds / 60), gap // MINUTE)


def _read_engineers(span: TimeSpan) -> list[Engineer]:
    """Five queries."""
    days = local_time(span.start).date() - timedelta(days=1), local_time(span.end).date()
    return list(
        Engineer.objects.active()
        .in_scope()
        .only("area")
        .order_by("pk")
        .prefetch_related(
            "shifts",
            Prefetch("shift_exceptions", queryset=ShiftException.objects.filter(day__range=days)),
            Prefetch("absences", queryset=Absence.objects.overlapping(start=span.start, end=span.end)),
            Prefetch("held_skills", queryset=HeldSkill.objects.select_related("skill").order_by()),
        )
    )


def _read_visits(span: TimeSpan) -> list[Visit]:
    """Those of engineers in scope, also suspended ones, that are still to be made; in the order of the plan."""
    people = Engineer.objects.in_scope().values("pk")
    is_attended = Q(engineer__in=people) | Q(second_engineer__in=people)
    found = Visit.objects.current().overlapping(span).filter(is_attended, job__state__in=OPEN_STATES)
    names = [*VISIT_COLUMNS, *(f"job__{name}" for name in JOB_COLUMNS)]
    related = ("job", "engineer__user", "second_engineer__user")
    return list(found.select_related(*related).only(*names).order_by("planned_start", "pk"))


def _read_unassigned(span: TimeSpan) -> list[Job]:
    found = Job.objects.unassigned().in_scope().filter(window_start__lt=span.end, window_end__gt=span.start)
    return list(found.only(*JOB_COLUMNS).order_by("pk"))
