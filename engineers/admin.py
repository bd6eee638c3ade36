"""People, their skills and their hours, kept by a supervisor."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserCreationForm
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from engineers import second_factor, staff
from engineers.models import (
    Absence,
    Area,
    AuditEntry,
    Engineer,
    HeldSkill,
    Role,
    Shift,
    ShiftException,
    Skill,
    User,
)
from engineers.permissions import user_of

# what is worth a line of its own in the audit when somebody changes it here
AUDITED = ("username", "role", "is_superuser")


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    """Supervisors keep people; only a superuser touches a superuser. Nobody is deleted: they are switched off."""

    list_display = ("username", "first_name", "last_name", "role", "is_active")
    list_filter = ("role", "is_active")
    add_fieldsets = (
        (
            None,
            {
                "fields": (
                    "username",
                    "first_name",
                    "last_name",
                    "role",
                    "password1",
                    "password2",
                )
            },
        ),
    )
    add_form = UserCreationForm
    actions = ("reset_second_factor",)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        if obj is None:
            return self.add_fieldsets
        access = ("is_active", "is_superuser") if user_of(request).is_superuser else ("is_active",)
        return (
            (None, {"fields": ("username", "password")}),
            (_("Person"), {"fields": ("first_name", "last_name", "email", "role")}),
            (_("Access"), {"fields": access}),
        )

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        is_above = obj is not None and obj.is_superuser and not user_of(request).is_superuser
        return super().has_change_permission(request, obj) and not is_above

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:  # noqa: ARG002
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: Any) -> None:
        by = user_of(request)
        obj.is_staff = obj.is_superuser or obj.role == Role.SUPERVISOR
        if not change:
            obj.must_change_password = True
        super().save_model(request, obj, form, change)
        if not change:
            staff.record_audit(actor=by, action="hired", subject=obj.username, after={"role": obj.role})
            return
        self._audit(obj, form, by)

    def _audit(self, obj: User, form: Any, by: User) -> None:
        changed = [name for name in AUDITED if name in form.changed_data]
        if changed:
            before, after = (
                {name: data[name] for name in changed} for data in (form.initial, form.cleaned_data)
            )
            staff.record_audit(
                actor=by, action="person_changed", subject=obj.username, before=before, after=after
            )
        if "is_active" in form.changed_data and obj.is_active:
            staff.reinstate(user=obj, by=by)
        elif "is_active" in form.changed_data:
            staff.suspend(user=obj, by=by)

    @admin.action(description=_("Reset two-factor authentication (phone lost)"), permissions=["change"])
    def reset_second_factor(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        by = user_of(request)
        for user in queryset:
            if self.has_change_permission(request, user):
                second_factor.reset(user=user, by=by)
                text = _("%(name)s was signed out and must set up two-factor authentication again.")
                self.message_user(request, text % {"name": user.display_name})

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: ARG002
        """Instead of Django's form, in which a supervisor types a password that another person goes on using: the
        button to a one-time link (board.people)."""
        user = self.get_object(request, unquote(id))
        if user is None:
            raise Http404
        if not self.has_change_permission(request, user):
            raise PermissionDenied
        if user == request.user:
            return redirect("password_change")
        context = {**self.admin_site.each_context(request), "title": _("Sign-in link"), "person": user}
        return TemplateResponse(request, "admin/sign_in_link.html", context)


class ShiftInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Shift
    extra = 0


class ShiftExceptionInline(admin.TabularInline):  # type: ignore[type-arg]
    model = ShiftException
    extra = 0


class HeldSkillInline(admin.TabularInline):  # type: ignore[type-arg]
    model = HeldSkill
    extra = 0


class AbsenceInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Absence
    extra = 0


@admin.register(Engineer)
class EngineerAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "staff_number", "phone", "area")
    list_select_related = ("user", "area")
    list_filter = ("area",)
    search_fields = ("user__first_name", "user__last_name", "staff_number")
    inlines = (HeldSkillInline, ShiftInline, ShiftExceptionInline, AbsenceInline)


@admin.register(Skill)
class SkillAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "code")


@admin.register(Area)
class AreaAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "postcodes")


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
