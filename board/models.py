"""Who has a job open or is moving its card at this moment: short-lived rows, no part of the job's history."""

from datetime import datetime

from django.conf import settings
from django.db import models


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
