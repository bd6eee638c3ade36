"""What a travel server has said about drives, how it is, and how far real drives lie from what was expected."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class RoadDrive(models.Model):
    """A drive over roads at a usual hour, parking not included. `pair`: dispatch.driving.drive_times.pair_code, a
    start and an end rounded to about ten metres. `seconds`: None where the server knows no way."""

    pair = models.CharField(max_length=40, primary_key=True)
    seconds = models.PositiveIntegerField(null=True)
    metres = models.PositiveIntegerField(null=True)
    fetched_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.pair}: {self.seconds} s"


class TravelServerHealth(models.Model):
    """What all processes know of a travel server. `failures`: in a row; it is not asked before `open_until`."""

    url = models.CharField(max_length=300, unique=True)
    failures = models.PositiveIntegerField(default=0)
    open_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.url}: {self.failures} failures"


class DriveSource(models.TextChoices):
    """Where an expected drive comes from."""

    ESTIMATE = "estimate", _("Estimate")
    ROAD = "road", _("Travel server")


class DriveCorrection(models.Model):
    """How many times longer real drives took than expected ones, from en route to on site. `hour`: of the local day
    in which they began; None for all. Not `is_used`: somebody has switched it off."""

    source = models.CharField(max_length=10, choices=DriveSource)
    hour = models.PositiveSmallIntegerField(null=True)
    factor = models.FloatField()
    learned_from = models.PositiveIntegerField()
    learned_at = models.DateTimeField()
    is_used = models.BooleanField(default=True)

    class Meta:
        ordering = ["source", "hour"]
        constraints = [
            models.UniqueConstraint(fields=["source", "hour"], name="correction_once_per_hour"),
            models.UniqueConstraint(
                fields=["source"], condition=Q(hour=None), name="correction_once_for_all_hours"
            ),
            models.CheckConstraint(condition=Q(factor__gt=0), name="correction_is_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.get_source_display()} {self.hour}: {self.factor:.2f}"
