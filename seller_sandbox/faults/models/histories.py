"""What is kept of a fault report over time: events, updates, files, contact attempts, the SLA clock's intervals."""

from django.db import models
from django.db.models import F, Q

from seller_sandbox.compiled_saves import CompiledSave
from seller_sandbox.faults.models.reports import FaultReport
from seller_sandbox.faults.states import FaultEventKind, FaultState


class FaultEvent(CompiledSave):
    """One fact about a fault report; what the buyer is sent follows from its kind (faults/states.py)."""

    report = models.ForeignKey(FaultReport, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=40, choices=FaultEventKind)
    state = models.CharField(max_length=20, choices=FaultState)
    # by the sandbox clock
    at = models.DateTimeField()
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]


class UpdateAuthor(models.TextChoices):
    SUPPLIER = "supplier", "Supplier"
    REPORTER = "reporter", "Reporter"


class FaultUpdate(models.Model):
    """One line of the ticket's updates."""

    report = models.ForeignKey(FaultReport, on_delete=models.CASCADE, related_name="updates")
    author = models.CharField(max_length=10, choices=UpdateAuthor)
    text = models.TextField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]


class FaultFile(models.Model):
    """Details of a file that the buyer or the operator has for the ticket; the file itself is not sent."""

    report = models.ForeignKey(FaultReport, on_delete=models.CASCADE, related_name="files")
    author = models.CharField(max_length=10, choices=UpdateAuthor)
    name = models.TextField()
    media_type = models.TextField(blank=True)
    size_bytes = models.PositiveBigIntegerField(null=True)
    description = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]


class ContactKind(models.TextChoices):
    MESSAGE = "message", "Message"
    CALL = "call", "Call"


class ContactAttempt(models.Model):
    """One attempt to reach the end user while the ticket is on hold (D7); `hold` counts the ticket's holds."""

    report = models.ForeignKey(FaultReport, on_delete=models.CASCADE, related_name="contact_attempts")
    hold = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=ContactKind)
    outcome = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]


class SlaInterval(CompiledSave):
    """A stretch in which the SLA clock ran; the one that is running has no end."""

    report = models.ForeignKey(FaultReport, on_delete=models.CASCADE, related_name="sla_intervals")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["report"], condition=Q(ended_at=None), name="one_running_sla_interval"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=F("started_at")),
                name="sla_interval_ends_after_its_start",
            ),
        ]
