"""The version of the board: a short text that changes with everything that a board shows."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max
from django.utils import timezone

from dispatch.models import JobEvent
from engineers.models import Absence, CheckIn
from monitoring import alarms
from seller_link import outbox


@dataclass(frozen=True)
class BoardVersion:
    """`last_event`: the newest job event's key; `trouble`: alarms, check-ins, stuck messages; `absences`: how many and
    the newest; `minute`: the clock."""

    last_event: int
    trouble: str
    absences: str
    minute: str

    def __str__(self) -> str:
        return f"{self.last_event}.{self.trouble}.{self.absences}.{self.minute}"


def read_version() -> BoardVersion:
    """Changes with every event, message in trouble, alarm, overdue check-in and absence, and each minute for the
    clock."""
    newest = JobEvent.objects.aggregate(newest=Max("pk"))["newest"] or 0
    now = timezone.now()
    trouble = f"{_ringing(now)}.{outbox.stuck_messages().count()}"
    return BoardVersion(newest, trouble, _absences(), f"{now:%H%M}")


def _absences() -> str:
    """Other than an event of a job, an absence is entered and removed under People."""
    found = Absence.objects.aggregate(number=Count("pk"), newest=Max("pk"))
    return f"{found['number']}-{found['newest'] or 0}"


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
