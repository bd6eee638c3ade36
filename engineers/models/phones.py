"""What an engineer's phone has sent: positions, messages, lone-worker timers, and where notices go."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from engineers.models.people import Engineer, User


class LastPosition(models.Model):
    """The last location that an engineer's phone sent, at a state of a job. Replaced, never a history."""

    engineer = models.OneToOneField(Engineer, on_delete=models.CASCADE, related_name="last_position")
    latitude = models.FloatField()
    longitude = models.FloatField()
    accuracy_metres = models.FloatField(null=True)
    taken_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.engineer} at {self.taken_at:%H:%M}"


class LastSync(models.Model):
    """When an engineer's phone last fetched the day or sent its queue, and which version of the application it runs."""

    engineer = models.OneToOneField(Engineer, on_delete=models.CASCADE, related_name="last_sync")
    # phone.pwa.version() of that application; empty for one that does not say
    version = models.CharField(max_length=16, blank=True)
    # ours when that version was the present one, as people know it: 0.2.0
    release = models.CharField(max_length=20, blank=True)
    synced_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.engineer} at {self.synced_at:%H:%M}"


class DrivingPosition(models.Model):
    """Where an engineer who agreed to it was on the way: about a kilometre, five minutes, POSITION_KEPT_DAYS."""

    engineer = models.ForeignKey(Engineer, on_delete=models.CASCADE, related_name="driving_positions")
    latitude = models.FloatField()
    longitude = models.FloatField()
    taken_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["taken_at", "pk"]

    def __str__(self) -> str:
        return f"{self.engineer} at {self.taken_at:%H:%M}"


class PhoneOutcome(models.TextChoices):
    APPLIED = "applied", _("Applied")
    REFUSED = "refused", _("Refused")


class PhoneMessage(models.Model):
    """One entry that a phone sent, stored for ever with its outcome. The id is the phone's own UUID."""

    message_id = models.UUIDField(primary_key=True)
    engineer = models.ForeignKey(Engineer, on_delete=models.PROTECT, related_name="phone_messages")
    kind = models.CharField(max_length=40)
    # a plain number: people know nothing of jobs (imports point down)
    provider_job_id = models.CharField(max_length=36, blank=True, db_index=True)
    body = models.JSONField()
    body_sha256 = models.CharField(max_length=64)
    # by our clock; `body` stores what the phone sent, `clock_ahead_seconds` the difference
    occurred_at = models.DateTimeField()
    clock_ahead_seconds = models.BigIntegerField(default=0)
    received_at = models.DateTimeField()
    outcome = models.CharField(max_length=10, choices=PhoneOutcome)
    answer = models.JSONField()
    # since when `body` is empty (engineers.retention); id and hash stay, so that a repetition is known
    purged_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["received_at"]
        indexes = [
            # what retention empties: not all that it has emptied in years
            models.Index(
                fields=["received_at"], name="phone_message_unpurged", condition=Q(purged_at__isnull=True)
            ),
            # the same for the locations that are rounded (engineers.location_history)
            models.Index(
                fields=["occurred_at"],
                name="phone_message_exact",
                condition=Q(body__body__has_key="position") & ~Q(body__has_key="rounded"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.message_id}"


class CheckInEnd(models.TextChoices):
    DONE = "done", _("Engineer is OK")
    AGAIN = "again", _("Timer reset")
    CLOSED = "closed", _("Job closed")
    OFFICE = "office", _("Reached by the office")


class CheckInQuerySet(models.QuerySet["CheckIn"]):
    def running(self) -> CheckInQuerySet:
        return self.filter(ended_at=None)

    def overdue(self, now: datetime) -> CheckInQuerySet:
        return self.running().filter(due_at__lte=now)


class CheckIn(models.Model):
    """A timer that an engineer who works alone has set: without a check-in by `due_at` the office is alerted."""

    engineer = models.ForeignKey(Engineer, on_delete=models.PROTECT, related_name="check_ins")
    provider_job_id = models.CharField(max_length=36)
    started_at = models.DateTimeField()
    due_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    end_reason = models.CharField(max_length=10, choices=CheckInEnd, blank=True)
    acknowledged_at = models.DateTimeField(null=True)
    acknowledged_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    objects = CheckInQuerySet.as_manager()

    class Meta:
        ordering = ["due_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["engineer"], condition=Q(ended_at=None), name="one_running_check_in"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.engineer} by {self.due_at:%H:%M}"


class PushSubscription(models.Model):
    """One browser of an engineer that wants notices: where to send them, and the keys that only it can open."""

    engineer = models.ForeignKey(Engineer, on_delete=models.CASCADE, related_name="push_subscriptions")
    endpoint = models.CharField(max_length=1000, unique=True)
    public_key = models.CharField(max_length=100)
    auth_secret = models.CharField(max_length=40)
    subscribed_at = models.DateTimeField()

    class Meta:
        ordering = ["subscribed_at", "pk"]

    def __str__(self) -> str:
        return f"{self.engineer} since {self.subscribed_at:%d %b %H:%M}"
