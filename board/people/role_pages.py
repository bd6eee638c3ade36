"""The page that says in plain words what each role may do."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from engineers.current_scope import current_scope
from engineers.models import Right, Role, User
from engineers.models.roles import OFFICE, SHIPPED_RIGHTS, possible_rights
from engineers.rights import RightsRule, refusal_of, rights_of_roles


@dataclass(frozen=True)
class RightLine:
    """`is_locked`: stands there and cannot be ticked or unticked by this reader."""

    value: str
    label: str
    is_given: bool
    is_locked: bool


@dataclass(frozen=True)
class RoleSection:
    """`can_change`: with a form; `note` says why not. `seen` are the rights as shown, for the form."""

    role: str
    label: str
    people: int
    lines: list[RightLine]
    seen: list[str]
    can_change: bool
    note: str
    is_as_shipped: bool


@dataclass(frozen=True)
class RolesPage:
    sections: list[RoleSection]


def build_roles_page(by: User) -> RolesPage:
    """Two queries more than those of the frame."""
    rights = rights_of_roles()
    users = list(User.objects.filter(is_active=True, engineer=None).values_list("role", flat=True))
    return RolesPage(
        [_section(role, rights[role], users.count(role), by=by) for role in Role if role in OFFICE]
    )


def _section(role: Role, rights: frozenset[Right], people: int, *, by: User) -> RoleSection:
    rule = refusal_of(role, rights, by=by)
    can_change = by.may(Right.MANAGE_ACCOUNTS) and rule is None and not current_scope().is_limited
    possible = possible_rights(role)
    return RoleSection(
        role=role,
        label=str(role.label),
        people=people,
        lines=[
            RightLine(right, str(right.label), right in rights, is_locked=_is_locked(right, rights, by))
            for right in Right
            if right in (possible if can_change else rights)
        ],
        seen=sorted(rights),
        can_change=can_change,
        note=_note(role, rule) if by.may(Right.MANAGE_ACCOUNTS) else "",
        is_as_shipped=rights == SHIPPED_RIGHTS[role],
    )


def _is_locked(right: Right, rights: frozenset[Right], by: User) -> bool:
    return right not in rights and not by.may(right)


def _note(role: Role, rule: RightsRule | None) -> str:
    if role == Role.AUDITOR:
        return _("An auditor can view everything and change nothing.")
    notes = {
        RightsRule.FIXED: _("Supervisors may always do everything, so that no right is lost for good."),
        RightsRule.OWN_ROLE: _("This is your own role. Only somebody with another role can change it."),
        RightsRule.LACKED: _("This role may do something that you may not, so you can't change it."),
    }
    return notes[rule] if rule else ""
