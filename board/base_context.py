"""The frame around every page of the office, and how a page is answered."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from board.alarms.check_in_alarms import CheckInLine, list_overdue_check_ins
from board.alarms.presenters import AlarmLine, alarm_line
from board.jobs import undo
from board.jobs.undo import Move
from engineers.models import Role
from engineers.permissions import user_of
from monitoring.alarms import open_alarms
from seller_link import outbox

# more than these are not counted: who has a hundred alarms has one problem
MAX_ALARMS = 100


@dataclass(frozen=True)
class PageFrame:
    """What stands around a page: who works, what is in trouble, what can be undone."""

    user_name: str
    is_supervisor: bool
    stuck_count: int
    alarms: list[AlarmLine]
    check_ins: list[CheckInLine]
    section: str
    last_move: Move | None


def build_frame(request: HttpRequest, *, section: str) -> PageFrame:
    user = user_of(request)
    return PageFrame(
        user_name=user.display_name,
        is_supervisor=user.role == Role.SUPERVISOR,
        stuck_count=outbox.stuck_messages().count(),
        alarms=[alarm_line(alarm) for alarm in open_alarms()[:MAX_ALARMS]],
        check_ins=list_overdue_check_ins(timezone.now()),
        section=section,
        last_move=undo.last_move(request),
    )


def render_page(
    request: HttpRequest, template: str, page: Any, *, section: str = "", status: int = 200
) -> HttpResponse:
    """A page with its frame, never kept by a browser: the next one at this computer may be somebody else."""
    context = {"page": page, "frame": build_frame(request, section=section)}
    response = render(request, template, context, status=status)
    add_never_cache_headers(response)
    return response
