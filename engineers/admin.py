"""People, their skills and their hours, kept by a supervisor."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from engineers.models import Absence, AuditEntry, Engineer, Shift, Skill, User


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    list_display = ("username", "first_name", "last_name", "role", "is_active")
    list_filter = ("role", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("first_name", "last_name", "email", "role")}),
        (_("Access"), {"fields": ("is_active", "is_staff", "is_superuser")}),
    )
    add_fieldsets = (
        (
            None,
            {
                "fields": (
                    "username",
                    "first_name",
                    "last_name",
                    "role",
                    "usable_password",
                    "password1",
                    "password2",
                )
            },
        ),
    )


class ShiftInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Shift
    extra = 0


class AbsenceInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Absence
    extra = 0


@admin.register(Engineer)
class EngineerAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "staff_number", "phone")
    list_select_related = ("user",)
    search_fields = ("user__first_name", "user__last_name", "staff_number")
    filter_horizontal = ("skills",)
    inlines = (ShiftInline, AbsenceInline)


@admin.register(Skill)
class SkillAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "code")


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
