"""Alarms, the heartbeats of processes, and failures of scheduled tasks."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from monitoring import request_ids


class AlarmKind(StrEnum):
    """docs/operating.md says what each means and what to do; alarm_kinds.py has what the code knows of it."""

    SELLER_UNTRUSTED = "seller_untrusted"
    SELLER_UNREACHABLE = "seller_unreachable"
    SELLER_RATE_LIMIT = "seller_rate_limit"
    MESSAGE_HELD = "message_held"
    MESSAGE_UNCONFIRMED = "message_unconfirmed"
    MESSAGES_FAILING = "messages_failing"
    MESSAGE_ID_REUSED = "message_id_reused"
    CERTIFICATE_ENDING = "certificate_ending"
    CLOCK_DIFFERS = "clock_differs"
    PROCESS_STUCK = "process_stuck"
    DISK_FULL = "disk_full"
    DISK_AWAY = "disk_away"
    BACKUP_OVERDUE = "backup_overdue"
    EVIDENCE_UNAVAILABLE = "evidence_unavailable"
    TRAVEL_SERVER_UNREACHABLE = "travel_server_unreachable"
    PROVISIONING_OVERDUE = "provisioning_overdue"
    DUTY_FAILING = "duty_failing"
    SITE_UNSAFE = "site_unsafe"
    CHECK_IN_OVERDUE = "check_in_overdue"
    CANCELLED_EN_ROUTE = "cancelled_en_route"
    STARTED_ON_HOLD = "started_on_hold"
    PROVISIONING_FAILED = "provisioning_failed"
    HANDOVER_REQUESTED = "handover_requested"
    ENGINEER_ABSENT = "engineer_absent"
    CLOSURE_REVIEW = "closure_review"
    JOB_LATE = "job_late"
    NETWORK_PATTERN = "network_pattern"
    CAPACITY_SHORT = "capacity_short"
    THUMBNAIL_FAILED = "thumbnail_failed"
    WEBHOOK_FAILING = "webhook_failing"
    TASK_REFUSED = "task_refused"


class Urgency(models.TextChoices):
    """When contacts are notified of an alarm."""

    ANY_HOUR = "any_hour", _("At any hour")
    OFFICE_HOURS = "office_hours", _("In office hours")
    BOARD_ONLY = "board_only", _("On the board only")


class Alarm(models.Model):
    """Something a person must look at, once per kind and subject until it is over."""

    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=300)
    # what it says: monitoring.alarms
    text = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict)
    # what it has in common with alarms of other subjects, which one alarm may stand for: its subject
    cause = models.CharField(max_length=300, default="", blank=True)
    raised_at = models.DateTimeField()
    # when it last began to say something else
    changed_at = models.DateTimeField(null=True)
    cleared_at = models.DateTimeField(null=True)
    # who takes care of it, since when; while it is snoozed nobody is reminded
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    acknowledged_at = models.DateTimeField(null=True)
    snoozed_until = models.DateTimeField(null=True)
    # of the request that raised it, for the logs; empty where none did
    request_id = models.CharField(max_length=request_ids.MAX_LENGTH, default="", blank=True)

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


class TaskFailures(models.Model):
    """How many runs of a scheduled task in a row have not succeeded (monitoring.task_queue)."""

    duty = models.CharField(max_length=80, unique=True)
    in_a_row = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = "task failures"

    def __str__(self) -> str:
        return f"{self.duty}: {self.in_a_row}"
