"""Forecasts of the rest of a day, the spreads they are made from, and a record by which they are judged later."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dispatch.models.jobs_and_visits import Visit
from dispatch.states import JobType


class DayForecast(models.Model):
    """The newest forecast of a day (dispatch.on_time_forecast.day_forecast). `by_visit`: OnTimeForecast.as_json by the
    visit's key; `finishes`: [median, what nine of ten runs keep] as timestamps in seconds, by the engineer's key."""

    day = models.DateField(unique=True)
    made_at = models.DateTimeField()
    misses = models.FloatField()
    most_misses = models.PositiveIntegerField()
    by_visit = models.JSONField(default=dict)
    finishes = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.day} at {self.made_at:%H:%M}"


class RecordedForecast(models.Model):
    """What was forecast of a visit in one hour, once: whether it came true is in the visit. `planned_start` as it was
    then, so that a visit that was moved afterwards is not counted."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="recorded_forecasts")
    hour = models.DateTimeField(db_index=True)
    planned_start = models.DateTimeField()
    probability = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["visit", "hour"], name="forecast_once_per_hour"),
            models.CheckConstraint(
                condition=Q(probability__gte=0, probability__lte=1), name="probability_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.hour:%d %b %H:%M}: {self.probability:.0%}"


class SpreadKind(models.TextChoices):
    TRAVEL = "travel", _("Drive")
    LENGTH = "length", _("Time on site")
    NO_ACCESS = "no_access", _("No access")


class LearnedSpread(models.Model):
    """Of ended visits: quantiles of real time by planned time, or the share without access. `job_type` is empty for all
    types; `product`: of jobs without flags, empty for all; `flag`: of jobs that have it. `learned_from`: so many
    visits."""

    kind = models.CharField(max_length=10, choices=SpreadKind)
    job_type = models.CharField(max_length=12, choices=JobType, blank=True)
    product = models.CharField(max_length=200, blank=True)
    flag = models.CharField(max_length=40, blank=True)
    learned_at = models.DateTimeField()
    learned_from = models.PositiveIntegerField()
    ratios = models.JSONField(default=list)
    share = models.FloatField(null=True)

    class Meta:
        ordering = ["kind", "job_type", "product", "flag"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "job_type", "product", "flag"], name="spread_once_per_group"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.job_type} {self.product} {self.flag}".rstrip()


class LearnedLength(models.Model):
    """Minutes on site of closed jobs of a type: of those without flags, of one product among them, or of those with a
    flag. `minutes`: the quantiles of dispatch.job_lengths.SHARES. `is_used`: instead of the default length."""

    job_type = models.CharField(max_length=12, choices=JobType)
    product = models.CharField(max_length=200, blank=True)
    flag = models.CharField(max_length=40, blank=True)
    minutes = models.JSONField(default=list)
    learned_from = models.PositiveIntegerField()
    learned_at = models.DateTimeField()
    is_used = models.BooleanField(default=True)

    class Meta:
        ordering = ["job_type", "product", "flag"]
        constraints = [
            models.UniqueConstraint(fields=["job_type", "product", "flag"], name="length_once_per_group")
        ]

    def __str__(self) -> str:
        return f"{self.job_type} {self.product} {self.flag}: {self.minutes}"
