"""The wire's memory: every message in and out, and every try to deliver one."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dispatch.models import Job, JobEvent
from engineers.area_scope import postcode_filter
from engineers.models import User
from monitoring import request_ids
from monitoring.coded_texts import reason_text


class InboundOutcome(models.TextChoices):
    ACCEPTED = "accepted", _("Accepted")
    REFUSED = "refused", _("Refused")


class InboundMessage(models.Model):
    """One message of the seller's with the answer that it got.

    `message_id` is unique and empty for refused ones: a refused message does not hold its id
    (job-messages.md, Members of every request). `raw_message_id` is the id as written, for support.
    """

    message_id = models.UUIDField(null=True, unique=True)
    raw_message_id = models.TextField(blank=True)
    operation = models.CharField(max_length=40)
    body = models.TextField()
    body_sha256 = models.CharField(max_length=64)
    peer_subject = models.TextField(blank=True)
    peer_address = models.CharField(max_length=64, blank=True)
    received_at = models.DateTimeField()
    outcome = models.CharField(max_length=10, choices=InboundOutcome)
    response_status = models.PositiveSmallIntegerField(default=0)
    response = models.JSONField(default=dict)
    job = models.ForeignKey(Job, on_delete=models.PROTECT, null=True, related_name="inbound_messages")
    # how often the same message came again and got the stored answer
    repeats = models.PositiveIntegerField(default=0)
    repeated_at = models.DateTimeField(null=True)
    # since when `body` is masked (seller_link.retention); its hash is still that of what arrived
    purged_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["received_at", "pk"]
        indexes = [
            models.Index(fields=["received_at"], name="inbound_by_time"),
            # the accepted ones are found by message_id
            models.Index(
                fields=["raw_message_id"], name="inbound_refused", condition=Q(message_id__isnull=True)
            ),
            # what came again is few among many, and summed whenever somebody asks for figures
            models.Index(
                fields=["operation", "repeats"],
                name="inbound_repeated",
                condition=Q(repeated_at__isnull=False),
            ),
            # refused ones are few among many, and listed newest first
            models.Index(
                fields=["received_at"], name="inbound_refused_by_time", condition=Q(outcome="refused")
            ),
            # what retention masks: not all that it has masked in years
            models.Index(
                fields=["received_at"], name="inbound_unmasked", condition=Q(purged_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.raw_message_id}"


class ReplayQuerySet(models.QuerySet["Replay"]):
    def in_scope(self) -> ReplayQuerySet:
        """For somebody who is limited to some areas: those with a message about a job of these areas. A message belongs
        to the replay that sent it last."""
        messages = OutboundMessage.objects.in_scope().filter(replay=models.OuterRef("pk"))
        return self.filter(models.Exists(messages)) if postcode_filter() else self


class Replay(models.Model):
    """Messages that somebody had sent again together: who, why and, for an outage, from when to when."""

    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    started_at = models.DateTimeField()
    from_at = models.DateTimeField(null=True)
    to_at = models.DateTimeField(null=True)

    objects = ReplayQuerySet.as_manager()

    class Meta:
        ordering = ["-started_at"]

    def __str__(self) -> str:
        return f"replay {self.pk} by {self.by}"


class OutboundState(models.TextChoices):
    READY = "ready", _("Waiting to be sent")
    SENT = "sent", _("Delivered")
    HELD = "held", _("Held: rejected by the seller")
    # by a person: the seller can never accept it
    STOPPED = "stopped", _("Sending stopped")


# nothing waits for these
SETTLED_STATES = frozenset({OutboundState.SENT, OutboundState.STOPPED})


class OutboundQuerySet(models.QuerySet["OutboundMessage"]):
    def in_scope(self) -> OutboundQuerySet:
        """Those about jobs of the areas that whoever asks may see."""
        return self.filter(postcode_filter("job__"))

    def unsent(self) -> OutboundQuerySet:
        """Still to be sent; the first condition is that of the index."""
        return self.exclude(state=OutboundState.SENT).exclude(state=OutboundState.STOPPED)

    def heads(self) -> OutboundQuerySet:
        """Ready rows with no earlier unsent row of their job: only these may go."""
        earlier = OutboundMessage.objects.unsent().filter(
            job=models.OuterRef("job"), seq__lt=models.OuterRef("seq")
        )
        return self.filter(~models.Exists(earlier), state=OutboundState.READY)

    def blocked(self) -> OutboundQuerySet:
        """Ready rows behind a held one of their job: they wait for a person."""
        held = OutboundMessage.objects.filter(
            job=models.OuterRef("job"), seq__lt=models.OuterRef("seq"), state=OutboundState.HELD
        )
        return self.filter(models.Exists(held), state=OutboundState.READY)

    def due(self, now: datetime) -> OutboundQuerySet:
        """Heads whose time has come, and no message of whose job is being sent (a replay may begin before it)."""
        being_sent = OutboundMessage.objects.unsent().filter(
            job=models.OuterRef("job"), lease_expires_at__gt=now
        )
        # on the row itself, too: when it changes while PostgreSQL waits for its lock, only this is checked again
        free = Q(lease_expires_at__isnull=True) | Q(lease_expires_at__lte=now)
        return self.heads().filter(~models.Exists(being_sent), free, next_attempt_at__lte=now)


class OutboundMessage(models.Model):
    """One message to the seller, its body frozen in the transaction of the fact. Delivered in `seq` per job."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="outbound_messages")
    event = models.OneToOneField(JobEvent, on_delete=models.PROTECT, related_name="outbound_message")
    seq = models.PositiveIntegerField()
    message_id = models.UUIDField(unique=True)
    operation = models.CharField(max_length=20)
    # of the request that caused it, for the log; empty where none did
    request_id = models.CharField(max_length=request_ids.MAX_LENGTH, blank=True)
    body = models.JSONField()
    # what was refused, when a dispatcher corrected it; who and why are in the audit
    body_before = models.JSONField(null=True)
    state = models.CharField(max_length=10, choices=OutboundState, default=OutboundState.READY)
    # every claim, stop and replay counts one up, never back: a late settle of an older claim finds nothing
    claims = models.PositiveIntegerField(default=0)
    # failed attempts since the last success; the back-off grows with it
    failures = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    next_attempt_at = models.DateTimeField()
    lease_expires_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    held_reason = models.TextField(blank=True)
    replay = models.ForeignKey(Replay, on_delete=models.PROTECT, null=True, related_name="messages")
    # since when both bodies are masked (seller_link.retention): it can never be sent again
    purged_at = models.DateTimeField(null=True)

    # set by seller_link.delivery_attempts
    attempt_count: int
    newest_attempts: list[DeliveryAttempt]

    objects = OutboundQuerySet.as_manager()

    class Meta:
        ordering = ["job", "seq"]
        constraints = [models.UniqueConstraint(fields=["job", "seq"], name="outbound_once_per_place")]
        indexes = [
            models.Index(fields=["next_attempt_at", "id"], name="outbound_ready", condition=Q(state="ready")),
            models.Index(fields=["job", "seq"], name="outbound_unsent", condition=~Q(state="sent")),
            models.Index(fields=["created_at"], name="outbound_by_time"),
            # reconciliation asks for what was acknowledged in a time
            models.Index(fields=["sent_at"], name="outbound_by_acknowledgement"),
            models.Index(
                fields=["created_at"], name="outbound_unmasked", condition=Q(purged_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.message_id}"


class DeliveryAttempt(models.Model):
    """One try at one endpoint: what came back, or what went wrong."""

    message = models.ForeignKey(OutboundMessage, on_delete=models.PROTECT, related_name="delivery_attempts")
    endpoint = models.TextField()
    started_at = models.DateTimeField()
    milliseconds = models.PositiveIntegerField()
    status = models.PositiveSmallIntegerField(null=True)
    error = models.JSONField(default=dict, blank=True)
    response = models.TextField(blank=True)

    class Meta:
        ordering = ["started_at", "pk"]
        indexes = [models.Index(fields=["started_at"], name="attempt_by_time")]

    def __str__(self) -> str:
        return f"{self.endpoint} {self.status or reason_text(self.error)}"


class EndpointHealth(models.Model):
    """What all relays together know of one of the seller's endpoints; its circuit is open until `open_until`."""

    endpoint = models.TextField(unique=True)
    # failures in a row, and how often in a row its circuit opened: each time for longer
    failures = models.PositiveIntegerField(default=0)
    openings = models.PositiveIntegerField(default=0)
    open_until = models.DateTimeField(null=True)
    last_success_at = models.DateTimeField(null=True)
    last_failure_at = models.DateTimeField(null=True)
    last_error = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return self.endpoint


class SettledTotals(models.Model):
    """What was added up over a table that only grows (seller_link.incremental_totals): all rows up to `settled_to`, so
    that a process which starts reads only those behind it. `sums`: pairs of a group and its numbers."""

    name = models.CharField(max_length=100, unique=True)
    settled_to = models.BigIntegerField()
    sums = models.JSONField()

    def __str__(self) -> str:
        return f"{self.name} to {self.settled_to}"


class RejectedCaller(models.Model):
    """Rejected callers, counted per cause, certificate, address and day (UTC)."""

    cause = models.CharField(max_length=40)
    subject = models.CharField(max_length=200, blank=True)
    address = models.CharField(max_length=64, blank=True)
    day = models.DateField()
    count = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField()

    class Meta:
        ordering = ["-last_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["cause", "subject", "address", "day"], name="peer_refusal_once_a_day"
            )
        ]

    def __str__(self) -> str:
        return f"{self.cause} {self.subject} {self.address}"
