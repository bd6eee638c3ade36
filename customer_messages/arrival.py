"""When an engineer who is on the way will arrive, as a span that a customer can plan with."""

from datetime import datetime, timedelta

from dispatch.driving.travel import job_coordinates
from dispatch.forecast import forecast_day, read_day_drives
from dispatch.models import Job, Visit
from dispatch.states import JobState
from dispatch.team_forecasts import with_withdrawn
from engineers.shifts import TimeSpan

STEP = timedelta(minutes=5)
EARLIER, LATER = timedelta(minutes=5), timedelta(minutes=20)


def expected_arrival(job: Job, *, now: datetime) -> TimeSpan | None:
    """In steps of five minutes; None while nobody is on the way, or where the premises have no location. Five queries
    at most."""
    if job.state != JobState.EN_ROUTE or job_coordinates(job) is None:
        return None
    visit = Visit.objects.active().filter(job=job).select_related("engineer").first()
    if visit is None:
        return None
    same_day = Visit.objects.active().attended_by([visit.engineer]).of_working_day(visit.planned_start)
    visits = list(same_day.select_related("job", "engineer__user", "second_engineer__user"))
    # who accompanies may come later, and the customer opens the door to the first
    own = visit.engineer_id
    visits = with_withdrawn({own: visits}, now=now)[own]
    drives = read_day_drives([(own, visits)])
    forecast = forecast_day(visits, now=now, drives=drives, person=own).get(visit.pk)
    if forecast is None:
        return None
    return arrival_window(max(forecast.starts_at, now), now=now)


def arrival_window(predicted: datetime, *, now: datetime) -> TimeSpan:
    """Round the prediction: never a time that is over, always at least 20 minutes."""
    start = _rounded_down(max(predicted - EARLIER, now))
    return TimeSpan(start, _rounded_down(predicted + LATER + STEP))


def _rounded_down(moment: datetime) -> datetime:
    return moment - timedelta(
        minutes=moment.minute % 5, seconds=moment.second, microseconds=moment.microsecond
    )
