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
        gettext_lazy("The seller's certificate is wrong"),
        gettext_lazy(
            "Nothing is sent there. Ask the seller's team, never work around it. Messages wait here."
        ),
    ),
    AlarmKind.SELLER_UNREACHABLE: (
        gettext_lazy("The seller cannot be reached"),
        gettext_lazy(
            "Messages wait and go by themselves. If it lasts, call the seller's team and our network."
        ),
    ),
    AlarmKind.MESSAGE_HELD: (
        gettext_lazy("The seller refused a message"),
        gettext_lazy("Open the job's held message, read why, correct it and send it again."),
    ),
    AlarmKind.MESSAGE_ID_REUSED: (
        gettext_lazy("The seller used a message number twice"),
        gettext_lazy("The second message had no effect. Ask the seller to send it with a new number."),
    ),
    AlarmKind.CERTIFICATE_ENDING: (
        gettext_lazy("A certificate ends soon"),
        gettext_lazy("Have it renewed before it ends; after that nothing goes in or out."),
    ),
    AlarmKind.CLOCK_DIFFERS: (
        gettext_lazy("Our clock and the seller's differ"),
        gettext_lazy("Have the time service of this machine checked; then ask the seller about theirs."),
    ),
    AlarmKind.PROCESS_STUCK: (
        gettext_lazy("A background process does nothing"),
        gettext_lazy("Tell whoever runs the machine. Work waits and is not lost."),
    ),
    AlarmKind.DISK_FULL: (
        gettext_lazy("A disk is nearly full"),
        gettext_lazy(
            "Tell whoever runs the machine today: when it is full no photo and no job can be stored."
        ),
    ),
    AlarmKind.EVIDENCE_UNAVAILABLE: (
        gettext_lazy("Photos cannot be stored"),
        gettext_lazy("Tell whoever runs the machine. Phones keep their photos and send them again."),
    ),
    AlarmKind.PROVISIONING_OVERDUE: (
        gettext_lazy("A provisioning attempt did not come"),
        gettext_lazy("Call the seller's order desk with the job number, then tell the engineer."),
    ),
    AlarmKind.SITE_UNSAFE: (
        gettext_lazy("An engineer's site is unsafe"),
        gettext_lazy("Call the engineer now. Agree what makes it safe, or that the job is closed as unsafe."),
    ),
    AlarmKind.DUTY_FAILING: (
        gettext_lazy("A background duty keeps failing"),
        gettext_lazy("Tell whoever runs the machine, with the name of the duty. Messages still go."),
    ),
    AlarmKind.TASK_SET_ASIDE: (
        gettext_lazy("A photo could not be made small"),
        gettext_lazy("The photo is kept. Open it on the job's page; if it is damaged ask for another."),
    ),
    AlarmKind.TASK_REFUSED: (
        gettext_lazy("The background worker refused a task"),
        gettext_lazy("Tell whoever runs the machine today: somebody may be trying to run commands on it."),
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
    title, what_to_do = ALARM_TEXTS.get(alarm.kind, (alarm.kind, _("Tell whoever runs this system.")))  # type: ignore[call-overload]
    return AlarmLine(
        title=str(title),
        subject=alarm.subject,
        words=str(alarms.text_of(alarm)),
        what_to_do=str(what_to_do),
        since=formatting.format_exact_moment(alarm.raised_at),
        until=formatting.format_exact_moment(alarm.cleared_at) if alarm.cleared_at else "",
    )
