"""Access tokens of the partner's other systems, and the webhooks that tell these systems of jobs."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dispatch.models import Job
from engineers.models import Area, User
from monitoring import request_ids
from monitoring.coded_texts import reason_text

# longer than a delivery waits for its next try or its lease, or an address has an open circuit
LONGEST_WAIT = timedelta(hours=2)


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
    # the last time that it stands in the audit
    customers_read_at = models.DateTimeField(null=True)

    objects = AccessTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.name


class WebhookKind(models.TextChoices):
    JOB_CHANGED = "job.changed", _("Job changed")
    JOB_CLOSED = "job.closed", _("Job closed")
    JOB_MISSED = "job.missed", _("Appointment window missed")


class WebhookSubscription(models.Model):
    """An address of the partner's that is notified of jobs. The secret signs, so it is stored as it is and shown once.

    Failures in a row open the circuit of the whole address until `open_until`. Without areas it hears of all jobs.
    """

    name = models.CharField(max_length=80)
    url = models.CharField(max_length=500)
    kinds = models.JSONField(default=list)
    secret = models.CharField(max_length=80)
    areas = models.ManyToManyField(Area, blank=True, related_name="+")
    is_limited_to_areas = models.BooleanField(default=False)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField()
    paused_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)
    open_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name


class WebhookEvent(models.Model):
    """Something that subscriptions are notified of, its body frozen when it was read from the job's history.

    `key` is unique: the same job event, or the same missed window, makes one row however often it is read.
    """

    key = models.CharField(max_length=80, unique=True)
    event_id = models.UUIDField(unique=True)
    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="webhook_events")
    kind = models.CharField(max_length=20, choices=WebhookKind)
    body = models.JSONField()
    created_at = models.DateTimeField(db_index=True)
    # of the request that caused it; empty for a missed window
    request_id = models.CharField(max_length=request_ids.MAX_LENGTH, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"


class WebhookState(models.TextChoices):
    READY = "ready", _("Waiting to be sent")
    DELIVERED = "delivered", _("Delivered")
    FAILED = "failed", _("Given up")


def _is_over(column: str, now: datetime) -> Q:
    """That time has come, or lies so far ahead that a clock set it that is put back."""
    return Q(**{f"{column}__lte": now}) | Q(**{f"{column}__gt": now + LONGEST_WAIT})


class WebhookDeliveryQuerySet(models.QuerySet["WebhookDelivery"]):
    def due(self, now: datetime) -> WebhookDeliveryQuerySet:
        """Ready, their time come, leased to nobody, no earlier one of the same job to the same address unsent, and the
        address neither paused nor with an open circuit."""
        earlier = WebhookDelivery.objects.filter(
            subscription=models.OuterRef("subscription"),
            job=models.OuterRef("job"),
            pk__lt=models.OuterRef("pk"),
            state=WebhookState.READY,
        )
        closed = Q(subscription__open_until=None) | _is_over("subscription__open_until", now)
        listening = {"subscription__paused_at": None, "subscription__deleted_at": None}
        is_due = _is_over("next_attempt_at", now) & closed
        return self.unleased(now).filter(
            ~models.Exists(earlier), is_due, state=WebhookState.READY, **listening
        )

    def unleased(self, now: datetime) -> WebhookDeliveryQuerySet:
        """Those that nobody is sending."""
        return self.filter(Q(lease_expires_at=None) | _is_over("lease_expires_at", now))


class WebhookDelivery(models.Model):
    """One event for one subscription. Sent in order per job; given up after WEBHOOK_RETRY_HOURS, and then the job's
    later ones go on."""

    subscription = models.ForeignKey(WebhookSubscription, on_delete=models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(WebhookEvent, on_delete=models.CASCADE, related_name="deliveries")
    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=WebhookState, default=WebhookState.READY)
    # each claim counts one up: a late result of an older claim finds nothing
    claims = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    # a replay begins anew
    give_up_at = models.DateTimeField()
    next_attempt_at = models.DateTimeField()
    lease_expires_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)

    objects = WebhookDeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["subscription", "event"], name="webhook_delivery_once")
        ]
        indexes = [
            models.Index(fields=["next_attempt_at"], condition=Q(state="ready"), name="webhook_ready"),
            models.Index(
                fields=["subscription", "job"], condition=Q(state="ready"), name="webhook_ready_of_job"
            ),
            models.Index(fields=["subscription", "state", "created_at"], name="webhook_by_subscription"),
        ]

    def __str__(self) -> str:
        return f"{self.event} for {self.subscription}"


class WebhookAttempt(models.Model):
    """One try: the status that came back, or what went wrong."""

    delivery = models.ForeignKey(WebhookDelivery, on_delete=models.CASCADE, related_name="attempts")
    started_at = models.DateTimeField()
    milliseconds = models.PositiveIntegerField()
    status = models.PositiveSmallIntegerField(null=True)
    error = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["started_at", "pk"]

    def __str__(self) -> str:
        return f"{self.delivery} {self.status or reason_text(self.error)}"
