"""What only a superuser does with an account, and the audit. Everything else about people has pages of its own
(board.people)."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from engineers import staff
from engineers.audit import record_audit
from engineers.models import AuditEntry, Role, User
from engineers.permissions import user_of


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    """Read by supervisors; a superuser makes and unmakes superusers. Nobody is added or deleted here."""

    list_display = ("username", "first_name", "last_name", "role", "is_active", "is_superuser")
    list_filter = ("role", "is_active", "is_superuser")
    fieldsets = (
        (None, {"fields": ("username", "first_name", "last_name", "email")}),
        (_("Access"), {"fields": ("role", "is_active", "is_superuser")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Nobody takes the last rights from the own account by accident."""
        own = ("is_superuser",) if obj == request.user else ()
        return ("username", "first_name", "last_name", "role", "is_active", *own)

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and user_of(request).is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:  # noqa: ARG002
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: Any) -> None:  # noqa: ARG002
        role = User.objects.select_for_update().get(pk=obj.pk).role
        obj.is_staff = obj.is_superuser or role == Role.SUPERVISOR
        # whatever else the form was filled with may be old by now
        typed = {"email", "is_superuser"} & {*form.changed_data}
        obj.save(update_fields=["is_staff", *typed])
        if {"is_superuser", "email"} & {*form.changed_data}:
            staff.end_mailed_links(obj)
        if "is_superuser" in form.changed_data:
            record_audit(
                actor=user_of(request),
                action="person_changed",
                subject=obj.username,
                before={"is_superuser": form.initial["is_superuser"]},
                after={"is_superuser": obj.is_superuser},
            )

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: ARG002
        """Instead of Django's form, in which one person types a password that another goes on using: the page with the
        one-time link."""
        user = self.get_object(request, unquote(id))
        if user is None or user == request.user:
            return redirect("password-change" if user else "board:accounts")
        if hasattr(user, "engineer"):
            return redirect("board:engineer", user.engineer.pk)
        return redirect("board:account", user.pk)


@admin.register(AuditEntry)
class AuditEntryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """To be read only: a record that can be changed is none."""

    list_display = ("recorded_at", "actor", "action", "subject")
    list_filter = ("action",)

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False
