"""A fault of the network: its jobs, holding what lies ahead, and releasing it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.alarms.pattern_presenter import jobs_to_hold, pattern_page
from board.alarms.visible_alarms import visible_alarms
from board.base_context import render_page
from board.jobs.actions import dispatcher_of
from closures.network_patterns import watch_patterns
from dispatch import plan_actions
from dispatch.models import Mark
from engineers.models import Right
from engineers.permissions import for_office, for_right
from monitoring import alarms
from monitoring.alarms import AlarmKind
from monitoring.models import Alarm


def _pattern_or_404(pk: int) -> Alarm:
    found = get_object_or_404(Alarm.objects.select_related("owner"), pk=pk, kind=AlarmKind.NETWORK_PATTERN)
    if not visible_alarms([found]):
        raise Http404
    return found


@for_office
def pattern(request: HttpRequest, pk: int) -> HttpResponse:
    page = pattern_page(_pattern_or_404(pk))
    return render_page(request, "board/network_pattern.html", page, section="alarms")


@for_right(Right.CHANGE_JOBS)
@require_POST
def hold_ahead(request: HttpRequest, pk: int) -> HttpResponse:
    """Hold what lies ahead on the element: all of it, or the jobs named in `job`. May be sent twice, and undone. The
    page says what was done, with the way back."""
    alarm = _pattern_or_404(pk)
    chosen = set(request.POST.getlist("job"))
    reason = request.POST.get("reason", "").strip()[:200] or str(alarms.text_of(alarm))
    jobs = [job for job in jobs_to_hold(alarm) if not chosen or job.provider_job_id in chosen]
    action = plan_actions.mark_jobs(
        jobs, Mark.HELD, by=dispatcher_of(request), reason=reason, element=alarm.subject
    )
    watch_patterns()
    if action is None:
        messages.info(request, _("Nothing was put on hold: these jobs are on hold or have begun."))
    return redirect("board:pattern", pk=pk)


@for_right(Right.CHANGE_JOBS)
@require_POST
def release_ahead(request: HttpRequest, pk: int) -> HttpResponse:
    """Release every job that is held for this alarm. May be sent twice, and undone."""
    jobs = [job for job in jobs_to_hold(_pattern_or_404(pk)) if job.held_at]
    action = plan_actions.mark_jobs(jobs, Mark.RELEASED, by=dispatcher_of(request))
    watch_patterns()
    if action is None:
        messages.info(request, _("Nothing was released: none of these jobs is on hold."))
    return redirect("board:pattern", pk=pk)
