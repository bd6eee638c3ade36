"""Alarms and the heartbeats of processes."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Alarm(models.Model):
    """Something a person must look at, once per kind and subject until it is over."""

    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=300)
    # what it says: monitoring.alarms
    text = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict)
    raised_at = models.DateTimeField()
    cleared_at = models.DateTimeField(null=True)
    # who takes care of it, since when; while it is snoozed nobody is reminded
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    acknowledged_at = models.DateTimeField(null=True)
    snoozed_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-raised_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"], condition=Q(cleared_at=None), name="alarm_once_while_open"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class Heartbeat(models.Model):
    """A process that works in the background says that it is alive, and what it last did."""

    process = models.CharField(max_length=80, unique=True)
    beat_at = models.DateTimeField()
    facts = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.process} {self.beat_at}"
