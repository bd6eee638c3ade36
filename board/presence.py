"""Who looks at which job, or moves its card: told to the other boards, kept for less than a minute."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from board.models import Activity, Presence
from dispatch.models import Job
from engineers.current_scope import current_scope
from engineers.models import User

# the page renews it three times in this time (static/js/board/day/presence.js)
LIFETIME = timedelta(seconds=45)


@dataclass(frozen=True)
class Visitor:
    """A colleague at a job, as the boards get it."""

    user: int
    name: str
    job: str
    activity: str


def record_presence(*, user: User, job_id: str, activity: Activity) -> None:
    """The user is at this job from now on, and at another one in another window if it says so."""
    now = timezone.now()
    Presence.objects.filter(user=user, expires_at__lte=now).delete()
    Presence.objects.update_or_create(
        user=user,
        provider_job_id=job_id,
        defaults={"activity": activity, "expires_at": now + LIFETIME},
    )


def end_presence(*, user: User, job_id: str) -> None:
    Presence.objects.filter(user=user, provider_job_id=job_id).delete()


def visible_visitors(visitors: Sequence[Visitor]) -> list[Visitor]:
    """Those at a job that whoever asks may see; no query for somebody who sees every area."""
    if not visitors or not current_scope().is_limited:
        return list(visitors)
    found = Job.objects.in_scope().filter(provider_job_id__in=[visitor.job for visitor in visitors])
    jobs = set(found.values_list("provider_job_id", flat=True))
    return [visitor for visitor in visitors if visitor.job in jobs]


def list_visitors(now: datetime) -> list[Visitor]:
    """Everybody who is at a job now; one query."""
    rows = Presence.objects.current(now).select_related("user").order_by("user", "provider_job_id")
    return [Visitor(row.user_id, row.user.display_name, row.provider_job_id, row.activity) for row in rows]
