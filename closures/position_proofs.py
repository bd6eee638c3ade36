"""A closure that says nobody let the engineer in is paid for by the end user, if something shows that the engineer was
at the premises: the position of “on site”, or of a photo."""

from closures import codes
from closures.models import Closure
from closures.photos import evidence
from dispatch.models import Job
from dispatch.states import EventKind


def lacks_position(job: Job, closure: Closure) -> bool:
    """Of a visit that ended without access, whether no position was given by whoever closed it. Reads the job's events
    and photos."""
    if closure.without_visit or not codes.find_code(closure.code).without_access:
        return False
    arrivals = [event for event in job.events.all() if event.kind == EventKind.ON_SITE]
    own_photos = (photo for photo in evidence.available_photos(job) if photo.by_id == closure.engineer_id)
    latitudes = [
        *(event.facts.get("latitude") for event in arrivals[-1:]),
        *(photo.latitude for photo in own_photos),
    ]
    return all(latitude is None for latitude in latitudes)
