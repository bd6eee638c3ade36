"""What the queries of a day's board give, before it is laid out: their number is fixed however long the day is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Prefetch, Q

from board.formatting import ClosedAs
from board.jobs.job_panel import closure_badges
from dispatch import handover_requests
from dispatch.models import Job, JobEvent, Visit
from dispatch.states import EventKind
from engineers.models import Absence, Engineer
from engineers.shifts import Window, day_window, working_windows

MARK_TEXTS = (*handover_requests.KINDS, EventKind.REPORTED_LATE)


@dataclass(frozen=True)
class DayData:
    """What the queries gave, before it is laid out."""

    now: datetime
    waiting: list[Job]
    visits: list[Visit]
    visits_of: Mapping[int, list[Visit]]
    engineers: list[Engineer]
    worked_of: Mapping[int, list[Window]]
    closings: Mapping[int, ClosedAs]
    late: frozenset[int]
    wished: frozenset[int]


def load_day(day: date, *, now: datetime) -> DayData:
    """Everything that the board of a day is made of; eight queries."""
    span = day_window(day)
    waiting = list(Job.objects.unassigned().on_day(day))
    visits = list(Visit.objects.active().overlapping(span).select_related("job"))
    jobs = waiting + [visit.job for visit in visits]
    engineers = _engineers(visits, span=span)
    marks = list(_marks(jobs))
    return DayData(
        now=now,
        waiting=waiting,
        visits=visits,
        visits_of=_by_engineer(visits),
        engineers=engineers,
        worked_of={engineer.pk: _worked(engineer, day=day) for engineer in engineers},
        closings=closure_badges(jobs),
        late=frozenset(job for job, kind in marks if kind == EventKind.REPORTED_LATE),
        wished=handover_requests.jobs_with_open_request(marks) & {job.pk for job in jobs if job.is_open},
    )


def _marks(jobs: Iterable[Job]) -> Iterable[tuple[int, str]]:
    """(job, kind) of the events that a card tells of, in each job's order."""
    events = JobEvent.objects.filter(kind__in=MARK_TEXTS, job__in=[job.pk for job in jobs]).order_by(
        "job", "seq"
    )
    return events.values_list("job_id", "kind")


def _by_engineer(visits: Iterable[Visit]) -> dict[int, list[Visit]]:
    found: dict[int, list[Visit]] = {}
    for visit in visits:
        found.setdefault(visit.engineer_id, []).append(visit)
    return found


def _engineers(visits: Iterable[Visit], *, span: Window) -> list[Engineer]:
    """Who may work, and who is suspended but still holds a visit of the day."""
    shown = Q(user__is_active=True) | Q(pk__in={visit.engineer_id for visit in visits})
    absences = Absence.objects.overlapping(start=span.start, end=span.end)
    people = Engineer.objects.filter(shown).select_related("user")
    return list(people.prefetch_related("skills", "shifts", Prefetch("absences", queryset=absences)))


def _worked(engineer: Engineer, *, day: date) -> list[Window]:
    return working_windows(shifts=engineer.shifts.all(), absences=engineer.absences.all(), day=day)
