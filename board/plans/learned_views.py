"""What was learned of job lengths and drives: shown to the office, switched on and off by a supervisor."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_POST

from board.base_context import render_page
from board.plans.learned_presenter import learned_page
from dispatch.models import DriveCorrection, LearnedLength
from engineers.area_scope import check_unlimited, scope_of
from engineers.audit import record_audit
from engineers.models import Right, User
from engineers.permissions import for_office, for_right, may_everywhere, refusing_limited, user_of


@for_office
@require_GET
def learned(request: HttpRequest) -> HttpResponse:
    page = learned_page(can_change=may_everywhere(request, Right.CHANGE_RULES))
    return render_page(request, "board/plans/learned.html", page, section="board")


@for_right(Right.CHANGE_RULES)
@refusing_limited
@require_POST
def switch_length(request: HttpRequest, pk: int) -> HttpResponse:
    """`used`: 1 or 0. Jobs that exist keep their length."""
    return _switch(request, get_object_or_404(LearnedLength, pk=pk))


@for_right(Right.CHANGE_RULES)
@refusing_limited
@require_POST
def switch_drive(request: HttpRequest, pk: int) -> HttpResponse:
    """`used`: 1 or 0."""
    return _switch(request, get_object_or_404(DriveCorrection, pk=pk))


def _switch(request: HttpRequest, row: LearnedLength | DriveCorrection) -> HttpResponse:
    _store_use(row, is_used=request.POST.get("used") == "1", by=user_of(request))
    return redirect("board:learned")


@transaction.atomic
def _store_use(row: LearnedLength | DriveCorrection, *, is_used: bool, by: User) -> None:
    check_unlimited(scope_of(by))
    before, row.is_used = row.is_used, is_used
    row.save(update_fields=["is_used"])
    record_audit(
        actor=by,
        action="learned_time_switched",
        subject=str(row)[:100],
        before={"is_used": before},
        after={"is_used": row.is_used},
    )
