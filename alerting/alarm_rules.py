"""How urgent each kind of alarm is: the table that a supervisor changes, and what applies until then."""

from collections.abc import Mapping

from django.db import transaction

from alerting.models import AlarmRule, AlarmTopic, Urgency
from engineers.models import User
from engineers.staff import record_audit
from monitoring.alarms import CRITICAL, AlarmKind

# about the installation, so their texts name no customer and no engineer
SYSTEM_KINDS = CRITICAL | {
    *(AlarmKind.MESSAGE_ID_REUSED, AlarmKind.BACKUP_OVERDUE, AlarmKind.TRAVEL_SERVER_UNREACHABLE),
}
DEFAULTS: dict[AlarmKind, Urgency] = {
    **dict.fromkeys(
        (
            *(AlarmKind.SELLER_UNTRUSTED, AlarmKind.SELLER_UNREACHABLE, AlarmKind.PROCESS_STUCK),
            *(AlarmKind.DISK_FULL, AlarmKind.EVIDENCE_UNAVAILABLE, AlarmKind.TASK_REFUSED),
            *(AlarmKind.SITE_UNSAFE, AlarmKind.CHECK_IN_OVERDUE),
        ),
        Urgency.ANY_HOUR,
    ),
    **dict.fromkeys(
        (
            *(AlarmKind.MESSAGE_HELD, AlarmKind.MESSAGE_ID_REUSED, AlarmKind.CERTIFICATE_ENDING),
            *(AlarmKind.CLOCK_DIFFERS, AlarmKind.BACKUP_OVERDUE, AlarmKind.TRAVEL_SERVER_UNREACHABLE),
            *(AlarmKind.DUTY_FAILING, AlarmKind.THUMBNAIL_FAILED, AlarmKind.WEBHOOK_FAILING),
            AlarmKind.MESSAGE_UNCONFIRMED,
        ),
        Urgency.OFFICE_HOURS,
    ),
    # a day's work, which the board shows to whoever plans it
    **dict.fromkeys(
        (
            *(AlarmKind.PROVISIONING_OVERDUE, AlarmKind.PROVISIONING_FAILED, AlarmKind.CANCELLED_EN_ROUTE),
            *(AlarmKind.ENGINEER_ABSENT, AlarmKind.CLOSURE_REVIEW, AlarmKind.JOB_LATE),
            *(AlarmKind.NETWORK_PATTERN, AlarmKind.CAPACITY_SHORT),
            *(AlarmKind.STARTED_ON_HOLD, AlarmKind.HANDOVER_REQUESTED),
        ),
        Urgency.BOARD_ONLY,
    ),
}


def load_urgencies() -> dict[str, Urgency]:
    """Of every kind; one query."""
    changed = {rule.kind: Urgency(rule.urgency) for rule in AlarmRule.objects.all()}
    return {str(kind): changed.get(str(kind), urgency) for kind, urgency in DEFAULTS.items()}


def topic_of(kind: str) -> AlarmTopic:
    return AlarmTopic.SYSTEM if kind in SYSTEM_KINDS else AlarmTopic.JOBS


@transaction.atomic
def change_urgencies(urgencies: Mapping[str, str], *, by: User) -> list[str]:
    """The kinds that are changed by it; the others stay as they are."""
    before = load_urgencies()
    changed = {kind: urgency for kind, urgency in urgencies.items() if before[kind] != urgency}
    for kind, urgency in changed.items():
        AlarmRule.objects.update_or_create(kind=kind, defaults={"urgency": urgency})
    if changed:
        record_audit(
            actor=by,
            action="alarm_rules_changed",
            subject="alarms",
            before={kind: before[kind] for kind in changed},
            after=changed,
        )
    return list(changed)
