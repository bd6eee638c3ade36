"""Which part of the plan is to be made: a time, and an area or a selection of jobs and engineers."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Q

from dispatch.models import Job
from dispatch.quarter_hours import next_quarter
from dispatch.states import JobState, JobType
from engineers.areas import area_map, find_area
from engineers.models import Area, Engineer, EngineerQuerySet
from engineers.shifts import TimeSpan

# one step of a plan for several days takes as long as a day of so many more engineers
MOST_DAYS = 14


@dataclass(frozen=True)
class PlanScope:
    """Visits that begin in `span` are planned. `area`: only its jobs and who works there; `jobs`, `engineers`: only
    these (keys). Without them, all. `max_jobs`: of an engineer in a day. `job_limits`: the same of
    single engineers (keys), of whom one who has more keeps them. `reserve_minutes`: in which nothing new is planned, at
    the end of each shift, so that a day in which visits take longer ends with the shift."""

    span: TimeSpan
    area: int | None = None
    jobs: frozenset[int] | None = None
    engineers: frozenset[int] | None = None
    max_jobs: int | None = None
    reserve_minutes: int = 0
    job_limits: Mapping[int, int] = field(default_factory=dict)

    def bounded(self, now: datetime) -> "TimeSpan | None":
        """The part of the span that is still to come, at most MOST_DAYS; None when nothing is."""
        start = max(self.span.start, next_quarter(now))
        end = min(self.span.end, start + timedelta(days=MOST_DAYS))
        return TimeSpan(start, end) if start < end else None

    def select_engineers(self) -> list[Engineer]:
        """Also those whose account is suspended, who may have visits left; seven queries, whatever their number."""
        found = self._engineers().select_related("user")
        return list(found.prefetch_related("held_skills__skill", "shifts", "shift_exceptions", "absences"))

    def engineer_keys(self) -> frozenset[int]:
        return frozenset(self._engineers().values_list("pk", flat=True))

    def _engineers(self) -> EngineerQuerySet:
        found = Engineer.objects.all()
        if self.area is not None:
            found = found.in_area(self.area)
        if self.engineers is not None:
            found = found.filter(pk__in=self.engineers)
        return found

    def select_jobs(self, span: TimeSpan, *, also: Collection[int] = ()) -> list[Job]:
        """The open jobs whose window touches the span, and those with these keys."""
        touches = Q(window_start__lt=span.end, window_end__gt=span.start)
        found = Job.objects.open().filter(touches | Q(pk__in=also))
        if self.jobs is not None:
            found = found.filter(pk__in=self.jobs)
        return list(self.in_area(found.order_by("pk")))

    def in_area(self, jobs: Iterable[Job]) -> Iterable[Job]:
        """Those of these jobs that lie in the area of the plan."""
        if self.area is None:
            return jobs
        areas = area_map(Area.objects.all())
        return [job for job in jobs if (area := find_area(job.postcode, areas)) and area.pk == self.area]


@dataclass(frozen=True)
class Assumptions:
    """What a plan takes for true although the database does not know it: a job (key) that is urgent, takes so much
    longer, is cancelled or ends now because nobody opens, an engineer (key) who is away from a moment on."""

    urgent_jobs: frozenset[int] = frozenset()
    cancelled_jobs: frozenset[int] = frozenset()
    ended_jobs: frozenset[int] = frozenset()
    longer_job: int | None = None
    longer_by: timedelta = timedelta()
    absent_engineer: int | None = None
    absent_since: datetime | None = None

    @property
    def is_any(self) -> bool:
        return self != AS_IT_IS

    def longer(self, job: int) -> timedelta:
        return self.longer_by if job == self.longer_job else timedelta()

    def absent_from(self, engineer: Engineer) -> datetime | None:
        return self.absent_since if engineer.pk == self.absent_engineer else None


AS_IT_IS = Assumptions()


# what an assigned job is worth to a plan, 1 to 100: the more important ones first where the day does not hold all
NORMAL_PRIORITY, RAISED_PRIORITY, HIGHEST = 10, 20, 40
# more for one who expects an engineer already: more than any one job is worth for which nobody is expected, also one of
# a team that was begun
EXPECTED_EXTRA = 75


def job_priority(job: Job, *, is_begun: bool) -> int:
    """A customer whose job was begun has waited already; a revisit mends a line that does not work. Whoever expects an
    engineer is called off for nobody who does not, but for an urgent job."""
    if is_begun:
        return HIGHEST
    usual = RAISED_PRIORITY if job.job_type == JobType.REVISIT else NORMAL_PRIORITY
    return usual + EXPECTED_EXTRA * (job.state == JobState.ASSIGNED)
