"""A start after the window, on the same day, to which the customer agreed: a dispatcher entered it with a reason
(VisitProposal.is_start_agreed, recorded by visits.assign)."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Case, DateTimeField, Exists, F, OuterRef, When

from dispatch import job_events
from dispatch.forecast import GRACE
from dispatch.models import Job, Visit
from dispatch.states import BEFORE_ARRIVAL

# `latest_start` of visits that the database compares
LATEST_START = Case(
    When(is_start_agreed=True, then=F("planned_start") + GRACE),
    default=F("job__window_end"),
    output_field=DateTimeField(),
)

# of visits that the database compares: somebody else was in time
BEGUN_IN_WINDOW = Exists(
    Visit.objects.filter(job=OuterRef("job"), arrived_at__lte=OuterRef("job__window_end")).exclude(
        pk=OuterRef("pk")
    )
)


def jobs_attended_in_window(visits: Iterable[Visit]) -> frozenset[int]:
    """Of the jobs (keys) whose visit began after the window those at which somebody else was in time; one query, if
    there are any. The visits come with their jobs."""
    late = [visit.pk for visit in visits if visit.arrived_at and visit.arrived_at > visit.job.window_end]
    if not late:
        return frozenset()
    return frozenset(Visit.objects.filter(BEGUN_IN_WINDOW, pk__in=late).values_list("job_id", flat=True))


def agreed_start(visit: Visit | None) -> datetime | None:
    """When the customer expects the engineer instead of in the window; None where the window counts."""
    return visit.planned_start if visit and visit.is_start_agreed else None


def latest_start(job: Job, visit: Visit | None) -> datetime:
    """From when on a visit that has not begun is late: the end of the window, or a little after the agreed start."""
    return latest_of(job, agreed_start(visit))


def latest_of(job: Job, agreed: datetime | None) -> datetime:
    """`latest_start` of a visit that is only planned, and agreed for this moment."""
    return agreed + GRACE if agreed else job.window_end


def read_missed_jobs(*, now: datetime, within: timedelta) -> list[tuple[Job, Visit | None]]:
    """Jobs whose window ended within this time, and at which nobody was on site in time: each with its visit where a
    later start was agreed. Three queries."""
    over = list(
        Job.objects.filter(state__in=BEFORE_ARRIVAL, window_end__lte=now, window_end__gt=now - within)
    )
    begun = job_events.jobs_begun(job.pk for job in over)
    visits = Visit.objects.current().filter(job__in=over, is_start_agreed=True)
    agreed = {visit.job_id: visit for visit in visits}
    found = [(job, agreed.get(job.pk)) for job in over if job.pk not in begun]
    return [(job, visit) for job, visit in found if now >= latest_start(job, visit)]


def read_interrupted_jobs(*, now: datetime) -> list[tuple[Job, Visit | None]]:
    """Jobs that were begun and that nobody goes on with, however old: the visit of whoever should has passed with
    nobody on site, or there is none and the window has ended. Four queries at most."""
    waiting = Job.objects.filter(state__in=BEFORE_ARRIVAL, window_start__lte=now)
    # by keys: for a condition on the events PostgreSQL reads all of them
    begun = job_events.jobs_begun(waiting.values_list("pk", flat=True))
    planned = Visit.objects.current().filter(job__in=begun).select_related("engineer__user")
    visits = {visit.job_id: visit for visit in planned}
    found = [(job, visits.get(job.pk)) for job in waiting.filter(pk__in=begun)]
    return [
        (job, visit)
        for job, visit in found
        if now >= (visit.planned_start + GRACE if visit else job.window_end)
    ]
