"""Messages to customers about their appointment."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dispatch.models import Job
from engineers.area_scope import postcode_filter


class CustomerMessageKind(models.TextChoices):
    TODAY = "today", _("Appointment today")
    ON_THE_WAY = "on_the_way", _("Engineer on the way")


class MessageChannel(models.TextChoices):
    SMS = "sms", _("SMS")
    MAIL = "mail", _("E-mail")


class MessageState(models.TextChoices):
    READY = "ready", _("Waiting to be sent")
    SENDING = "sending", _("Being sent")
    SENT = "sent", _("Sent")
    EXPIRED = "expired", _("Too late, not sent")
    WITHDRAWN = "withdrawn", _("Not sent: no longer true")
    FAILED = "failed", _("Failed")


class CustomerMessageQuerySet(models.QuerySet["CustomerMessage"]):
    def in_scope(self) -> CustomerMessageQuerySet:
        """Those about jobs of the areas that whoever asks may see."""
        return self.filter(postcode_filter("job__"))

    def due(self, now: datetime) -> CustomerMessageQuerySet:
        return self.filter(state=MessageState.READY, next_attempt_at__lte=now)

    def interrupted(self, now: datetime) -> CustomerMessageQuerySet:
        """Their sending ended without a result: nobody knows whether they arrived."""
        return self.filter(state=MessageState.SENDING, lease_expires_at__lte=now)


class CustomerMessage(models.Model):
    """One message to a customer, its text frozen. `key` is unique, so that nothing is sent twice; what is not sent by
    `expires_at` is not sent at all."""

    key = models.CharField(max_length=80, unique=True)
    message_id = models.UUIDField(unique=True)
    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="customer_messages")
    kind = models.CharField(max_length=12, choices=CustomerMessageKind)
    channel = models.CharField(max_length=5, choices=MessageChannel, blank=True)
    recipient = models.CharField(max_length=254, blank=True)
    subject = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=MessageState, default=MessageState.READY)
    reason = models.JSONField(default=dict, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    # the window that the text names: with another one it is wrong
    window_start = models.DateTimeField()
    created_at = models.DateTimeField(db_index=True)
    next_attempt_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    lease_expires_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    # since when recipient and text are empty (customer_messages.retention)
    purged_at = models.DateTimeField(null=True)

    objects = CustomerMessageQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(
                fields=["next_attempt_at"],
                condition=Q(state__in=("ready", "sending")),
                name="customer_message_open",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.job}"
