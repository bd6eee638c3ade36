"""The Attention list as a page, what dispatchers do about its entries, and a fault of the network: its jobs, holding
what lies ahead, and releasing it.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from board.alarms.alarm_presenter import alarm_line
from board.alarms.alarms_page import alarms_page
from board.alarms.check_in_presenter import handled_by
from board.alarms.pattern_presenter import jobs_held_for, jobs_to_hold, pattern_page
from board.alarms.visible_alarms import are_members_visible, visible_alarms, visible_check_ins
from board.base_context import attention_version, read_attention, render_page, unhandled_entries
from board.jobs.actions import dispatcher_of
from board.jobs.forms import HoldAheadForm
from board.jobs.responses import done_response, redirect_back
from board.links import engineer_links, link_text
from closures.network_patterns import watch_patterns
from dispatch.models import PinHoldChange
from dispatch.plan_changes import plan_actions
from engineers import lone_worker
from engineers.input_values import read_number
from engineers.models import CheckIn, Engineer, Right
from engineers.permissions import for_office, for_right, user_of
from engineers.throttling import RateLimit, rate_limited
from monitoring import alarms
from monitoring.models import Alarm, AlarmKind

SNOOZE = timedelta(minutes=30)


@for_office
def attention(request: HttpRequest) -> HttpResponse:
    """`?page=` of what was cleared; all of what is open."""
    page = alarms_page(read_number(request.GET.get("page", "")) or 1)
    return render_page(request, "board/alarms/alarms.html", page, section="alarms")


@for_office
@rate_limited(RateLimit("attention", 240))
def attention_entries(_request: HttpRequest) -> HttpResponse:
    """What nobody takes care of, and the version of the whole list; asked again and again by pages of the office."""
    lines = read_attention()
    response = JsonResponse({"entries": unhandled_entries(lines), "version": attention_version(lines)})
    add_never_cache_headers(response)
    return response


@for_right(Right.HANDLE_ALARMS)
@require_POST
def alarm_action(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """`acknowledge`: I'll handle it; `snooze`: remind me later; `release`: neither any more; `dismiss`: done. Each may
    be sent twice."""
    if action not in ALARM_ACTIONS:
        raise Http404
    alarm = get_object_or_404(Alarm, pk=pk)
    if not visible_alarms([alarm]):
        raise Http404
    if not are_members_visible(alarm):
        sentence = _("Some of these jobs are in other areas. Handle those of your areas on their own pages.")
        messages.info(request, sentence)
    elif not ALARM_ACTIONS[action](alarm, user_of(request).pk):
        alarm = Alarm.objects.select_related("owner").get(pk=pk)
        handled = "" if alarm.cleared_at else alarm_line(alarm).handled
        messages.info(request, handled or _("This entry has changed since you opened the page."))
    return done_response(request, redirect_back(request))


@for_office
def engineer_by_name(request: HttpRequest) -> HttpResponse:
    """From an alarm, which has a name only, to the engineer; to the list where nobody or several are called so."""
    name = request.GET.get("name", "")
    found = [
        engineer for engineer in Engineer.objects.in_scope().select_related("user") if engineer.name == name
    ]
    return redirect("board:engineer", found[0].pk) if len(found) == 1 else redirect("board:people")


def _snooze(alarm: Alarm, owner_id: int) -> bool:
    return alarms.snooze_alarm(alarm, owner_id=owner_id, until=timezone.now() + SNOOZE)


ALARM_ACTIONS: dict[str, Callable[[Alarm, int], bool]] = {
    "acknowledge": lambda alarm, owner_id: alarms.acknowledge_alarm(alarm, owner_id=owner_id),
    "snooze": _snooze,
    "release": lambda alarm, _owner_id: alarms.release_alarm(alarm),
    "dismiss": lambda alarm, owner_id: alarms.dismiss_alarm(alarm, owner_id=owner_id),
}
CHECK_IN_ACTIONS: dict[str, Callable[..., bool]] = {
    "seen": lone_worker.acknowledge_check_in,
    "release": lone_worker.release_check_in,
    "reached": lone_worker.contacted_engineer,
}
CHECK_IN_TEXTS = {
    "seen": gettext_lazy("You are now handling %(name)s."),
    "release": gettext_lazy("Nobody is handling %(name)s now."),
    "reached": gettext_lazy("%(name)s was reached. The alarm is cleared."),
}


@for_right(Right.HANDLE_ALARMS)
@require_POST
def check_in_action(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """`seen`: I'll handle it; `release`: no longer; `reached`: the engineer is OK. Each may be sent twice."""
    if action not in CHECK_IN_ACTIONS:
        raise Http404
    check_in = get_object_or_404(CheckIn.objects.select_related("engineer__user"), pk=pk)
    if not visible_check_ins([check_in]):
        raise Http404
    if CHECK_IN_ACTIONS[action](check_in=check_in, by=user_of(request)):
        text = CHECK_IN_TEXTS[action] % {"name": check_in.engineer.name}
        messages.success(request, link_text(text, engineer_links(check_in.engineer.name)))
    else:
        check_in.refresh_from_db()
        handled = "" if check_in.ended_at else handled_by(check_in)
        messages.info(request, handled or _("This entry has changed since you opened the page."))
    return done_response(request, redirect_back(request))


def _pattern_or_404(pk: int) -> Alarm:
    found = get_object_or_404(Alarm.objects.select_related("owner"), pk=pk, kind=AlarmKind.NETWORK_PATTERN)
    if not visible_alarms([found]):
        raise Http404
    return found


@for_office
def pattern(request: HttpRequest, pk: int) -> HttpResponse:
    page = pattern_page(_pattern_or_404(pk))
    return render_page(request, "board/alarms/network_pattern.html", page, section="alarms")


@for_right(Right.CHANGE_JOBS)
@require_POST
def hold_ahead(request: HttpRequest, pk: int) -> HttpResponse:
    """Hold the jobs named in `job`, of what lies ahead on the element. May be sent twice, and undone. The page says
    what was done, with the way back."""
    alarm = _pattern_or_404(pk)
    chosen, form = request.POST.getlist("job"), HoldAheadForm(request.POST)
    if not form.is_valid():
        page = replace(pattern_page(alarm), form=form, ticked=chosen)
        return render_page(request, "board/alarms/network_pattern.html", page, section="alarms", status=400)
    reason = form.cleaned_data["reason"] or alarms.text_of(alarm)
    jobs = [job for job in jobs_to_hold(alarm) if job.provider_job_id in chosen]
    action = plan_actions.pin_or_hold_jobs(
        jobs, PinHoldChange.HELD, by=dispatcher_of(request), reason=reason, element=alarm.subject
    )
    watch_patterns()
    if action is None:
        messages.info(request, _("Nothing was put on hold: these jobs are on hold or have begun."))
    return redirect("board:pattern", pk=pk)


@for_right(Right.CHANGE_JOBS)
@require_POST
def release_ahead(request: HttpRequest, pk: int) -> HttpResponse:
    """Release every job that is held for this alarm. May be sent twice, and undone."""
    jobs = jobs_held_for(_pattern_or_404(pk))
    action = plan_actions.pin_or_hold_jobs(jobs, PinHoldChange.RELEASED, by=dispatcher_of(request))
    watch_patterns()
    if action is None:
        messages.info(request, _("Nothing was released: no job is on hold for this fault."))
    return redirect("board:pattern", pk=pk)
