"""The administration pages under /admin/: only our own models, and only behind the office's own sign-in."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy

from engineers.area_scope import scope_of
from engineers.permissions import next_sign_in_step, user_of

OUR_APPS = frozenset({"engineers", "dispatch"})


class OfficeAdminSite(AdminSite):
    """What other packages register stays out: their task queue is a shell, their groups are rights."""

    site_title = site_header = gettext_lazy("Fibre dispatch")
    index_title = gettext_lazy("Administration")
    site_url = "/board/people/accounts/"

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        models = model_or_iterable if isinstance(model_or_iterable, list | tuple) else [model_or_iterable]
        ours = [model for model in models if _is_ours(model)]
        super().register(ours, admin_class, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        if not super().has_permission(request) or next_sign_in_step(request):
            return False
        return not scope_of(user_of(request)).is_limited

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:  # noqa: ARG002
        """There is one sign-in page, with its limits; whoever is signed in and has no business here goes home."""
        if request.user.is_authenticated:
            return redirect("home")
        return redirect_to_login(request.GET.get("next", "/admin/"))

    def password_change(self, request: HttpRequest, extra_context: Any = None) -> Any:  # noqa: ARG002
        return redirect("password-change")


def _is_ours(model: type[Model]) -> bool:
    return model._meta.app_label in OUR_APPS
