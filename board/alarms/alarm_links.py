"""Where an alarm leads: to the messages, the engineer or the photo that it is about. No queries."""

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from board.links import Link, day_url, engineer_links, job_link
from monitoring.alarms import AlarmKind
from monitoring.models import Alarm
from seller_link.message_log import StatusFilter

# whose subject is a job's number
JOB_KINDS = frozenset(
    {
        AlarmKind.MESSAGE_HELD,
        AlarmKind.MESSAGE_UNCONFIRMED,
        AlarmKind.PROVISIONING_OVERDUE,
        AlarmKind.PROVISIONING_FAILED,
        AlarmKind.SITE_UNSAFE,
        AlarmKind.CANCELLED_EN_ROUTE,
        AlarmKind.STARTED_ON_HOLD,
        AlarmKind.HANDOVER_REQUESTED,
        AlarmKind.JOB_LATE,
        AlarmKind.CLOSURE_REVIEW,
    }
)


def job_id_of(alarm: Alarm) -> str:
    """The number of the job that it is about; empty for an alarm of the whole system."""
    return alarm.subject if alarm.kind in JOB_KINDS else str(alarm.parameters.get("job", ""))


def alarm_links(alarm: Alarm) -> list[Link]:
    """What to open beside the job, in the order of use."""
    links = []
    if alarm.kind == AlarmKind.MESSAGE_HELD:
        held = _message_log(job=alarm.subject, status=StatusFilter.HELD)
        links.append(Link(_("Open held message"), held))
    if alarm.kind == AlarmKind.MESSAGE_UNCONFIRMED:
        waiting = _message_log(job=alarm.subject, status=StatusFilter.WAITING)
        links.append(Link(_("Open message"), waiting))
    if alarm.kind == AlarmKind.NETWORK_PATTERN:
        links.append(Link(_("Show and hold the jobs"), reverse("board:pattern", args=[alarm.pk])))
    if alarm.kind == AlarmKind.CAPACITY_SHORT:
        links += _capacity_links(alarm)
    if alarm.kind == AlarmKind.MESSAGE_ID_REUSED:
        links.append(Link(_("Show both messages"), _message_log(text=str(alarm.parameters.get("id", "")))))
    if alarm.kind in {AlarmKind.SELLER_UNREACHABLE, AlarmKind.SELLER_UNTRUSTED}:
        links.append(Link(_("Show waiting messages"), _message_log(status=StatusFilter.WAITING)))
    if alarm.kind == AlarmKind.THUMBNAIL_FAILED and job_id_of(alarm):
        anchor = f"#photo-{alarm.subject.removeprefix('photo ')}"
        links.append(Link(_("Open photo"), reverse("board:job", args=[job_id_of(alarm)]) + anchor))
    if alarm.kind == AlarmKind.CLOSURE_REVIEW:
        links.append(Link(_("Review closure"), reverse("board:job", args=[alarm.subject]) + "#review"))
    return [*links, *engineer_links(alarm.parameters.get("engineer"))]


def named_links(alarm: Alarm) -> tuple[Link, ...]:
    """What the sentence names beside job numbers and message ids: the engineer, and the job by its postcode."""
    job, postcode = job_id_of(alarm), str(alarm.parameters.get("postcode", ""))
    jobs = (job_link(job, title=postcode),) if job and postcode else ()
    return (*engineer_links(alarm.parameters.get("engineer")), *jobs)


def _capacity_links(alarm: Alarm) -> list[Link]:
    """The jobs and engineers of that half day, and the days round it; none where retention has emptied the alarm."""
    day, part, area, skill = (
        str(alarm.parameters.get(name, "")) for name in ("day_on", "part", "area", "skill")
    )
    if not day:
        return []
    board = day_url(day, span=part, area=area, skill=skill)
    return [Link(_("Show jobs"), board), Link(_("Show capacity"), reverse("board:capacity"))]


def _message_log(**wanted: str) -> str:
    return f"{reverse('board:messages')}?{urlencode(wanted)}"
