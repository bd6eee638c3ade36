"""The page that stops all waiting messages of one job, and says what became of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from board import formatting
from board.messages.message_list import message_state, message_title
from dispatch.models import Job
from seller_link import outbox
from seller_link.models import OutboundMessage, OutboundState


@dataclass(frozen=True)
class StopLine:
    """`is_waiting`: it would be stopped."""

    pk: int
    title: str
    operation: str
    url: str
    tone: str
    icon: str
    state: str
    recorded: str
    failures: int
    is_waiting: bool


@dataclass(frozen=True)
class JobStopPage:
    """`can_stop`: something waits, and one of it is held or keeps failing."""

    job_id: str
    address: str
    lines: list[StopLine]
    can_stop: bool
    reason: str
    problems: Sequence[str]

    @property
    def waiting(self) -> int:
        return sum(line.is_waiting for line in self.lines)


def job_stop_page(job: Job, *, reason: str = "", problems: Sequence[str] = ()) -> JobStopPage:
    """What waits and what was stopped, in the order of the job. Two queries."""
    listed = job.outbound_messages.exclude(state=OutboundState.SENT).select_related("event").order_by("seq")
    return JobStopPage(
        job_id=job.provider_job_id,
        address=job.address,
        lines=[_line(message) for message in listed],
        can_stop=outbox.has_stuck_messages(job),
        reason=reason,
        problems=problems,
    )


def _line(message: OutboundMessage) -> StopLine:
    tone, icon, state = message_state(message)
    return StopLine(
        pk=message.pk,
        title=message_title(message),
        operation=message.operation,
        url=reverse("board:message", args=[message.message_id]),
        tone=tone,
        icon=icon,
        state=state,
        recorded=formatting.format_exact_moment(message.created_at),
        failures=message.failures,
        is_waiting=message.state != OutboundState.STOPPED,
    )
