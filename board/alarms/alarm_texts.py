"""What each kind of alarm means, in words: its title, what to do about it, and a word or two for a card."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from monitoring.alarms import AlarmKind
from monitoring.models import Alarm

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
    AlarmKind.MESSAGE_UNCONFIRMED: (
        gettext_lazy("The seller doesn't confirm a message"),
        gettext_lazy("Open the message and give the seller's team its ID and the answer that came."),
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
    AlarmKind.WEBHOOK_FAILING: (
        gettext_lazy("Another system can't be notified"),
        gettext_lazy("Tell the system operator. A supervisor sees under “Interfaces” what was answered."),
    ),
    AlarmKind.BACKUP_OVERDUE: (
        gettext_lazy("The last backup is too old or faulty"),
        gettext_lazy("Tell the system operator today. Without a backup, a broken server means lost work."),
    ),
    AlarmKind.EVIDENCE_UNAVAILABLE: (
        gettext_lazy("Photos can't be stored"),
        gettext_lazy("Tell the system operator. Phones keep their photos and resend them."),
    ),
    AlarmKind.TRAVEL_SERVER_UNREACHABLE: (
        gettext_lazy("The travel server can't be reached"),
        gettext_lazy(
            "Tell the system operator. Travel times are estimated until it answers; plans can be made."
        ),
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
    AlarmKind.CHECK_IN_OVERDUE: (
        gettext_lazy("Has not checked in"),
        gettext_lazy(
            "Call the engineer now. If nobody answers, send a colleague there or call the emergency services."
        ),
    ),
    AlarmKind.CANCELLED_EN_ROUTE: (
        gettext_lazy("Cancelled while en route"),
        gettext_lazy(
            "Call the engineer, make sure that nobody goes there, and give the time to another job."
        ),
    ),
    AlarmKind.STARTED_ON_HOLD: (
        gettext_lazy("Started while on hold"),
        gettext_lazy("Call the engineer. Release the job if the visit can go ahead, or else unassign it."),
    ),
    AlarmKind.PROVISIONING_FAILED: (
        gettext_lazy("Provisioning failed"),
        gettext_lazy(
            "Call the engineer: another ONT, another reading of the label, or the seller's order desk. "
            "The visit will take longer."
        ),
    ),
    AlarmKind.HANDOVER_REQUESTED: (
        gettext_lazy("Handover requested"),
        gettext_lazy(
            "Reassign the job, or call the engineer and agree how it goes on. It stays with the engineer until "
            "then."
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
        gettext_lazy("Give the job to an engineer who is nearer, or call the customer now."),
    ),
    AlarmKind.NETWORK_PATTERN: (
        gettext_lazy("Network fault"),
        gettext_lazy(
            "Tell the seller's order desk. Hold the jobs ahead there, call the engineers who are en route, and "
            "release the jobs when the network works."
        ),
    ),
    AlarmKind.CAPACITY_SHORT: (
        gettext_lazy("Too little time ahead"),
        gettext_lazy(
            "Add a shift or send somebody from another area. Otherwise move visits, or ask the seller for other "
            "appointments."
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


# on a card, where there is space for a word or two
SHORT_TITLES = {
    AlarmKind.MESSAGE_HELD: gettext_lazy("Rejected"),
    AlarmKind.MESSAGE_UNCONFIRMED: gettext_lazy("Unconfirmed"),
    AlarmKind.PROVISIONING_OVERDUE: gettext_lazy("No result"),
    AlarmKind.SITE_UNSAFE: gettext_lazy("Unsafe"),
    AlarmKind.CANCELLED_EN_ROUTE: gettext_lazy("Cancelled"),
    AlarmKind.STARTED_ON_HOLD: gettext_lazy("On hold"),
    AlarmKind.PROVISIONING_FAILED: gettext_lazy("ONT failed"),
    AlarmKind.HANDOVER_REQUESTED: gettext_lazy("Handover"),
    AlarmKind.CLOSURE_REVIEW: gettext_lazy("In review"),
    AlarmKind.JOB_LATE: gettext_lazy("Late"),
    AlarmKind.NETWORK_PATTERN: gettext_lazy("Network fault"),
}


@dataclass(frozen=True)
class AttentionText:
    """What nobody takes care of yet, in a row head and in a card's tooltip; `short` on the card."""

    title: str
    short: str


def attention_text(alarm: Alarm) -> AttentionText:
    return AttentionText(title_and_remedy(alarm)[0], short_title(alarm.kind))


def short_title(kind: str) -> str:
    """As many words as fit on a card; the whole title where there is no shorter one."""
    texts = SHORT_TITLES.get(kind) or ALARM_TEXTS.get(kind, (kind,))[0]  # type: ignore[call-overload]
    return str(texts)


def title_and_remedy(alarm: Alarm) -> tuple[str, str]:
    """What the kind means and what to do about it; a kind of another version has its name."""
    title, what_to_do = ALARM_TEXTS.get(alarm.kind, (alarm.kind, _("Tell the system operator.")))  # type: ignore[call-overload]
    return str(title), str(what_to_do)
