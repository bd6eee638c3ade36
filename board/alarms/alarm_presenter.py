"""Alarms as text: what each kind means and what to do about it (more in docs/operating.md).

Also the lone-worker check-ins that are overdue: engineers who set a timer and have not checked in since.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, F, When
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board import formatting
from board.alarms.alarm_links import JOB_KINDS, AlarmLink, alarm_links, job_id_of
from dispatch.models import Job
from engineers.location_history import map_link
from engineers.models import CheckIn, LastPosition
from monitoring import alarms
from monitoring.alarms import AlarmKind
from monitoring.models import Alarm

MAX_CLEARED = 50
ALARM_TEXTS = {
    AlarmKind.SELLER_UNTRUSTED: (
        gettext_lazy("The seller's certificate is not trusted"),
        gettext_lazy(
            "Messages to this endpoint are queued. Contact the seller's team. Never bypass the check."
        ),
    ),
    AlarmKind.SELLER_UNREACHABLE: (
        gettext_lazy("The seller can't be reached"),
        gettext_lazy(
            "Messages are queued and retried automatically. If this continues, call the seller's "
            "team and our network team."
        ),
    ),
    AlarmKind.MESSAGE_HELD: (
        gettext_lazy("The seller rejected a message"),
        gettext_lazy("Open the held message, read the reason, correct the message and resend it."),
    ),
    AlarmKind.MESSAGE_ID_REUSED: (
        gettext_lazy("The seller used a message ID twice"),
        gettext_lazy("The second message was rejected. Ask the seller to send it with a new ID."),
    ),
    AlarmKind.CERTIFICATE_ENDING: (
        gettext_lazy("A certificate expires soon"),
        gettext_lazy("Renew it before it expires. Without it, no messages can be sent or received."),
    ),
    AlarmKind.CLOCK_DIFFERS: (
        gettext_lazy("Our clock and the seller's clock differ"),
        gettext_lazy("Check time synchronisation (NTP) on this server, then ask the seller to check theirs."),
    ),
    AlarmKind.PROCESS_STUCK: (
        gettext_lazy("A background process has stopped responding"),
        gettext_lazy("Tell the system operator. Work is queued and not lost."),
    ),
    AlarmKind.DISK_FULL: (
        gettext_lazy("A disk is nearly full"),
        gettext_lazy(
            "Tell the system operator today. When the disk is full, no photos or jobs can be stored."
        ),
    ),
    AlarmKind.EVIDENCE_UNAVAILABLE: (
        gettext_lazy("Photos can't be stored"),
        gettext_lazy("Tell the system operator. Phones keep their photos and resend them."),
    ),
    AlarmKind.PROVISIONING_OVERDUE: (
        gettext_lazy("A provisioning result is overdue"),
        gettext_lazy("Call the seller's order desk and quote the job number, then tell the engineer."),
    ),
    AlarmKind.SITE_UNSAFE: (
        gettext_lazy("An engineer has reported an unsafe site"),
        gettext_lazy(
            "Call the engineer now. Agree how to make the site safe, or agree to close the job as unsafe."
        ),
    ),
    AlarmKind.CANCELLED_EN_ROUTE: (
        gettext_lazy("Cancelled while en route"),
        gettext_lazy(
            "Call the engineer, make sure that nobody goes there, and give the time to another job."
        ),
    ),
    AlarmKind.PROVISIONING_FAILED: (
        gettext_lazy("Provisioning failed"),
        gettext_lazy(
            "Call the engineer: another ONT, another reading of the label, or the seller's order desk. "
            "The visit will take longer."
        ),
    ),
    AlarmKind.ENGINEER_ABSENT: (
        gettext_lazy("An absent engineer has jobs"),
        gettext_lazy("Reassign the jobs, or call the customers before their windows begin."),
    ),
    AlarmKind.CLOSURE_REVIEW: (
        gettext_lazy("A closure waits for review"),
        gettext_lazy(
            "Open the job page, look at photos and answers, then approve the closure or send something back."
        ),
    ),
    AlarmKind.JOB_LATE: (
        gettext_lazy("A job will miss its window"),
        gettext_lazy("Reassign the job to somebody who is nearer, or call the customer now."),
    ),
    AlarmKind.NETWORK_PATTERN: (
        gettext_lazy("Network fault"),
        gettext_lazy(
            "Tell the seller's order desk. Hold the jobs ahead there, call the engineers who are en route, and "
            "release the jobs when the network works."
        ),
    ),
    AlarmKind.DUTY_FAILING: (
        gettext_lazy("A background task keeps failing"),
        gettext_lazy("Tell the system operator which task is failing. Messages are still being sent."),
    ),
    AlarmKind.THUMBNAIL_FAILED: (
        gettext_lazy("A thumbnail couldn't be created"),
        gettext_lazy(
            "The photo itself is stored. Open it on the job page. If it is damaged, ask the "
            "engineer for another one."
        ),
    ),
    AlarmKind.TASK_REFUSED: (
        gettext_lazy("The background worker rejected an unknown task"),
        gettext_lazy("Tell the system operator today. Someone may be trying to run commands on the server."),
    ),
}


@dataclass(frozen=True)
class AlarmLine:
    """`handled` says who takes care of it or until when it is snoozed; `is_unhandled` makes it loud."""

    pk: int
    title: str
    subject: str
    job_id: str
    links: list[AlarmLink]
    text: str
    what_to_do: str
    since: str
    since_time: str
    until: str
    handled: str
    is_unhandled: bool
    can_dismiss: bool
    is_held_message: bool = False


@dataclass(frozen=True)
class AlarmsPage:
    opened: list[AlarmLine]
    cleared: list[AlarmLine]


def alarms_page() -> AlarmsPage:
    cleared = Alarm.objects.exclude(cleared_at=None).order_by("-cleared_at").select_related("owner")
    opened = build_attention_list(read_open_alarms())
    return AlarmsPage(opened, [alarm_line(alarm) for alarm in cleared[:MAX_CLEARED]])


def read_open_alarms(most: int | None = None) -> list[Alarm]:
    """What nobody handles yet first, single late jobs last, the newest first; one query."""
    is_late_job = Case(When(kind=AlarmKind.JOB_LATE, then=1), default=0)
    handled = F("acknowledged_at").asc(nulls_first=True)
    found = alarms.open_alarms().select_related("owner").order_by(handled, is_late_job, "-raised_at")
    return list(found[:most])


def build_attention_list(found: Iterable[Alarm]) -> list[AlarmLine]:
    """Of alarms as `read_open_alarms` gives them; what is snoozed comes after what is not."""
    return sorted(map(alarm_line, found), key=lambda line: not line.is_unhandled)


def list_job_alarms(job: Job) -> list[AlarmLine]:
    """What is open about one job, the newest first; one query."""
    found = alarms.open_alarms().filter(kind__in=JOB_KINDS, subject=job.provider_job_id)
    return [alarm_line(alarm) for alarm in found.select_related("owner").order_by("-raised_at")]


def unhandled_subjects(found: Iterable[Alarm], *, now: datetime, is_today: bool) -> dict[str, str]:
    """By the number of a job, and today of an engineer: the title of the oldest that nobody takes care of yet."""
    kinds = {*JOB_KINDS, AlarmKind.ENGINEER_ABSENT} if is_today else JOB_KINDS
    return {
        alarm.subject: _title_and_remedy(alarm)[0]
        for alarm in sorted(found, key=lambda alarm: alarm.raised_at, reverse=True)
        if alarm.kind in kinds and alarms.is_unhandled(alarm, now=now)
    }


def _title_and_remedy(alarm: Alarm) -> tuple[str, str]:
    """What the kind means and what to do about it; a kind of another version has its name."""
    title, what_to_do = ALARM_TEXTS.get(alarm.kind, (alarm.kind, _("Tell the system operator.")))  # type: ignore[call-overload]
    return str(title), str(what_to_do)


def _handled(alarm: Alarm, *, is_unhandled: bool) -> str:
    who = alarm.owner.display_name if alarm.owner else ""
    if alarm.acknowledged_at:
        return _("%(who)s is handling this since %(at)s") % {
            "who": who,
            "at": formatting.format_time(alarm.acknowledged_at),
        }
    if alarm.snoozed_until and not is_unhandled:
        return _("%(who)s snoozed this until %(at)s") % {
            "who": who,
            "at": formatting.format_time(alarm.snoozed_until),
        }
    return ""


def alarm_line(alarm: Alarm) -> AlarmLine:
    is_unhandled = alarms.is_unhandled(alarm, now=timezone.now())
    title, what_to_do = _title_and_remedy(alarm)
    return AlarmLine(
        pk=alarm.pk,
        title=title,
        job_id=job_id_of(alarm),
        links=alarm_links(alarm),
        # the key of an element is not for people
        subject="" if alarm.kind == AlarmKind.NETWORK_PATTERN else alarm.subject,
        text=str(alarms.text_of(alarm)),
        what_to_do=what_to_do,
        since=formatting.format_exact_moment(alarm.raised_at),
        since_time=formatting.format_time(alarm.raised_at),
        until=formatting.format_exact_moment(alarm.cleared_at) if alarm.cleared_at else "",
        handled=_handled(alarm, is_unhandled=is_unhandled),
        is_unhandled=is_unhandled,
        can_dismiss=alarm.kind in alarms.DISMISSIBLE,
        is_held_message=alarm.kind == AlarmKind.MESSAGE_HELD,
    )


@dataclass(frozen=True)
class CheckInLine:
    """`seen` names who handles it; `position` and `map_url` are empty while no phone has sent a location."""

    pk: int
    name: str
    phone: str
    phone_url: str
    job_id: str
    premises: str
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
    jobs = Job.objects.in_bulk([check_in.provider_job_id for check_in in found], field_name="provider_job_id")
    return [_check_in_line(check_in, jobs.get(check_in.provider_job_id), now) for check_in in found]


def _check_in_line(check_in: CheckIn, job: Job | None, now: datetime) -> CheckInLine:
    last: LastPosition | None = getattr(check_in.engineer, "last_position", None)
    return CheckInLine(
        pk=check_in.pk,
        name=check_in.engineer.name,
        phone=check_in.engineer.phone,
        phone_url=formatting.phone_url(check_in.engineer.phone),
        job_id=check_in.provider_job_id,
        premises=job.address if job else "",
        due=formatting.format_time(check_in.due_at),
        minutes=int((now - check_in.due_at).total_seconds()) // 60,
        position=_last_position(last) if last else "",
        map_url=map_link(last.latitude, last.longitude) if last else "",
        seen=_handled_by(check_in),
    )


def _last_position(last: LastPosition) -> str:
    degrees = f"{last.latitude:.5f}, {last.longitude:.5f}".replace("-", "−")
    return _("%(degrees)s at %(at)s") % {"degrees": degrees, "at": formatting.format_moment(last.taken_at)}


def _handled_by(check_in: CheckIn) -> str:
    if check_in.acknowledged_at is None or check_in.acknowledged_by is None:
        return ""
    parameters = {
        "who": check_in.acknowledged_by.display_name,
        "at": formatting.format_time(check_in.acknowledged_at),
    }
    return _("%(who)s has been handling this since %(at)s.") % parameters
