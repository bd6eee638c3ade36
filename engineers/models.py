"""People: who may log in, who does the work, when they work, and what their phones have said."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    SUPERVISOR = "supervisor", _("Supervisor")
    DISPATCHER = "dispatcher", _("Dispatcher")
    ENGINEER = "engineer", _("Engineer")


class PeopleManager(UserManager["User"]):
    """`createsuperuser` makes somebody who can work at once: a supervisor."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **given: Any
    ) -> User:
        return super().create_superuser(username, email, password, **{"role": Role.SUPERVISOR, **given})


class User(AbstractUser):
    """A person who logs in. The role decides which door opens: board or phone."""

    role = models.CharField(max_length=12, choices=Role, default=Role.ENGINEER)
    # empty: as the browser says
    language = models.CharField(max_length=10, blank=True)
    # somebody else knows it: a supervisor gave it
    must_change_password = models.BooleanField(default=False, editable=False)

    objects: ClassVar[PeopleManager] = PeopleManager()

    @property
    def is_office(self) -> bool:
        return self.role in {Role.SUPERVISOR, Role.DISPATCHER}

    @property
    def display_name(self) -> str:
        return self.get_full_name() or self.username


class Skill(models.Model):
    """Something that not every engineer may do; a property flag can ask for it."""

    code = models.SlugField(unique=True)
    name = models.CharField(max_length=80)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class EngineerQuerySet(models.QuerySet["Engineer"]):
    def active(self) -> EngineerQuerySet:
        return self.filter(user__is_active=True)

    def with_skills(self, codes: set[str]) -> EngineerQuerySet:
        """Those who have every one of these skills."""
        found = self
        for code in sorted(codes):
            found = found.filter(skills__code=code)
        return found


class Engineer(models.Model):
    """Someone who visits premises. `staff_number` is what the seller knows an engineer by."""

    user = models.OneToOneField(User, on_delete=models.PROTECT, related_name="engineer")
    staff_number = models.CharField(max_length=20, unique=True)
    phone = models.CharField(max_length=30)
    home_latitude = models.FloatField(null=True, blank=True)
    home_longitude = models.FloatField(null=True, blank=True)
    # since when positions may be kept while driving; the engineer's own choice
    shares_position_since = models.DateTimeField(null=True, blank=True, editable=False)
    skills = models.ManyToManyField(Skill, blank=True, related_name="engineers")

    objects = EngineerQuerySet.as_manager()

    class Meta:
        ordering = ["user__first_name", "user__last_name", "staff_number"]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return self.user.display_name


class Weekday(models.IntegerChoices):
    MONDAY = 0, _("Monday")
    TUESDAY = 1, _("Tuesday")
    WEDNESDAY = 2, _("Wednesday")
    THURSDAY = 3, _("Thursday")
    FRIDAY = 4, _("Friday")
    SATURDAY = 5, _("Saturday")
    SUNDAY = 6, _("Sunday")


class Shift(models.Model):
    """A weekly pattern in the site's own zone: on that weekday from `starts` to `ends`."""

    engineer = models.ForeignKey(Engineer, on_delete=models.CASCADE, related_name="shifts")
    weekday = models.PositiveSmallIntegerField(choices=Weekday)
    starts = models.TimeField()
    ends = models.TimeField()

    class Meta:
        ordering = ["weekday", "starts"]
        constraints = [
            models.CheckConstraint(
                condition=Q(starts__lt=models.F("ends")), name="shift_starts_before_it_ends"
            ),
            models.UniqueConstraint("engineer", "weekday", "starts", name="shift_once_per_start"),
        ]

    def __str__(self) -> str:
        return f"{self.get_weekday_display()} {self.starts:%H:%M}–{self.ends:%H:%M}"


class AbsenceQuerySet(models.QuerySet["Absence"]):
    def overlapping(self, *, start: datetime, end: datetime) -> AbsenceQuerySet:
        return self.filter(starts_at__lt=end, ends_at__gt=start)


class Absence(models.Model):
    """Time in which an engineer does not work although the shift says so."""

    engineer = models.ForeignKey(Engineer, on_delete=models.CASCADE, related_name="absences")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    reason = models.CharField(max_length=120, blank=True)

    objects = AbsenceQuerySet.as_manager()

    class Meta:
        ordering = ["starts_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(starts_at__lt=models.F("ends_at")), name="absence_starts_before_it_ends"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.engineer}: {self.starts_at:%d %b %H:%M} to {self.ends_at:%d %b %H:%M}"


class LastPosition(models.Model):
    """Where an engineer's phone last said it was, at a state of a job. Replaced, never a trail."""

    engineer = models.OneToOneField(Engineer, on_delete=models.CASCADE, related_name="last_position")
    latitude = models.FloatField()
    longitude = models.FloatField()
    accuracy_metres = models.FloatField(null=True)
    taken_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.engineer} at {self.taken_at:%H:%M}"


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
    """One thing that a phone said, kept for ever with what became of it. The id is the phone's own UUID."""

    message_id = models.UUIDField(primary_key=True)
    engineer = models.ForeignKey(Engineer, on_delete=models.PROTECT, related_name="phone_messages")
    kind = models.CharField(max_length=40)
    # a plain number: people know nothing of jobs (imports point down)
    provider_job_id = models.CharField(max_length=36, blank=True, db_index=True)
    body = models.JSONField()
    body_sha256 = models.CharField(max_length=64)
    # by our clock; `body` keeps what the phone said, `clock_ahead_seconds` the difference
    occurred_at = models.DateTimeField()
    clock_ahead_seconds = models.IntegerField(default=0)
    received_at = models.DateTimeField()
    outcome = models.CharField(max_length=10, choices=PhoneOutcome)
    answer = models.JSONField()
    # since when `body` is empty (engineers.retention); id and hash stay, so that a repetition is known
    purged_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["received_at"]

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
    """A timer that an engineer who works alone has set: without a word by `due_at` the office is alarmed."""

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


class AuditEntry(models.Model):
    """Who changed what, where it is not about one job (a job's own audit is its events)."""

    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=120)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    recorded_at = models.DateTimeField()

    class Meta:
        ordering = ["-recorded_at", "-pk"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"
