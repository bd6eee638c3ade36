"""Who may open a page: every view carries exactly one of these marks (a test walks all addresses)."""

from collections.abc import Callable, Iterable
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from engineers.area_scope import check_unlimited, scope_of
from engineers.current_scope import EVERYWHERE, AreaScope, current_scope, limited_to
from engineers.input_values import READING_METHODS, page_of
from engineers.models import AreaLimit, Engineer, Right, Role, RoleRights, User
from engineers.models.roles import OFFICE, SHIPPED_RIGHTS
from engineers.sign_in import second_factor

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def _with_permission(view: Any, mark: str, changed_by: str = "") -> Any:
    view.opened_by, view.changed_by = mark, changed_by
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
    return redirect_to_login(_way_back(request), page)


def _way_back(request: HttpRequest) -> str:
    """Where a person goes on after signing in: what was sent is not sent again, so the page it was sent from."""
    if request.method not in READING_METHODS:
        text = _("You were signed out, so your change was not saved. Make it again.")
        messages.warning(request, text)
    return page_of(request) or reverse("home")


def next_sign_in_step(request: HttpRequest) -> str:
    """The address name of what a signed-in user must do before anything else, or nothing."""
    user = user_of(request)
    if second_factor.is_due(request, user):
        return "second-factor"
    return "password-change" if user.must_change_password else ""


def has_phone(user: User) -> bool:
    """Whether the pages of the phone open for this user."""
    return user.role == Role.ENGINEER and hasattr(user, "engineer")


def for_roles(
    *roles: Role,
    step: str = "",
    rights: tuple[Right, ...] = (),
    changed_with: tuple[Right, ...] = (),
    reads: bool = False,
) -> Callable[[View[P]], View[P]]:
    """Anonymous users are asked to log in (401 for JSON callers); other roles get 403. Who has not finished signing in
    is sent to the step that is missing; `step` is the step that the page itself is. One of the `rights` is needed
    for everything, one of `changed_with` for what changes something; with `reads` nothing can be changed there."""

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
            is_change = request.method not in READING_METHODS
            needed = rights or (changed_with if is_change else ())
            if needed and not user_of(request).rights.intersection(needed):
                return _refuse_right(request, needed[0])
            if reads and is_change:
                return HttpResponseNotAllowed(sorted(READING_METHODS))
            with limited_to(_scope_of(request)):
                return view(request, *args, **kwargs)

        opened, changed = _shipped_with(roles, rights), _shipped_with(roles, rights or changed_with)
        marked: View[P] = _with_permission(guarded, opened, "" if reads else changed)
        return marked

    return mark


def _scope_of(request: HttpRequest) -> AreaScope:
    """Engineers have their own jobs, whatever area they lie in."""
    user = user_of(request)
    return scope_of(user) if user.is_office else EVERYWHERE


def _shipped_with(roles: Iterable[Role], rights: Iterable[Right]) -> str:
    return "+".join(sorted(role for role in roles if not rights or SHIPPED_RIGHTS[role].intersection(rights)))


def refusal_text(right: Right) -> str:
    """Names what is missing and who can help."""
    text = _("Your role may not do this: %(right)s. Ask a supervisor if you need it. Nothing was changed.")
    return text % {"right": right.label}


def _refuse_right(request: HttpRequest, right: Right) -> HttpResponse:
    """A page for a person; for a script the refusal as it reads those of an action (board.jobs.responses)."""
    if request.headers.get("Accept", "").startswith("application/json"):
        problem = {"code": "no_right", "where": "", "message": refusal_text(right)}
        return JsonResponse(
            {"ok": False, "problems": [problem], "suggestions": [], "version": ""},
            status=HTTPStatus.FORBIDDEN,
        )
    raise PermissionDenied(refusal_text(right))


def refuse_limited() -> None:
    """For a page about all areas at once, in its view."""
    check_unlimited(current_scope())


def may_everywhere(request: HttpRequest, right: Right) -> bool:
    """Whether whoever asks may do this to what counts in all areas: has the right, and is limited to none."""
    return user_of(request).may(right) and not current_scope().is_limited


def refusing_limited(view: View[P]) -> View[P]:
    """Below a mark: a view that is about all areas at once."""

    @wraps(view)
    def refusing(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        refuse_limited()
        return view(request, *args, **kwargs)

    marked: View[P] = _with_permission(refusing, "")
    return marked


def for_right(*rights: Right) -> Callable[[View[P]], View[P]]:
    """For people of the office whose role has this right, or one of these."""
    return for_roles(*OFFICE, rights=rights)


def for_reading(right: Right) -> Callable[[View[P]], View[P]]:
    """For people of the office whose role has this right, and nothing can be changed there."""
    return for_roles(*OFFICE, rights=(right,), reads=True)


def for_office_changed_with(right: Right) -> Callable[[View[P]], View[P]]:
    """The whole office may read; whoever has the right may change."""
    return for_roles(*OFFICE, changed_with=(right,))


for_office = for_roles(*OFFICE, reads=True)
for_own_settings = for_roles(*OFFICE)
for_engineer = for_roles(Role.ENGINEER)
for_people = for_roles(*Role)
for_new_password = for_roles(*Role, step="password-change")
for_second_factor = for_roles(*Role, step="second-factor")


def for_everyone(view: View[P]) -> View[P]:
    """Open to anonymous users on purpose: log-in, health, the worker script."""
    marked: View[P] = _with_permission(view, "anybody", "anybody")
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
        stored = RoleRights.objects.filter(role=OuterRef("role")).values("rights")[:1]
        limits = AreaLimit.objects.filter(user=OuterRef("pk"))
        found = User.objects.select_related("engineer").annotate(
            role_rights=Subquery(stored), is_limited=Exists(limits)
        )
        user = found.filter(pk=user_id).first()
        return user if user and self.user_can_authenticate(user) else None

    def get_all_permissions(self, user_obj: User | AnonymousUser, obj: Any = None) -> set[str]:
        is_supervisor = isinstance(user_obj, User) and user_obj.is_active and user_obj.role == Role.SUPERVISOR
        return set(SUPERVISOR_RIGHTS) if is_supervisor and obj is None else set()

    def has_module_perms(self, user_obj: User | AnonymousUser, app_label: str) -> bool:
        return any(right.startswith(f"{app_label}.") for right in self.get_all_permissions(user_obj))
