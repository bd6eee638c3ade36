"""Where the premises of a job are, once somebody or a geocoder has found them."""

from django.db import transaction

from dispatch import job_events
from dispatch.job_events import Performer
from dispatch.models import Job, JobEvent
from dispatch.plan_changes.plan_versions import PlanChanged, last_change
from dispatch.problems import Problem
from dispatch.states import EventKind


def location_version(job: Job) -> str:
    """Another one for each place."""
    return f"{job.latitude},{job.longitude}"


@transaction.atomic
def set_location(
    *,
    job: Job,
    latitude: float,
    longitude: float,
    by: Performer,
    found_by: str = "dispatcher",
    seen: str | None = None,
) -> JobEvent:
    """Put the job on the map (WGS 84 degrees). `seen`: the location_version that was decided on, None asks for nothing.
    Raises PlanChanged when somebody has set another place since, IllegalEvent once it is closed or cancelled."""
    job = job_events.lock_job(job)
    if seen is not None and seen != location_version(job):
        raise PlanChanged([Problem("plan_changed", "location", last_change(job, [EventKind.LOCATED]))])
    job.latitude, job.longitude = latitude, longitude
    coordinates = {"latitude": latitude, "longitude": longitude}
    return job_events.record_event(
        job=job,
        kind=EventKind.LOCATED,
        by=by,
        facts={**coordinates, "found_by": found_by},
        changed=tuple(coordinates),
    )
