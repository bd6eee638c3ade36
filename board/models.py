"""Who has a job open at this moment, which is no part of the job's history; and the filters that people keep."""

from collections.abc import Collection
from datetime import datetime

from django.conf import settings
from django.db import models
from django.http import QueryDict


class Activity(models.TextChoices):
    OPEN = "open"
    MOVING = "moving"


class PresenceQuerySet(models.QuerySet["Presence"]):
    def current(self, now: datetime) -> "PresenceQuerySet":
        return self.filter(expires_at__gt=now)


class Presence(models.Model):
    """One person at one job; renewed by the page while it is in sight, gone by itself afterwards."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True)
    provider_job_id = models.CharField(max_length=40)
    activity = models.CharField(max_length=10, choices=Activity)
    expires_at = models.DateTimeField()

    objects = PresenceQuerySet.as_manager()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.user} {self.activity} {self.provider_job_id}"


MAX_QUERY = 500


class FilterPage(models.TextChoices):
    BOARD = "board"
    REPORTS = "reports"


class SavedFilterQuerySet(models.QuerySet["SavedFilter"]):
    def about(self, texts: Collection[str]) -> "SavedFilterQuerySet":
        """Those whose name or typed text has one of these texts, in capitals or not."""
        wanted = [text.casefold() for text in texts if text.strip()]
        found = [saved.pk for saved in self if any(text in saved.typed for text in wanted)]
        return self.filter(pk__in=found)


class SavedFilter(models.Model):
    """A filter under a name, as the query of an address; shared ones are seen by the whole office."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_filters")
    page = models.CharField(max_length=10, choices=FilterPage)
    name = models.CharField(max_length=40)
    query = models.CharField(max_length=MAX_QUERY, blank=True)
    is_shared = models.BooleanField(default=False)

    objects = SavedFilterQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["user", "page", "name"], name="saved_filter_once_per_name")
        ]

    def __str__(self) -> str:
        return f"{self.page}: {self.name}"

    @property
    def typed(self) -> str:
        return f"{self.name} {QueryDict(self.query).get('text', '')}".casefold()
