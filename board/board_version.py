"""The version of the board: a short text that changes with everything that a board shows."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max
from django.utils import timezone

from dispatch.models import JobEvent
from engineers.models import CheckIn
from monitoring import alarms
from seller_link import outbox


@dataclass(frozen=True)
class BoardVersion:
    """`last_event`: the newest job event's key; `trouble`: alarms, check-ins, stuck messages; `minute`: the clock."""

    last_event: int
    trouble: str
    minute: str

    def __str__(self) -> str:
        return f"{self.last_event}.{self.trouble}.{self.minute}"


def read_version() -> BoardVersion:
    """Changes with every event, message in trouble, alarm and overdue check-in, and each minute for the clock."""
    newest = JobEvent.objects.aggregate(newest=Max("pk"))["newest"] or 0
    now = timezone.now()
    return BoardVersion(newest, f"{_ringing(now)}.{outbox.stuck_messages().count()}", f"{now:%H%M}")


def _ringing(now: datetime) -> str:
    ringing = (
        alarms.open_alarms()
        .order_by()
        .aggregate(
            number=Count("pk"),
            newest=Max("pk"),
            acknowledged=Max("acknowledged_at"),
            snoozed=Max("snoozed_until"),
        )
    )
    alone = CheckIn.objects.overdue(now).aggregate(number=Count("pk"), seen=Count("acknowledged_at"))
    handled = f"{_seconds(ringing['acknowledged'])}-{_seconds(ringing['snoozed'])}"
    return f"{ringing['number']}-{ringing['newest'] or 0}-{handled}-{alone['number']}-{alone['seen']}"


def _seconds(moment: datetime | None) -> str:
    return f"{moment.timestamp():.0f}" if moment else ""
