"""What each role may do: read, and changed by whoever manages accounts.

Supervisors always have every right, nobody changes the own role, and nobody touches or gives a right that they lack:
so the last supervisor is never locked out, and nobody climbs.
"""

from collections.abc import Iterable
from enum import StrEnum

from django.db import transaction

from engineers.area_scope import check_unlimited, scope_of
from engineers.audit import record_audit
from engineers.models import Right, Role, RoleRights, User
from engineers.models.roles import SHIPPED_RIGHTS, effective_rights, possible_rights


class RightsRule(StrEnum):
    FIXED = "fixed"
    OWN_ROLE = "own_role"
    LACKED = "lacked"


class RightsRefused(Exception):
    """This role's rights may not be changed so by this person."""

    def __init__(self, rule: RightsRule) -> None:
        super().__init__(rule)
        self.rule = rule


class RightsChanged(Exception):
    """Somebody else has changed the role since the page was opened."""


def rights_of_roles() -> dict[str, frozenset[Right]]:
    """Of every role; one query."""
    stored = dict(RoleRights.objects.values_list("role", "rights"))
    return {role: effective_rights(role, stored.get(role)) for role in Role}


def holders_everywhere(right: Right) -> frozenset[int]:
    """Keys of the accounts that may do this in all areas now; two queries."""
    roles = [role for role, rights in rights_of_roles().items() if right in rights]
    holders = User.objects.filter(is_active=True, role__in=roles, area_limits=None)
    return frozenset(holders.values_list("pk", flat=True))


def refusal_of(role: str, rights: frozenset[Right], *, by: User) -> RightsRule | None:
    """Why `by` may change nothing about this role, which has these rights."""
    if role == Role.SUPERVISOR or not possible_rights(role):
        return RightsRule.FIXED
    if role == by.role:
        return RightsRule.OWN_ROLE
    return None if rights <= by.rights else RightsRule.LACKED


@transaction.atomic
def change_role(*, role: Role, rights: Iterable[str], seen: Iterable[str], by: User) -> bool:
    """Whether it is different now; `seen` are the rights that the page began with.

    Raises RightsChanged, RightsRefused, PermissionDenied.
    """
    check_unlimited(scope_of(by))
    wanted = effective_rights(role, rights)
    # one after the other: the row may not exist yet, the accounts of those who manage them do
    list(User.objects.select_for_update().filter(role=Role.SUPERVISOR).order_by("pk"))
    before = rights_of_roles()[role]
    rule = refusal_of(role, before, by=by)
    if rule:
        raise RightsRefused(rule)
    if not wanted - before <= by.rights:
        raise RightsRefused(RightsRule.LACKED)
    if wanted == before:
        return False
    if frozenset(seen) != frozenset(before):
        raise RightsChanged
    _store(role, wanted)
    record_audit(actor=by, action="role_changed", subject=role, before=sorted(before), after=sorted(wanted))
    return True


def _store(role: Role, wanted: frozenset[Right]) -> None:
    """As shipped is no row: a right that a later version ships is had at once."""
    if wanted == SHIPPED_RIGHTS[role]:
        RoleRights.objects.filter(pk=role).delete()
    else:
        RoleRights.objects.update_or_create(role=role, defaults={"rights": sorted(wanted)})
