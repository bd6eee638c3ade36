"""The address of the live page of one appointment: signed, short-lived, and nothing about a person in it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.core import signing
from django.urls import reverse

from dispatch.models import Job

SALT = "customer_messages.live_link"
# after the window's end somebody may still look what has become of it
VALID_AFTER_WINDOW = timedelta(hours=12)


@dataclass(frozen=True)
class LiveLink:
    """The job's key, and the start of the window that the link was made for."""

    job: int
    window_start: datetime

    def is_about_window_of(self, job: Job) -> bool:
        """The link has whole seconds; a seller may send parts of one."""
        return job.window_start.replace(microsecond=0) == self.window_start


def live_address(job: Job) -> str:
    """Absolute, for a message."""
    until = job.window_end + VALID_AFTER_WINDOW
    values = [job.pk, int(job.window_start.timestamp()), int(until.timestamp())]
    token = signing.dumps(values, salt=SALT)
    return f"{settings.PUBLIC_URL}{reverse('live-page', args=[token])}"


def read_live_link(token: str, *, now: datetime) -> LiveLink | None:
    """None for one that we did not sign, and for one whose time is over."""
    try:
        job, window_start, until = map(int, signing.loads(token, salt=SALT))
    except (signing.BadSignature, ValueError, TypeError):
        return None
    if now.timestamp() >= until:
        return None
    return LiveLink(job, datetime.fromtimestamp(window_start, UTC))
