"""The frame around every page of the office, and how a page is answered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zlib import crc32

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from board.alarms.alarm_presenter import AlarmLine, build_attention_list, read_open_alarms
from board.alarms.check_in_presenter import CheckInLine, check_in_entry, list_overdue_check_ins
from board.jobs.undo import ActionOffer, redo_offer, undo_offer
from engineers.current_scope import current_scope
from engineers.models import Right, Role, User
from engineers.permissions import user_of
from monitoring.models import Alarm
from seller_link import outbox

# more than these are not counted: who has a hundred alarms has one problem
MAX_ALARMS = 100


@dataclass(frozen=True)
class PageFrame:
    """What stands around a page: who works, what is in trouble, what can be undone (read where a page shows it)."""

    user: User
    stuck_count: int
    alarms: list[AlarmLine]
    check_ins: list[CheckInLine]
    section: str

    @property
    def user_name(self) -> str:
        return self.user.display_name

    @property
    def may_see_audit(self) -> bool:
        """The audit is about all areas."""
        return Right.SEE_AUDIT in self.user.rights and not self.is_limited

    @property
    def is_limited(self) -> bool:
        """Whether pages about all areas at once are closed for the reader."""
        return current_scope().is_limited

    @property
    def is_supervisor(self) -> bool:
        return self.user.role == Role.SUPERVISOR

    @cached_property
    def may(self) -> dict[str, bool]:
        """By the name of each right (engineers.models.Right): a button that may not be pressed is not there."""
        return {right.value: right in self.user.rights for right in Right}

    @cached_property
    def undo(self) -> ActionOffer | None:
        return undo_offer(self.user)

    @cached_property
    def redo(self) -> ActionOffer | None:
        return redo_offer(self.user)

    @property
    def unhandled(self) -> int:
        """How many entries of the Attention list nobody takes care of."""
        return len(self.unhandled_entries)

    @cached_property
    def attention(self) -> list[AlarmLine]:
        """All entries of the Attention list; engineers who have not checked in come first."""
        return [*map(check_in_entry, self.check_ins), *self.alarms]

    @cached_property
    def unhandled_entries(self) -> list[str]:
        return unhandled_entries(self.attention)

    @property
    def attention_version(self) -> str:
        return attention_version(self.attention)


def unhandled_entries(lines: Iterable[AlarmLine]) -> list[str]:
    """A name for each entry of the Attention list that nobody takes care of, the same on every page."""
    return sorted(line.entry for line in lines if line.is_unhandled)


def attention_version(lines: Iterable[AlarmLine]) -> str:
    """Changes with what is on the Attention list, what an alarm says, and with who takes care of it. A check-in says
    for how many minutes, which is no reason to fetch a page each minute."""
    text = "\n".join(f"{line.entry} {'' if line.is_check_in else line.text} {line.handled}" for line in lines)
    return f"{crc32(text.encode()):x}"


def read_attention() -> list[AlarmLine]:
    """The list as it is now, as a frame has it; two queries."""
    alarms = build_attention_list(read_open_alarms(MAX_ALARMS))
    check_ins = map(check_in_entry, list_overdue_check_ins(timezone.now()))
    return [*check_ins, *alarms]


def build_frame(
    request: HttpRequest, *, section: str, open_alarms: Sequence[Alarm] | None = None
) -> PageFrame:
    """`open_alarms` where the page itself has read them already."""
    found = read_open_alarms(MAX_ALARMS) if open_alarms is None else open_alarms[:MAX_ALARMS]
    return PageFrame(
        user=user_of(request),
        stuck_count=outbox.stuck_messages().in_scope().count(),
        alarms=build_attention_list(found),
        check_ins=list_overdue_check_ins(timezone.now()),
        section=section,
    )


def render_page(
    request: HttpRequest,
    template: str,
    page: Any,
    *,
    section: str = "",
    status: int = 200,
    open_alarms: Sequence[Alarm] | None = None,
) -> HttpResponse:
    """A page with its frame, never kept by a browser: the next one at this computer may be somebody else."""
    frame = build_frame(request, section=section, open_alarms=open_alarms)
    context = {"page": page, "frame": frame}
    response = render(request, template, context, status=status)
    add_never_cache_headers(response)
    return response
