"""What is known of each kind of alarm, one row each: its words, how urgent it is, what its subject names and how it
is cleared. Where else a kind is named, and which test finds it missing: docs/how-to-add.md, An alarm kind."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from monitoring.alarm_facts import AlarmKindFacts, AlarmSubject
from monitoring.models import AlarmKind, Urgency

# by the name of the kind, which a row of the database has as a text
ALARM_KINDS: Mapping[str, AlarmKindFacts] = {
    AlarmKind.SELLER_UNTRUSTED: AlarmKindFacts(
        title=_("The seller's certificate is not trusted"),
        remedy=_("Messages to this endpoint are queued. Contact the seller's team. Never bypass the check."),
        urgency=Urgency.ANY_HOUR,
        is_system=True,
        blocks_upgrade=True,
    ),
    AlarmKind.SELLER_UNREACHABLE: AlarmKindFacts(
        title=_("The seller can't be reached"),
        remedy=_(
            "Messages are queued and retried automatically. If this continues, call the seller's team and "
            "our network team."
        ),
        urgency=Urgency.ANY_HOUR,
        is_system=True,
        blocks_upgrade=True,
    ),
    AlarmKind.SELLER_RATE_LIMIT: AlarmKindFacts(
        title=_("The seller's rate limit holds our messages back"),
        remedy=_(
            "Messages are queued and sent when the seller allows it. Ask the seller's team why the limit lasts so "
            "long, and for a higher one. Don't resend anything: each attempt counts against the limit."
        ),
        urgency=Urgency.ANY_HOUR,
        is_system=True,
        blocks_upgrade=True,
    ),
    AlarmKind.MESSAGE_HELD: AlarmKindFacts(
        title=_("The seller rejected a message"),
        remedy=_(
            "Open the held message, read the reason, correct the message and resend it. If the seller can "
            "never accept it, stop sending it."
        ),
        urgency=Urgency.OFFICE_HOURS,
        subject=AlarmSubject.JOB,
        short_title=_("Rejected"),
    ),
    AlarmKind.MESSAGE_UNCONFIRMED: AlarmKindFacts(
        title=_("The seller doesn't confirm a message"),
        remedy=_("Open the message and give the seller's team its ID and the answer that came."),
        urgency=Urgency.OFFICE_HOURS,
        subject=AlarmSubject.JOB,
        short_title=_("Unconfirmed"),
    ),
    AlarmKind.MESSAGES_FAILING: AlarmKindFacts(
        title=_("Messages of many jobs fail for the same reason"),
        remedy=_(
            "Open the list and read the reason. Correct it on our side, or call the seller's team and quote some of "
            "the message IDs. Then resend the messages, or stop sending those that can never be accepted."
        ),
        urgency=Urgency.OFFICE_HOURS,
        subject=AlarmSubject.KEY,
    ),
    AlarmKind.MESSAGE_ID_REUSED: AlarmKindFacts(
        title=_("The seller used a message ID twice"),
        remedy=_("The second message was rejected. Ask the seller to send it with a new ID."),
        urgency=Urgency.OFFICE_HOURS,
        is_system=True,
        is_dismissible=True,
    ),
    AlarmKind.CERTIFICATE_ENDING: AlarmKindFacts(
        title=_("A certificate needs replacing"),
        remedy=_("Tell the system operator today."),
        urgency=Urgency.OFFICE_HOURS,
        subject=AlarmSubject.KEY,
        is_system=True,
        blocks_upgrade=True,
    ),
    AlarmKind.CLOCK_DIFFERS: AlarmKindFacts(
        title=_("Our clock and the seller's clock differ"),
        remedy=_("Check time synchronisation (NTP) on this server, then ask the seller to check theirs."),
        urgency=Urgency.OFFICE_HOURS,
        is_system=True,
        blocks_upgrade=True,
    ),
    AlarmKind.PROCESS_STUCK: AlarmKindFacts(
        title=_("A background process has stopped responding"),
        remedy=_("Tell the system operator. Work is queued and not lost."),
        urgency=Urgency.ANY_HOUR,
        is_system=True,
        blocks_upgrade=True,
    ),
    AlarmKind.DISK_FULL: AlarmKindFacts(
        title=_("A disk is nearly full"),
        remedy=_("Tell the system operator today."),
        urgency=Urgency.ANY_HOUR,
        is_system=True,
        blocks_upgrade=True,
    ),
    AlarmKind.DISK_AWAY: AlarmKindFacts(
        title=_("A disk does not answer"),
        remedy=_("Tell the system operator today."),
        urgency=Urgency.OFFICE_HOURS,
        is_system=True,
    ),
    AlarmKind.WEBHOOK_FAILING: AlarmKindFacts(
        title=_("Another system can't be notified"),
        remedy=_("Tell the system operator. A supervisor sees under “Interfaces” what was answered."),
        urgency=Urgency.OFFICE_HOURS,
        subject=AlarmSubject.KEY,
        is_system=True,
    ),
    AlarmKind.BACKUP_OVERDUE: AlarmKindFacts(
        title=_("The last backup is too old or faulty"),
        remedy=_("Tell the system operator today. Without a backup, a broken server means lost work."),
        urgency=Urgency.OFFICE_HOURS,
        is_system=True,
    ),
    AlarmKind.EVIDENCE_UNAVAILABLE: AlarmKindFacts(
        title=_("Photos can't be stored"),
        remedy=_("Tell the system operator. Phones keep their photos and resend them."),
        urgency=Urgency.ANY_HOUR,
        is_system=True,
        blocks_upgrade=True,
    ),
    AlarmKind.TRAVEL_SERVER_UNREACHABLE: AlarmKindFacts(
        title=_("The travel server can't be reached"),
        remedy=_("Tell the system operator. Travel times are estimated until it answers; plans can be made."),
        urgency=Urgency.OFFICE_HOURS,
        is_system=True,
    ),
    AlarmKind.PROVISIONING_OVERDUE: AlarmKindFacts(
        title=_("A provisioning result is overdue"),
        remedy=_("Call the seller's order desk and quote the job number, then tell the engineer."),
        urgency=Urgency.BOARD_ONLY,
        subject=AlarmSubject.JOB,
        short_title=_("No result"),
    ),
    AlarmKind.SITE_UNSAFE: AlarmKindFacts(
        title=_("An engineer has reported an unsafe site"),
        remedy=_(
            "Call the engineer now. Agree how to make the site safe, or agree to close the job as unsafe."
        ),
        urgency=Urgency.ANY_HOUR,
        subject=AlarmSubject.JOB,
        short_title=_("Unsafe"),
        is_danger=True,
    ),
    AlarmKind.CHECK_IN_OVERDUE: AlarmKindFacts(
        title=_("An engineer has not checked in"),
        remedy=_(
            "Call the engineer now. If nobody answers, send a colleague there or call the emergency services."
        ),
        urgency=Urgency.ANY_HOUR,
        subject=AlarmSubject.ENGINEER,
        short_title=_("Has not checked in"),
        is_danger=True,
    ),
    AlarmKind.CANCELLED_EN_ROUTE: AlarmKindFacts(
        title=_("Cancelled while en route"),
        remedy=_("Call the engineer, make sure that nobody goes there, and give the time to another job."),
        urgency=Urgency.BOARD_ONLY,
        subject=AlarmSubject.JOB,
        short_title=_("Cancelled"),
        is_dismissible=True,
    ),
    AlarmKind.STARTED_ON_HOLD: AlarmKindFacts(
        title=_("Started while on hold"),
        remedy=_(
            "Call the engineer. Release the job if the visit can go ahead. If not, unassign it; if the "
            "engineer is already on site, ask the engineer to close it."
        ),
        urgency=Urgency.BOARD_ONLY,
        subject=AlarmSubject.JOB,
        short_title=_("On hold"),
        is_dismissible=True,
    ),
    AlarmKind.PROVISIONING_FAILED: AlarmKindFacts(
        title=_("Provisioning failed"),
        remedy=_(
            "Call the engineer: another ONT, another reading of the label, or the seller's order desk. The "
            "visit will take longer."
        ),
        urgency=Urgency.BOARD_ONLY,
        subject=AlarmSubject.JOB,
        short_title=_("ONT failed"),
    ),
    AlarmKind.HANDOVER_REQUESTED: AlarmKindFacts(
        title=_("Handover requested"),
        remedy=_(
            "Reassign the job, or call the engineer and agree how it goes on. It stays with the engineer "
            "until then."
        ),
        urgency=Urgency.BOARD_ONLY,
        subject=AlarmSubject.JOB,
        short_title=_("Handover"),
    ),
    AlarmKind.ENGINEER_ABSENT: AlarmKindFacts(
        title=_("An engineer who is away has jobs"),
        remedy=_("Reassign the jobs, or call the customers before their windows begin."),
        urgency=Urgency.BOARD_ONLY,
        subject=AlarmSubject.ENGINEER,
        short_title=_("Away with jobs"),
    ),
    AlarmKind.CLOSURE_REVIEW: AlarmKindFacts(
        title=_("A closure waits for review"),
        remedy=_(
            "Open the job page, look at photos and answers, then approve the closure or send something back."
        ),
        urgency=Urgency.BOARD_ONLY,
        subject=AlarmSubject.JOB,
        short_title=_("In review"),
    ),
    AlarmKind.JOB_LATE: AlarmKindFacts(
        title=_("A job is late"),
        remedy=_("Give the job to an engineer who can be in time, or call the customer now."),
        urgency=Urgency.BOARD_ONLY,
        subject=AlarmSubject.JOB,
        short_title=_("Late"),
        rank=1,
    ),
    AlarmKind.NETWORK_PATTERN: AlarmKindFacts(
        title=_("Network fault"),
        remedy=_(
            "Tell the seller's order desk. Hold the upcoming jobs there, call the engineers who are en route, and "
            "release the jobs when the network works."
        ),
        urgency=Urgency.BOARD_ONLY,
        subject=AlarmSubject.NETWORK_ELEMENT,
        short_title=_("Network fault"),
    ),
    AlarmKind.CAPACITY_SHORT: AlarmKindFacts(
        title=_("Too little time ahead"),
        remedy=_(
            "Add a shift or send somebody from another area. Otherwise move visits, or ask the seller for "
            "other appointments."
        ),
        urgency=Urgency.BOARD_ONLY,
        subject=AlarmSubject.AREA_HALF_DAY,
        rank=2,
    ),
    AlarmKind.DUTY_FAILING: AlarmKindFacts(
        title=_("A background task keeps failing"),
        remedy=_(
            "Tell the system operator which task is failing. Messages to the seller are still being sent."
        ),
        urgency=Urgency.OFFICE_HOURS,
        is_system=True,
        blocks_upgrade=True,
    ),
    AlarmKind.THUMBNAIL_FAILED: AlarmKindFacts(
        title=_("A thumbnail couldn't be created"),
        remedy=_(
            "The photo itself is stored. Open it on the job page. If it is damaged, ask the engineer for "
            "another one."
        ),
        urgency=Urgency.OFFICE_HOURS,
        # of a damaged photo there never is one
        is_dismissible=True,
    ),
    AlarmKind.TASK_REFUSED: AlarmKindFacts(
        title=_("The background worker rejected an unknown task"),
        remedy=_("Tell the system operator today. Someone may be trying to run commands on the server."),
        urgency=Urgency.ANY_HOUR,
        is_system=True,
        blocks_upgrade=True,
    ),
}
JOB_KINDS = frozenset(kind for kind, facts in ALARM_KINDS.items() if facts.subject is AlarmSubject.JOB)


def alarm_kind_facts(kind: str) -> AlarmKindFacts:
    """A kind of another version has its name as title."""
    unknown = AlarmKindFacts(title=kind, remedy=_("Tell the system operator."), urgency=Urgency.ANY_HOUR)
    return ALARM_KINDS.get(kind, unknown)
