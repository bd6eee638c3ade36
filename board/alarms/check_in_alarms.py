"""Engineers who set a timer and were not heard of since: the banner on every page of the office, and its buttons."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board import formatting
from dispatch.models import Job
from engineers import lone_worker
from engineers.location_history import map_link
from engineers.models import CheckIn, LastPosition
from engineers.permissions import for_office, user_of


@dataclass(frozen=True)
class CheckInLine:
    """`seen` says who sees to it; `position` and `map_url` are empty while no phone has told a place."""

    pk: int
    name: str
    phone: str
    phone_url: str
    job_id: str
    place: str
    due: str
    minutes: int
    position: str
    map_url: str
    seen: str


def list_overdue_check_ins(now: datetime) -> list[CheckInLine]:
    """One query while nobody is overdue."""
    found = list(
        CheckIn.objects.overdue(now).select_related(
            "engineer__user", "engineer__last_position", "acknowledged_by"
        )
    )
    jobs = Job.objects.in_bulk([one.provider_job_id for one in found], field_name="provider_job_id")
    return [_line(one, jobs.get(one.provider_job_id), now) for one in found]


def _line(one: CheckIn, job: Job | None, now: datetime) -> CheckInLine:
    last: LastPosition | None = getattr(one.engineer, "last_position", None)
    dialled = "".join(sign for sign in one.engineer.phone if sign.isdigit() or sign == "+")
    return CheckInLine(
        pk=one.pk,
        name=one.engineer.name,
        phone=one.engineer.phone,
        phone_url=f"tel:{dialled}",
        job_id=one.provider_job_id,
        place=job.address if job else "",
        due=formatting.format_time(one.due_at),
        minutes=int((now - one.due_at).total_seconds()) // 60,
        position=_position(last) if last else "",
        map_url=map_link(last.latitude, last.longitude) if last else "",
        seen=_seen(one),
    )


def _position(last: LastPosition) -> str:
    degrees = f"{last.latitude:.5f}, {last.longitude:.5f}".replace("-", "−")
    return _("%(degrees)s at %(at)s") % {"degrees": degrees, "at": formatting.format_moment(last.taken_at)}


def _seen(one: CheckIn) -> str:
    if one.acknowledged_at is None or one.acknowledged_by is None:
        return ""
    told = {"who": one.acknowledged_by.display_name, "at": formatting.format_time(one.acknowledged_at)}
    return _("%(who)s has been handling this since %(at)s.") % told


ACTIONS: dict[str, Callable[..., None]] = {
    "seen": lone_worker.acknowledge_check_in,
    "reached": lone_worker.contacted_engineer,
}


@for_office
@require_POST
def check_in_action(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """`seen`: I see to it; `reached`: the engineer is well. Both may be said twice."""
    if action not in ACTIONS:
        raise Http404
    check_in = get_object_or_404(CheckIn.objects.select_related("engineer__user"), pk=pk)
    ACTIONS[action](check_in=check_in, by=user_of(request))
    told = {"name": check_in.engineer.name}
    said = (
        _("You are now handling %(name)s.")
        if action == "seen"
        else _("%(name)s was reached. The alarm is cleared.")
    )
    messages.success(request, said % told)
    wanted = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()})
    return redirect(wanted if is_ours else reverse("board:day"))
