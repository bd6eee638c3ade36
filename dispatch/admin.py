"""Jobs and their histories to look into; they change by their verbs only."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

from dispatch.models import Job, JobEvent


class ReadOnly:
    """Nobody adds, changes or deletes here: the history must be able to say who did."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False


class JobEventInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """Without `facts`, in which are texts about customers: the job's page has them, and its reader is in the audit."""

    model = JobEvent
    fields = ("seq", "kind", "from_state", "to_state", "actor", "user", "occurred_at", "recorded_at")


@admin.register(Job)
class JobAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("provider_job_id", "job_type", "state", "postcode", "window_start")
    list_filter = ("state", "job_type")
    search_fields = ("provider_job_id", "seller_job_id", "uprn", "postcode_key")
    inlines = (JobEventInline,)
    fields = (
        *("provider_job_id", "seller_job_id", "job_type", "state"),
        *("received_at", "postcode", "window_start", "window_end"),
    )

    def view_on_site(self, obj: Job) -> str:
        """Everything else stands on the job's page."""
        return reverse("board:job", args=[obj.provider_job_id])
