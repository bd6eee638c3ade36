"""The Attention list as a page, and what dispatchers do about its entries."""

from collections.abc import Callable
from datetime import timedelta

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.alarms.alarm_presenter import alarm_line
from board.alarms.attention_page import alarms_page
from board.alarms.visible_alarms import visible_alarms, visible_check_ins
from board.base_context import read_unhandled_entries, render_page
from board.jobs.responses import redirect_back
from board.links import engineer_links, link_text
from engineers import lone_worker
from engineers.models import CheckIn, Engineer, Right
from engineers.permissions import for_office, for_right, user_of
from engineers.throttling import RateLimit, rate_limited
from monitoring import alarms
from monitoring.models import Alarm

SNOOZE = timedelta(minutes=30)


@for_office
def attention(request: HttpRequest) -> HttpResponse:
    return render_page(request, "board/alarms.html", alarms_page(), section="alarms")


@for_office
@rate_limited(RateLimit("attention", 240))
def attention_entries(_request: HttpRequest) -> HttpResponse:
    """What nobody takes care of, asked every five seconds by pages whose dispatcher wants a sound."""
    response = JsonResponse({"entries": read_unhandled_entries()})
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
    if not ALARM_ACTIONS[action](alarm, user_of(request).pk):
        alarm = Alarm.objects.select_related("owner").get(pk=pk)
        messages.info(request, alarm_line(alarm).handled or _("This entry has changed meanwhile."))
    return redirect(redirect_back(request))


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
CHECK_IN_ACTIONS: dict[str, Callable[..., None]] = {
    "seen": lone_worker.acknowledge_check_in,
    "reached": lone_worker.contacted_engineer,
}


@for_right(Right.HANDLE_ALARMS)
@require_POST
def check_in_action(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """`seen`: I'll handle it; `reached`: the engineer is OK. Both may be sent twice."""
    if action not in CHECK_IN_ACTIONS:
        raise Http404
    check_in = get_object_or_404(CheckIn.objects.select_related("engineer__user"), pk=pk)
    if not visible_check_ins([check_in]):
        raise Http404
    CHECK_IN_ACTIONS[action](check_in=check_in, by=user_of(request))
    parameters = {"name": check_in.engineer.name}
    message = (
        _("You are now handling %(name)s.")
        if action == "seen"
        else _("%(name)s was reached. The alarm is cleared.")
    )
    text = message % parameters
    messages.success(request, link_text(text, engineer_links(check_in.engineer.name)))
    return redirect(redirect_back(request))
