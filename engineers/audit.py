"""The audit: who looked at which person's data, and who changed what. Written by `record_audit` and
`record_look`; nothing changes a line but the purge and the erasure of a person (background.personal_data).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError, models, transaction
from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from engineers.models import AuditEntry, User

log = structlog.get_logger("engineers.audit")
# the same person at the same page within this time is one look
LOOK = timedelta(hours=1)
JOB_VIEWED, ENGINEER_VIEWED, POSITIONS_VIEWED = "job_viewed", "engineer_viewed", "positions_viewed"
CUSTOMER_MESSAGES_VIEWED = "customer_messages_viewed"
PERSONAL_DATA_SHOWN, SHEETS_VIEWED, EXPORTED = "personal_data_shown", "day_sheets_viewed", "audit_exported"
ENGINEERS_EXPORTED, ENGINEERS_LISTED, SEARCH_VIEWED = (
    "engineers_exported",
    "engineers_listed",
    "search_viewed",
)


class DataArea(models.TextChoices):
    """What a line is about."""

    LOOKS = "looks", _("Views of personal data")
    ENGINEERS = "engineers", _("Engineers")
    ACCOUNTS = "accounts", _("Accounts and signing in")
    MESSAGES = "messages", _("Messages and imports")
    RULES = "rules", _("Areas, skills and rules")
    JOBS = "jobs", _("Jobs")
    OTHER = "other", _("Other")


# action: what it is about, and what was done
ACTIONS: dict[str, tuple[DataArea, Any]] = {
    JOB_VIEWED: (DataArea.LOOKS, _("viewed a job with its customer")),
    ENGINEER_VIEWED: (DataArea.LOOKS, _("viewed an engineer")),
    POSITIONS_VIEWED: (DataArea.LOOKS, _("viewed the engineers' positions on the map")),
    SHEETS_VIEWED: (DataArea.LOOKS, _("viewed the day sheets")),
    PERSONAL_DATA_SHOWN: (DataArea.LOOKS, _("showed the personal data in a message")),
    "evidence_taken": (DataArea.LOOKS, _("downloaded an evidence pack")),
    CUSTOMER_MESSAGES_VIEWED: (DataArea.LOOKS, _("viewed messages to customers")),
    EXPORTED: (DataArea.LOOKS, _("exported the audit")),
    ENGINEERS_EXPORTED: (DataArea.LOOKS, _("exported the engineers")),
    ENGINEERS_LISTED: (DataArea.LOOKS, _("viewed the list of engineers")),
    SEARCH_VIEWED: (DataArea.LOOKS, _("viewed customers or engineers in the search")),
    "engineer_changed": (DataArea.ENGINEERS, _("changed an engineer")),
    "absence_added": (DataArea.ENGINEERS, _("entered an absence")),
    "absence_reason_added": (DataArea.ENGINEERS, _("added the reason of an absence")),
    "absence_removed": (DataArea.ENGINEERS, _("removed an absence")),
    "shift_exception_set": (DataArea.ENGINEERS, _("changed a single day")),
    "shift_exception_removed": (DataArea.ENGINEERS, _("removed a single day that differs")),
    "calendar_feed_issued": (DataArea.ENGINEERS, _("created a calendar address")),
    "calendar_feed_revoked": (DataArea.ENGINEERS, _("revoked a calendar address")),
    "position_agreed": (DataArea.ENGINEERS, _("agreed to share positions")),
    "position_withdrawn": (DataArea.ENGINEERS, _("no longer shares positions")),
    "check_in_seen": (DataArea.ENGINEERS, _("started handling an overdue check-in")),
    "check_in_released": (DataArea.ENGINEERS, _("stopped handling an overdue check-in")),
    "check_in_reached": (DataArea.ENGINEERS, _("reached an engineer after an overdue check-in")),
    "anonymised": (DataArea.ENGINEERS, _("anonymised a person")),
    "hired": (DataArea.ACCOUNTS, _("added an account")),
    "person_changed": (DataArea.ACCOUNTS, _("changed an account")),
    "suspended": (DataArea.ACCOUNTS, _("suspended an account")),
    "reinstated": (DataArea.ACCOUNTS, _("reinstated an account")),
    "role_changed": (DataArea.ACCOUNTS, _("changed what a role may do")),
    "sign_in_link_issued": (DataArea.ACCOUNTS, _("created a sign-in link")),
    "sign_in_link_used": (DataArea.ACCOUNTS, _("chose a password with a sign-in link")),
    "password_changed": (DataArea.ACCOUNTS, _("changed their own password")),
    "password_reset_requested": (DataArea.ACCOUNTS, _("asked for a new password by e-mail")),
    "signed_out_everywhere": (DataArea.ACCOUNTS, _("signed an account out everywhere")),
    "second_factor_set_up": (DataArea.ACCOUNTS, _("set up two-factor authentication")),
    "second_factor_reset": (DataArea.ACCOUNTS, _("reset two-factor authentication")),
    "recovery_code_used": (DataArea.ACCOUNTS, _("used a recovery code")),
    "recovery_codes_made": (DataArea.ACCOUNTS, _("created new recovery codes")),
    "identity_linked": (DataArea.ACCOUNTS, _("linked a company account")),
    "replayed": (DataArea.MESSAGES, _("resent a message")),
    "message_stopped": (DataArea.MESSAGES, _("stopped sending a message")),
    "customer_message_resent": (DataArea.MESSAGES, _("sent a message to a customer again")),
    "offline_export_imported": (DataArea.MESSAGES, _("imported an offline export")),
    "unsigned_entry_imported": (DataArea.MESSAGES, _("imported an unsigned entry")),
    "area_added": (DataArea.RULES, _("added an area")),
    "area_changed": (DataArea.RULES, _("changed an area")),
    "area_deleted": (DataArea.RULES, _("deleted an area")),
    "skill_added": (DataArea.RULES, _("added a skill")),
    "skill_renamed": (DataArea.RULES, _("renamed a skill")),
    "skill_removed": (DataArea.RULES, _("removed a skill")),
    "flag_rule_changed": (DataArea.RULES, _("changed the rule of a property flag")),
    "learned_time_switched": (DataArea.RULES, _("switched a learned time")),
    "matrix_edition_imported": (DataArea.RULES, _("imported a question matrix")),
    "alarm_contact_added": (DataArea.RULES, _("added an alarm contact")),
    "alarm_contact_changed": (DataArea.RULES, _("changed an alarm contact")),
    "alarm_contact_deleted": (DataArea.RULES, _("deleted an alarm contact")),
    "alarm_hours_changed": (DataArea.RULES, _("changed the office hours of alarms")),
    "alarm_rules_changed": (DataArea.RULES, _("changed when alarms are sent")),
    "access_token_issued": (DataArea.ACCOUNTS, _("created an access token")),
    "access_token_revoked": (DataArea.ACCOUNTS, _("revoked an access token")),
    "webhook_added": (DataArea.RULES, _("added a webhook")),
    "webhook_secret_replaced": (DataArea.RULES, _("replaced the secret of a webhook")),
    "webhook_paused": (DataArea.RULES, _("paused a webhook")),
    "webhook_resumed": (DataArea.RULES, _("resumed a webhook")),
    "webhook_removed": (DataArea.RULES, _("removed a webhook")),
    "webhook_replayed": (DataArea.RULES, _("sent deliveries of a webhook again")),
    "exported": (DataArea.LOOKS, _("exported jobs, closures or working times")),
    "exported_by_token": (DataArea.LOOKS, _("gave an export to another system")),
    "customers_read_by_token": (
        DataArea.LOOKS,
        _("gave addresses and contacts of customers to another system"),
    ),
    "engineers_read_by_token": (
        DataArea.LOOKS,
        _("gave names and phone numbers of engineers to another system"),
    ),
    "shifts_read_by_token": (DataArea.LOOKS, _("gave working times of engineers to another system")),
    "personal_data_exported": (DataArea.LOOKS, _("exported the personal data of a customer or engineer")),
    "message_log_printed": (DataArea.LOOKS, _("printed all messages exchanged with the seller")),
    "erased_customer": (DataArea.OTHER, _("erased a customer")),
}


@dataclass(frozen=True)
class AuditFilter:
    """What is empty is not asked for; `text` is looked for in what a line is about, and in the numbers of those whom a
    search showed."""

    person: int | None = None
    data_area: str = ""
    text: str = ""
    first: datetime | None = None
    last: datetime | None = None


def record_audit(
    *, actor: User | None, action: str, subject: str, before: Any = None, after: Any = None
) -> AuditEntry:
    """Append one line; call it inside the transaction of the change itself."""
    return AuditEntry.objects.create(
        actor=actor, action=action, subject=subject, before=before, after=after, recorded_at=timezone.now()
    )


def record_look(user: User | None, action: str, subject: str, facts: dict[str, Any] | None = None) -> None:
    """Once an hour for the same person, page, subject and facts (whom a page showed, by number). Another system has no
    `user`. While the database cannot write, the page opens all the same, and the look stands in the log."""
    try:
        near = looks_near(timezone.now(), user=user, action=action, subject=subject)
        if not (near.filter(after=facts) if facts else near).exists():
            with transaction.atomic():
                record_audit(actor=user, action=action, subject=subject, after=facts)
    except (OperationalError, InterfaceError) as problem:
        who = user.pk if user else None
        log.warning(
            "look not recorded", user=who, action=action, subject=subject, error=type(problem).__name__
        )


def looks_near(now: datetime, *, user: User | None, action: str, subject: str) -> QuerySet[AuditEntry]:
    """Those that stand for one now; one of a clock that was far ahead stands for no look of today."""
    entries = AuditEntry.objects.filter(actor=user, action=action, subject=subject)
    return entries.filter(recorded_at__gt=now - LOOK, recorded_at__lt=now + LOOK)


def newest_key() -> int:
    """Of all lines, for has_changes_since; one query."""
    return AuditEntry.objects.aggregate(newest=Max("pk"))["newest"] or 0


def has_changes_since(key: int) -> bool:
    """Whether somebody has changed something since the line with this key was the newest; one query."""
    later = AuditEntry.objects.filter(pk__gt=key)
    return later.exclude(action__in=_actions_of(DataArea.LOOKS)).exists()


def find_entries(wanted: AuditFilter) -> QuerySet[AuditEntry]:
    """The newest first."""
    found = Q()
    if wanted.person is not None:
        found &= Q(actor=wanted.person)
    if wanted.data_area:
        found &= _of_area(wanted.data_area)
    if wanted.text:
        by_facts = Q(action=SEARCH_VIEWED, facts_text__icontains=wanted.text)
        found &= Q(subject__icontains=wanted.text) | by_facts
    if wanted.first:
        found &= Q(recorded_at__gte=wanted.first)
    if wanted.last:
        found &= Q(recorded_at__lt=wanted.last)
    entries = AuditEntry.objects.alias(facts_text=Cast("after", models.TextField()))
    return entries.filter(found).select_related("actor")


def _of_area(data_area: str) -> Q:
    if data_area == DataArea.OTHER:
        known = [action for action, (area, _text) in ACTIONS.items() if area != DataArea.OTHER]
        return ~Q(action__in=known)
    return Q(action__in=_actions_of(data_area))


def _actions_of(data_area: str) -> Iterable[str]:
    return [action for action, (area, _text) in ACTIONS.items() if area == data_area]


def action_text(action: str) -> str:
    """What was done, for people; an action of another version by its name."""
    return str(ACTIONS[action][1]) if action in ACTIONS else action


def data_area_text(action: str) -> str:
    return str(ACTIONS[action][0].label if action in ACTIONS else DataArea.OTHER.label)


def expired_entries(before: datetime) -> QuerySet[AuditEntry]:
    """Those whose time is over. The name that an account had before is needed for as long as the account is."""
    return AuditEntry.objects.filter(recorded_at__lt=before).exclude(action="person_changed")
