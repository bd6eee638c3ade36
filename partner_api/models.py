"""Who may read the partner's interface: access tokens with their scopes and areas."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from engineers.models import Area, User


class Scope(models.TextChoices):
    """What a token may read. `CUSTOMERS_READ` adds address, contact and advice to the jobs."""

    JOBS_READ = "jobs:read", _("Jobs, visits, events, closures and lists of evidence")
    CUSTOMERS_READ = "customers:read", _("Addresses and contacts of customers, with the jobs")
    ENGINEERS_READ = "engineers:read", _("Engineers and areas")
    SHIFTS_READ = "shifts:read", _("Shifts and absences")
    EXPORTS_READ = "exports:read", _("Exports of jobs, closures, evidence and working times")


class AccessTokenQuerySet(models.QuerySet["AccessToken"]):
    def usable(self, now: datetime) -> AccessTokenQuerySet:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)


class AccessToken(models.Model):
    """With this a program of the partner's reads the interface. We keep only a hash of its secret.

    Without areas it reads all of them. `start` are the first characters, by which people recognise it.
    """

    name = models.CharField(max_length=80)
    secret_sha256 = models.CharField(max_length=64, unique=True)
    start = models.CharField(max_length=12)
    scopes = models.JSONField(default=list)
    areas = models.ManyToManyField(Area, blank=True, related_name="+")
    # so that a token whose last area was deleted does not read everything
    is_limited_to_areas = models.BooleanField(default=False)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    # to the minute: not every request is a write
    last_used_at = models.DateTimeField(null=True)

    objects = AccessTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.name
