"""A start after the window, on the same day, to which the customer agreed: a dispatcher entered it with a reason
(VisitProposal.is_start_agreed, recorded by visits.assign)."""

from datetime import datetime

from dispatch.forecast import GRACE
from dispatch.models import Job, Visit


def agreed_start(visit: Visit | None) -> datetime | None:
    """When the customer expects the engineer instead of in the window; None where the window counts."""
    return visit.planned_start if visit and visit.is_start_agreed else None


def latest_start(job: Job, visit: Visit | None) -> datetime:
    """From when on a visit that has not begun is late: the end of the window, or a little after the agreed start."""
    return latest_of(job, agreed_start(visit))


def latest_of(job: Job, agreed: datetime | None) -> datetime:
    """`latest_start` of a visit that is only planned, and agreed for this moment."""
    return agreed + GRACE if agreed else job.window_end
