"""What a role may do under /admin/. The rights follow the role: nothing is stored, so nobody can be given more."""

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import AnonymousUser

from engineers.models import Role, User

SUPERVISOR_RIGHTS = frozenset(
    {
        *(f"engineers.{verb}_user" for verb in ("view", "add", "change")),
        *(f"engineers.{verb}_engineer" for verb in ("view", "add", "change")),
        *(f"engineers.{verb}_shift" for verb in ("view", "add", "change", "delete")),
        *(f"engineers.{verb}_absence" for verb in ("view", "add", "change", "delete")),
        *(f"engineers.{verb}_skill" for verb in ("view", "add", "change", "delete")),
        "engineers.view_auditentry",
        "dispatch.view_job",
        "dispatch.view_jobevent",
    }
)


class RoleRights(BaseBackend):
    """Authenticates nobody; Django asks it for rights (AUTHENTICATION_BACKENDS)."""

    def get_user_permissions(self, user_obj: User | AnonymousUser, obj: Any = None) -> set[str]:
        is_supervisor = isinstance(user_obj, User) and user_obj.is_active and user_obj.role == Role.SUPERVISOR
        return set(SUPERVISOR_RIGHTS) if is_supervisor and obj is None else set()

    def has_module_perms(self, user_obj: User | AnonymousUser, app_label: str) -> bool:
        return any(right.startswith(f"{app_label}.") for right in self.get_user_permissions(user_obj))
