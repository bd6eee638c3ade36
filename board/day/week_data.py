"""What the queries of a week's board give: their number is fixed however many engineers and jobs there are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from board.day.day_data import list_engineers, visits_of_people
from dispatch import job_events
from dispatch.chances.visit_chances import DayChances, read_chances
from dispatch.drive_times import DriveTimes
from dispatch.forecast import Forecast, forecast_day, read_day_drives
from dispatch.models import Job, Visit
from dispatch.requirements import list_requirements
from dispatch.risk_concerns import list_concerns
from dispatch.states import BEFORE_ARRIVAL
from engineers.models import Engineer
from engineers.shifts import Window, day_window, local_time

# a week has thousands of visits: nothing is read that load, forecast and risk do not look at
JOB_COLUMNS = (
    "provider_job_id",
    "state",
    "postcode",
    "latitude",
    "longitude",
    "window_start",
    "window_end",
    # what its requirements and concerns are made of
    "job_type",
    "flags",
    "uprn",
    "previous_provider_job_id",
    "received_at",
    "held_at",
)
VISIT_COLUMNS = (
    "engineer_id",
    "second_engineer_id",
    "planned_start",
    "planned_end",
    "travel_started_at",
    "arrived_at",
    "ended_at",
    "is_start_agreed",
)


@dataclass(frozen=True)
class WeekData:
    """`visits_of`: by the engineer's key and each local day on which a visit lies, at least in part."""

    now: datetime
    waiting: list[Job]
    engineers: list[Engineer]
    visits_of: Mapping[tuple[int, date], list[Visit]]
    begun: frozenset[int]
    attended_in_window: frozenset[int]
    concerns: Mapping[int, list[str]]
    drives: DriveTimes
    # of today, where that is one of the days
    chances: DayChances

    def forecasts_of(self, visits: Iterable[Visit]) -> Mapping[int, Forecast]:
        """Of one engineer's day; nothing where nobody is awaited any more."""
        own = list(visits)
        is_open = any(visit.job.state in BEFORE_ARRIVAL for visit in own)
        return forecast_day(own, now=self.now, drives=self.drives) if is_open else {}


def load_week(days: Sequence[date], *, now: datetime) -> WeekData:
    """Of these days, which follow each other; at most fifteen queries."""
    span = Window(day_window(days[0]).start, day_window(days[-1]).end)
    unassigned = (
        Job.objects.unassigned().in_scope().filter(window_start__lt=span.end, window_end__gt=span.start)
    )
    waiting = list(unassigned.only(*JOB_COLUMNS))
    visits = list(
        Visit.objects.active()
        .overlapping(span)
        .select_related("job")
        .only(*VISIT_COLUMNS, *(f"job__{name}" for name in JOB_COLUMNS))
    )
    engineers = list_engineers(visits, span=span)
    visits = visits_of_people(visits, engineers)
    _set_engineers(visits, engineers)
    jobs = [*waiting, *(visit.job for visit in visits if visit.job.is_open)]
    begun = frozenset(job_events.jobs_begun(job.pk for job in jobs))
    visits_of = _by_engineer_and_day(visits, days)
    today = local_time(now).date()
    return WeekData(
        now=now,
        chances=read_chances(today, now=now) if today in days else DayChances(),
        waiting=waiting,
        engineers=engineers,
        visits_of=visits_of,
        drives=read_day_drives(visits_of.values()),
        begun=begun,
        attended_in_window=job_events.jobs_attended_in_window(visits),
        concerns=list_concerns(
            jobs,
            visits={visit.job_id: visit for visit in visits},
            requirements=list_requirements(jobs),
            begun=begun,
            now=now,
        ),
    )


def _set_engineers(visits: Iterable[Visit], engineers: Iterable[Engineer]) -> None:
    """The same object for each visit, instead of a row for each."""
    known = {engineer.pk: engineer for engineer in engineers}
    for visit in visits:
        # a colleague of another area may be missing, and is read where a page names one
        if visit.engineer_id in known:
            visit.engineer = known[visit.engineer_id]
        if visit.second_engineer_id is None or visit.second_engineer_id in known:
            visit.second_engineer = known[visit.second_engineer_id] if visit.second_engineer_id else None


def _by_engineer_and_day(
    visits: Iterable[Visit], days: Sequence[date]
) -> dict[tuple[int, date], list[Visit]]:
    spans = [(day, day_window(day)) for day in days]
    found: dict[tuple[int, date], list[Visit]] = {}
    for visit in visits:
        for day, span in spans:
            if visit.span.touches(span):
                for person in visit.people:
                    found.setdefault((person.pk, day), []).append(visit)
    return found
