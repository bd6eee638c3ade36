"""Alarms in words: what each kind means and what to do about it (docs/operating.md says more)."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board import formatting
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
    AlarmKind.DUTY_FAILING: (
        gettext_lazy("A background task keeps failing"),
        gettext_lazy("Tell the system operator which task is failing. Messages are still being sent."),
    ),
    AlarmKind.TASK_SET_ASIDE: (
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
    title: str
    subject: str
    words: str
    what_to_do: str
    since: str
    until: str


@dataclass(frozen=True)
class AlarmsPage:
    opened: list[AlarmLine]
    cleared: list[AlarmLine]


def alarms_page() -> AlarmsPage:
    cleared = Alarm.objects.exclude(cleared_at=None).order_by("-cleared_at")[:MAX_CLEARED]
    return AlarmsPage([alarm_line(one) for one in alarms.open_alarms()], [alarm_line(one) for one in cleared])


def alarm_line(alarm: Alarm) -> AlarmLine:
    title, what_to_do = ALARM_TEXTS.get(alarm.kind, (alarm.kind, _("Tell the system operator.")))  # type: ignore[call-overload]
    return AlarmLine(
        title=str(title),
        subject=alarm.subject,
        words=str(alarms.text_of(alarm)),
        what_to_do=str(what_to_do),
        since=formatting.format_exact_moment(alarm.raised_at),
        until=formatting.format_exact_moment(alarm.cleared_at) if alarm.cleared_at else "",
    )
