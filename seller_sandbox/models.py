"""What every part of the sandbox shares: its movable clock, and a sign of life of its worker."""

from django.db import models


class Clock(models.Model):
    """One row: how far the sandbox's clock runs ahead of the real one."""

    offset_seconds = models.BigIntegerField(default=0)


class Heartbeat(models.Model):
    """When a process was last seen at work, by the real clock."""

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()
