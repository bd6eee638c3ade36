"""Who is notified of alarms, at which hours and about which kinds, and what was sent to whom."""

from __future__ import annotations

import uuid
from datetime import datetime, time, timedelta

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from monitoring.models import Alarm, Urgency

# for the next attempt of a delivery
LONGEST_WAIT = timedelta(minutes=120)
LEVELS = (1, 2, 3, 4, 5)
WORKING_DAYS = (0, 1, 2, 3, 4)


def working_days() -> list[int]:
    return list(WORKING_DAYS)


# functions: Django takes a fixed time within ten seconds of now for a mistake, and `check --deploy` failed at eight
def default_office_start() -> time:
    return time(8)


def default_office_end() -> time:
    return time(18)


def every_day() -> list[int]:
    return list(range(7))


class Channel(models.TextChoices):
    MAIL = "mail", _("E-mail")
    WEBHOOK = "webhook", _("Webhook")
    SMS = "sms", _("SMS")


class AlarmTopic(models.TextChoices):
    """Which alarms a contact is notified of."""

    ALL = "all", _("All alarms")
    SYSTEM = "system", _("System: link, processes, disks, backups")
    JOBS = "jobs", _("Jobs and engineers")


class AlarmRule(models.Model):
    """How urgent a kind of alarm is, where a supervisor has decided otherwise than monitoring.alarm_kinds."""

    kind = models.CharField(max_length=40, unique=True)
    urgency = models.CharField(max_length=20, choices=Urgency)

    def __str__(self) -> str:
        return f"{self.kind}: {self.urgency}"


class AlertingPlan(models.Model):
    """One row: when the office is open, and after how many minutes the next level is notified."""

    escalation_minutes = models.PositiveSmallIntegerField(default=15)
    # Monday is 0; local time of TIME_ZONE
    office_days = models.JSONField(default=working_days)
    office_starts = models.TimeField(default=default_office_start)
    office_ends = models.TimeField(default=default_office_end)

    def __str__(self) -> str:
        return f"escalation after {self.escalation_minutes} min"


class AlarmContact(models.Model):
    """A person or system that is notified. On call all day without hours; hours may go over midnight."""

    name = models.CharField(max_length=80)
    channel = models.CharField(max_length=10, choices=Channel)
    address = models.CharField(max_length=300)
    language = models.CharField(max_length=10, default=settings.LANGUAGE_CODE)
    level = models.PositiveSmallIntegerField(
        default=LEVELS[0], validators=[MinValueValidator(LEVELS[0]), MaxValueValidator(LEVELS[-1])]
    )
    topic = models.CharField(max_length=10, choices=AlarmTopic, default=AlarmTopic.ALL)
    on_call_days = models.JSONField(default=every_day)
    on_call_starts = models.TimeField(null=True)
    on_call_ends = models.TimeField(null=True)

    class Meta:
        ordering = ["level", "name", "pk"]

    def __str__(self) -> str:
        return self.name


class AlarmNotice(models.Model):
    """This level has been notified of this alarm; the constraint keeps a second run of the task from doing it again."""

    alarm = models.ForeignKey(Alarm, on_delete=models.CASCADE, related_name="notices")
    level = models.PositiveSmallIntegerField()
    noticed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["alarm", "level"], name="alarm_noticed_once_per_level")
        ]

    def __str__(self) -> str:
        return f"{self.alarm} level {self.level}"


class AlarmDeliveryState(models.TextChoices):
    WAITING = "waiting", _("Waiting")
    DELIVERED = "delivered", _("Delivered")
    FAILED = "failed", _("Failed")
    # before it could be delivered
    CLEARED = "cleared", _("Not needed: cleared")


class AlarmEvent(models.TextChoices):
    """What a delivery tells of; a webhook gets it as `type`."""

    RAISED = "alarm.raised", _("Alarm raised")
    CLEARED = "alarm.cleared", _("Alarm cleared")
    TEST = "alarm.test", _("Test")


class AlarmDeliveryQuerySet(models.QuerySet["AlarmDelivery"]):
    def due(self, now: datetime) -> AlarmDeliveryQuerySet:
        """Also what waits for longer than anything may: its time comes from a clock that was ahead."""
        is_due = Q(due_at__lte=now) | Q(due_at__gt=now + 2 * LONGEST_WAIT)
        return self.filter(is_due, state=AlarmDeliveryState.WAITING).order_by("due_at", "pk")


class AlarmDelivery(models.Model):
    """One message to one contact about one alarm or several. Its text is frozen when it is created."""

    # a receiver knows a repetition by it
    delivery_id = models.UUIDField(default=uuid.uuid4, unique=True)
    contact = models.ForeignKey(AlarmContact, on_delete=models.SET_NULL, null=True, related_name="deliveries")
    contact_name = models.CharField(max_length=80)
    channel = models.CharField(max_length=10, choices=Channel)
    address = models.CharField(max_length=300)
    event = models.CharField(max_length=20, choices=AlarmEvent, default=AlarmEvent.RAISED)
    # none: a test that a supervisor has sent
    alarms = models.ManyToManyField(Alarm, related_name="deliveries")
    title = models.CharField(max_length=200)
    text = models.TextField()
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=AlarmDeliveryState, default=AlarmDeliveryState.WAITING)
    created_at = models.DateTimeField()
    # the next attempt; while one is under way, when its lease expires
    due_at = models.DateTimeField(db_index=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    # also by an attempt whose answer was lost, or that ended with its process
    may_have_arrived = models.BooleanField(default=False)
    last_error = models.JSONField(default=dict, blank=True)
    settled_at = models.DateTimeField(null=True)

    objects = AlarmDeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "alarm deliveries"

    def __str__(self) -> str:
        return f"{self.title} to {self.contact_name}"

    def request_ids(self) -> list[str]:
        """Of the requests that raised its alarms; none of those that a task has found."""
        ids = self.alarms.order_by().exclude(request_id="").values_list("request_id", flat=True)
        return sorted(set(ids))
