"""Who may open a page: every view carries exactly one of these marks (a test walks all addresses)."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from engineers import second_factor
from engineers.models import Engineer, Role, User

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]

OFFICE = frozenset({Role.SUPERVISOR, Role.DISPATCHER})


def _with_permission(view: Any, mark: str) -> Any:
    view.opened_by = mark
    return view


def _refuse_role(request: HttpRequest, page: str | None = None) -> HttpResponse:
    """A program receives the address where signing in starts or continues; a person is redirected there."""
    if request.headers.get("Accept", "").startswith("application/json"):
        context = {
            "error": "unfinished" if page else "signed_out",
            "address": page or reverse("login"),
            "message": _("You are signed out. Sign in to send; nothing has been lost."),
        }
        return JsonResponse(context, status=401)
    return redirect_to_login(request.get_full_path(), page)


def next_sign_in_step(request: HttpRequest) -> str:
    """The address name of what a signed-in user must do before anything else, or nothing."""
    user = user_of(request)
    if second_factor.is_due(request, user):
        return "second_factor"
    return "password_change" if user.must_change_password else ""


def has_phone(user: User) -> bool:
    """Whether the pages of the phone open for this user."""
    return user.role == Role.ENGINEER and hasattr(user, "engineer")


def for_roles(*roles: Role, step: str = "") -> Callable[[View[P]], View[P]]:
    """Anonymous users are asked to log in (401 for JSON callers); other roles get 403. Who has not finished signing in
    is sent to the step that is missing; `step` is the step that the page itself is."""

    def mark(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _refuse_role(request)
            if request.user.role not in roles:
                raise PermissionDenied
            missing = next_sign_in_step(request)
            if missing and missing != step:
                return _refuse_role(request, reverse(missing))
            return view(request, *args, **kwargs)

        marked: View[P] = _with_permission(guarded, "+".join(sorted(roles)))
        return marked

    return mark


for_office = for_roles(*OFFICE)
for_supervisor = for_roles(Role.SUPERVISOR)
for_engineer = for_roles(Role.ENGINEER)
for_people = for_roles(*Role)
for_new_password = for_roles(*Role, step="password_change")
for_second_factor = for_roles(*Role, step="second_factor")


def for_everyone(view: View[P]) -> View[P]:
    """Open to anonymous users on purpose: log-in, health, the worker script."""
    marked: View[P] = _with_permission(view, "anybody")
    return marked


def for_access_token(view: View[P]) -> View[P]:
    """For programs, without a session: the view itself asks for an access token (partner_api.api_view)."""
    marked: View[P] = _with_permission(view, "access token")
    return marked


def user_of(request: HttpRequest) -> User:
    """The logged-in user of a marked view."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def engineer_of(request: HttpRequest) -> Engineer:
    """The engineer behind the phone; an engineer's user without an engineer row has no business here."""
    engineer: Engineer | None = getattr(user_of(request), "engineer", None)
    if engineer is None:
        raise PermissionDenied
    return engineer


SUPERVISOR_RIGHTS = frozenset(
    {
        "engineers.view_user",
        "engineers.view_auditentry",
        "dispatch.view_job",
        "dispatch.view_jobevent",
    }
)


class RoleBackend(ModelBackend):
    """Signs in by password; the role gives the rights, and the engineer comes with the user in one query."""

    def get_user(self, user_id: int) -> User | None:
        user = User.objects.select_related("engineer").filter(pk=user_id).first()
        return user if user and self.user_can_authenticate(user) else None

    def get_all_permissions(self, user_obj: User | AnonymousUser, obj: Any = None) -> set[str]:
        is_supervisor = isinstance(user_obj, User) and user_obj.is_active and user_obj.role == Role.SUPERVISOR
        return set(SUPERVISOR_RIGHTS) if is_supervisor and obj is None else set()

    def has_module_perms(self, user_obj: User | AnonymousUser, app_label: str) -> bool:
        return any(right.startswith(f"{app_label}.") for right in self.get_all_permissions(user_obj))
