"""Roles and what each may do: shipped here, changed by a supervisor as rows of RoleRights."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    SUPERVISOR = "supervisor", _("Supervisor")
    SENIOR_DISPATCHER = "senior_dispatcher", _("Senior dispatcher")
    DISPATCHER = "dispatcher", _("Dispatcher")
    PLANNER = "planner", _("Planner")
    AUDITOR = "auditor", _("Auditor (read only)")
    ENGINEER = "engineer", _("Engineer")


OFFICE = frozenset(Role) - {Role.ENGINEER}


class Right(models.TextChoices):
    """What somebody of the office may do beyond looking at pages; the label completes “This role may …”."""

    CHANGE_JOBS = "change_jobs", _("assign, move, hold and unassign jobs, and write notes")
    CLOSE_JOBS = "close_jobs", _("close jobs without a visit, approve closed jobs and send them back")
    HANDLE_ALARMS = "handle_alarms", _("handle alarms and lone-worker check-ins")
    PLAN = "plan", _("ask for plans and accept them")
    RESEND_MESSAGES = (
        "resend_messages",
        _("resend messages to the seller and to customers, and compare with the seller's records"),
    )
    SHOW_PERSONAL_DATA = (
        "show_personal_data",
        _("see messages to customers, and the personal data in messages (recorded in the audit)"),
    )
    TAKE_EVIDENCE = "take_evidence", _("create and download evidence packs (recorded in the audit)")
    IMPORT_PHONE_DATA = "import_phone_data", _("import a phone's signed offline export")
    IMPORT_UNSIGNED = "import_unsigned", _("import an offline export that its phone has not signed")
    CHANGE_ROTA = "change_rota", _("enter absences and single days that differ")
    CHANGE_PEOPLE = (
        "change_people",
        _("add and change engineers, areas and skills, and help engineers sign in"),
    )
    CHANGE_RULES = "change_rules", _("change the question matrix, property flags and learned times")
    CHANGE_ALARM_CONTACTS = (
        "change_alarm_contacts",
        _("set who is notified of alarms outside the board, and when"),
    )
    MANAGE_INTERFACES = (
        "manage_interfaces",
        _("give other systems tokens and webhooks, and export data of all areas"),
    )
    MANAGE_ACCOUNTS = "manage_accounts", _("add and change office accounts, and set what each role may do")
    SEE_AUDIT = "see_audit", _("see and export the audit")


# an auditor changes nothing, whatever a supervisor ticks
READING = frozenset({Right.SEE_AUDIT})
_DISPATCHER = frozenset(
    {
        *(Right.CHANGE_JOBS, Right.CLOSE_JOBS, Right.HANDLE_ALARMS, Right.PLAN, Right.RESEND_MESSAGES),
        *(Right.SHOW_PERSONAL_DATA, Right.TAKE_EVIDENCE, Right.IMPORT_PHONE_DATA),
    }
)
SHIPPED_RIGHTS: dict[str, frozenset[Right]] = {
    Role.SUPERVISOR: frozenset(Right),
    Role.SENIOR_DISPATCHER: _DISPATCHER | {Right.CHANGE_ROTA, Right.CHANGE_RULES},
    Role.DISPATCHER: _DISPATCHER,
    Role.PLANNER: frozenset({Right.CHANGE_JOBS, Right.PLAN}),
    Role.AUDITOR: READING,
    Role.ENGINEER: frozenset(),
}


def possible_rights(role: str) -> frozenset[Right]:
    """What a supervisor can give to this role."""
    if role == Role.ENGINEER:
        return frozenset()
    return READING if role == Role.AUDITOR else frozenset(Right)


def effective_rights(role: str, stored: Iterable[str] | None) -> frozenset[Right]:
    """Of a role whose row says `stored`, or that has no row. Supervisors have every right, so that none is lost for
    good; a right that this version does not know is none."""
    if stored is None or role == Role.SUPERVISOR:
        return SHIPPED_RIGHTS.get(role, frozenset())
    return frozenset(Right(name) for name in stored if name in Right.values) & possible_rights(role)


class RoleRights(models.Model):
    """The rights of a role that a supervisor has changed; without a row a role has what it is shipped with."""

    role = models.CharField(max_length=30, primary_key=True, choices=Role)
    rights = models.JSONField()

    def __str__(self) -> str:
        return f"{self.role}: {len(self.rights)}"
