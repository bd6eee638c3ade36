"""Who has a job open at this moment, which is no part of the job's history; and the filters that people keep."""

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
    """One person at one job, of which two windows of theirs may have one each; renewed by the page while it is in
    sight, gone by itself afterwards."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    provider_job_id = models.CharField(max_length=40)
    activity = models.CharField(max_length=10, choices=Activity)
    expires_at = models.DateTimeField()

    objects = PresenceQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["user", "provider_job_id"], name="presence_once_per_job")
        ]

    def __str__(self) -> str:
        return f"{self.user} {self.activity} {self.provider_job_id}"


MAX_QUERY = 500


class FilterPage(models.TextChoices):
    BOARD = "board"
    REPORTS = "reports"


class SavedFilter(models.Model):
    """A filter under a name, as the query of an address; shared ones are seen by the whole office."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_filters")
    page = models.CharField(max_length=10, choices=FilterPage)
    name = models.CharField(max_length=40)
    query = models.CharField(max_length=MAX_QUERY, blank=True)
    is_shared = models.BooleanField(default=False)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["user", "page", "name"], name="saved_filter_once_per_name")
        ]

    def __str__(self) -> str:
        return f"{self.page}: {self.name}"

    @property
    def text(self) -> str:
        """What it searches for."""
        return QueryDict(self.query).get("text", "")
