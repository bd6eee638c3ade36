"""Pinned visits: promised to somebody, so that neither a dispatcher's slip nor a plan for the whole day moves them."""

from django.db import transaction
from django.utils.translation import gettext as _

from dispatch import job_events
from dispatch.job_events import Performer
from dispatch.models import Job, Visit
from dispatch.plan_changes.plan_versions import refuse_changed_plan
from dispatch.problems import ActionRefused, Problem
from dispatch.states import EventKind, JobState


class VisitPinned(ActionRefused):
    """The visit stays where it is until somebody unpins it; nothing has changed."""

    def __init__(self) -> None:
        sentence = _("This visit is pinned. Unpin it first.")
        super().__init__([Problem("pinned", "job", sentence)])


def refuse_pinned(job: Job, visit: Visit | None) -> None:
    """Raises VisitPinned. Who is on the way is handed over all the same: somebody must come."""
    if visit and visit.is_pinned and job.state == JobState.ASSIGNED:
        raise VisitPinned


@transaction.atomic
def pin_visit(*, job: Job, is_pinned: bool, by: Performer, seen: str | None = None) -> bool:
    """Pin the job's visit or unpin it; False when it is so already. `seen` as for visits.assign. Raises PlanChanged,
    IllegalEvent."""
    job = job_events.lock_job(job)
    visit = job.visits.current().first()
    refuse_changed_plan(job, visit=visit, seen=seen)
    if visit and visit.is_pinned == is_pinned:
        return False
    job_events.record_event(job=job, kind=EventKind.PINNED if is_pinned else EventKind.UNPINNED, by=by)
    job.visits.current().update(is_pinned=is_pinned)
    return True
