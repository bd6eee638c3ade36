"""Where an alarm leads: to the messages, the engineer or the photo that it is about. No queries."""

from collections.abc import Callable, Mapping

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from board.links import Link, day_url, engineer_links, engineer_panel_url, job_link
from monitoring.alarm_kinds import JOB_KINDS
from monitoring.models import Alarm, AlarmKind
from seller_link.message_log import StatusFilter


def job_id_of(alarm: Alarm) -> str:
    """The number of the job that it is about; empty for an alarm of the whole system."""
    return alarm.subject if alarm.kind in JOB_KINDS else str(alarm.parameters.get("job", ""))


def alarm_links(alarm: Alarm) -> list[Link]:
    """What to open beside the job, in the order of use."""
    build_links = ALARM_PAGES.get(alarm.kind)
    links = build_links(alarm) if build_links else []
    return [*links, *engineer_links(alarm.parameters.get("engineer"))]


def named_links(alarm: Alarm) -> tuple[Link, ...]:
    """What the sentence names beside job numbers and message ids: the engineer, and the job by its postcode."""
    job, postcode = job_id_of(alarm), str(alarm.parameters.get("postcode", ""))
    jobs = (job_link(job, title=postcode),) if job and postcode else ()
    return (*engineer_links(alarm.parameters.get("engineer")), *jobs)


def _held_message(alarm: Alarm) -> list[Link]:
    return [Link(_("Open held message"), _message_log(job=alarm.subject, status=StatusFilter.HELD))]


def _unconfirmed_message(alarm: Alarm) -> list[Link]:
    return [Link(_("Open message"), _message_log(job=alarm.subject, status=StatusFilter.WAITING))]


def _failing_messages(_alarm: Alarm) -> list[Link]:
    return [Link(_("Show stuck messages"), reverse("board:stuck"))]


def _messages_of_id(alarm: Alarm) -> list[Link]:
    return [Link(_("Show both messages"), _message_log(text=str(alarm.parameters.get("id", ""))))]


def _waiting_messages(_alarm: Alarm) -> list[Link]:
    return [Link(_("Show waiting messages"), _message_log(status=StatusFilter.WAITING))]


def _network_pattern(alarm: Alarm) -> list[Link]:
    return [Link(_("Show and hold the jobs"), reverse("board:pattern", args=[alarm.pk]))]


def _photo(alarm: Alarm) -> list[Link]:
    """None where retention has emptied the alarm."""
    if not (job := job_id_of(alarm)):
        return []
    anchor = f"#photo-{alarm.subject.removeprefix('photo ')}"
    return [Link(_("Open photo"), reverse("board:job", args=[job]) + anchor)]


def _closure_review(alarm: Alarm) -> list[Link]:
    return [Link(_("Review closure"), reverse("board:job", args=[alarm.subject]) + "#review")]


def _absent_engineer(alarm: Alarm) -> list[Link]:
    return [Link(_("Reassign on the board"), engineer_panel_url(alarm.subject))]


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


# None: the job and the engineer are enough, or what to do is outside the board
ALARM_PAGES: Mapping[str, Callable[[Alarm], list[Link]] | None] = {
    AlarmKind.SELLER_UNTRUSTED: _waiting_messages,
    AlarmKind.SELLER_UNREACHABLE: _waiting_messages,
    AlarmKind.SELLER_RATE_LIMIT: _waiting_messages,
    AlarmKind.MESSAGE_HELD: _held_message,
    AlarmKind.MESSAGE_UNCONFIRMED: _unconfirmed_message,
    AlarmKind.MESSAGES_FAILING: _failing_messages,
    AlarmKind.MESSAGE_ID_REUSED: _messages_of_id,
    AlarmKind.CERTIFICATE_ENDING: None,
    AlarmKind.CLOCK_DIFFERS: None,
    AlarmKind.PROCESS_STUCK: None,
    AlarmKind.DISK_FULL: None,
    AlarmKind.DISK_AWAY: None,
    AlarmKind.BACKUP_OVERDUE: None,
    AlarmKind.EVIDENCE_UNAVAILABLE: None,
    AlarmKind.TRAVEL_SERVER_UNREACHABLE: None,
    AlarmKind.PROVISIONING_OVERDUE: None,
    AlarmKind.DUTY_FAILING: None,
    AlarmKind.SITE_UNSAFE: None,
    AlarmKind.CHECK_IN_OVERDUE: None,
    AlarmKind.CANCELLED_EN_ROUTE: None,
    AlarmKind.STARTED_ON_HOLD: None,
    AlarmKind.PROVISIONING_FAILED: None,
    AlarmKind.HANDOVER_REQUESTED: None,
    AlarmKind.ENGINEER_ABSENT: _absent_engineer,
    AlarmKind.CLOSURE_REVIEW: _closure_review,
    AlarmKind.JOB_LATE: None,
    AlarmKind.NETWORK_PATTERN: _network_pattern,
    AlarmKind.CAPACITY_SHORT: _capacity_links,
    AlarmKind.THUMBNAIL_FAILED: _photo,
    AlarmKind.WEBHOOK_FAILING: None,
    AlarmKind.TASK_REFUSED: None,
}
