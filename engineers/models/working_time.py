"""When an engineer works: shifts of every week or of two weeks in turn, single days that differ, and absences."""

from __future__ import annotations

from datetime import date, datetime

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from engineers.models.people import Engineer


class Weekday(models.IntegerChoices):
    MONDAY = 0, _("Monday")
    TUESDAY = 1, _("Tuesday")
    WEDNESDAY = 2, _("Wednesday")
    THURSDAY = 3, _("Thursday")
    FRIDAY = 4, _("Friday")
    SATURDAY = 5, _("Saturday")
    SUNDAY = 6, _("Sunday")


class RotaWeek(models.IntegerChoices):
    """Which weeks a shift belongs to. Weeks A and B alternate for ever, whatever year they lie in."""

    EVERY = 0, _("Every week")
    A = 1, _("Week A")
    B = 2, _("Week B")


class Shift(models.Model):
    """A pattern in the site's own zone: from `starts` on that weekday of those weeks to `ends`, which is on the
    next day where it is the earlier time of day. A break is the gap between two shifts of a day (engineers.shifts).

    Counts from `starts_on` to `ends_on`, both included; empty means without such a limit (engineers.rota)."""

    engineer = models.ForeignKey(Engineer, on_delete=models.CASCADE, related_name="shifts")
    week = models.PositiveSmallIntegerField(choices=RotaWeek, default=RotaWeek.EVERY)
    weekday = models.PositiveSmallIntegerField(choices=Weekday)
    starts = models.TimeField()
    ends = models.TimeField(help_text=_("A time before the start means the next day."))
    starts_on = models.DateField(null=True, blank=True)
    ends_on = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["week", "weekday", "starts"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(starts=F("ends")),
                name="shift_has_a_length",
                violation_error_message=_("The end must differ from the start."),
            ),
            models.UniqueConstraint(
                *("engineer", "week", "weekday", "starts"),
                condition=Q(ends_on=None),
                name="shift_once_per_start",
            ),
            models.CheckConstraint(
                condition=Q(starts_on=None) | Q(ends_on=None) | Q(starts_on__lte=F("ends_on")),
                name="shift_begins_before_it_ends",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_weekday_display()} {self.starts:%H:%M}–{self.ends:%H:%M}"

    def counts_on(self, day: date) -> bool:
        """Whether the pattern of that day has this shift, whatever its weekday."""
        has_begun = self.starts_on is None or self.starts_on <= day
        return has_begun and (self.ends_on is None or day <= self.ends_on)


class ShiftException(models.Model):
    """One day that differs from the pattern: other hours, or none when both are empty."""

    engineer = models.ForeignKey(Engineer, on_delete=models.CASCADE, related_name="shift_exceptions")
    day = models.DateField()
    starts = models.TimeField(null=True, blank=True)
    ends = models.TimeField(null=True, blank=True)

    class Meta:
        ordering = ["day"]
        constraints = [
            models.UniqueConstraint("engineer", "day", name="shift_exception_once_per_day"),
            models.CheckConstraint(
                # a database takes a check whose result is null for kept
                condition=Q(starts=None, ends=None)
                | (Q(starts__isnull=False, ends__isnull=False) & ~Q(starts=F("ends"))),
                name="shift_exception_has_a_length",
            ),
        ]

    def __str__(self) -> str:
        hours = f"{self.starts:%H:%M}–{self.ends:%H:%M}" if self.starts and self.ends else "not working"
        return f"{self.engineer}: {self.day} {hours}"


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
                condition=Q(starts_at__lt=F("ends_at")), name="absence_starts_before_it_ends"
            ),
            models.UniqueConstraint("engineer", "starts_at", "ends_at", name="absence_once_per_times"),
        ]

    def __str__(self) -> str:
        return f"{self.engineer}: {self.starts_at:%d %b %H:%M} to {self.ends_at:%d %b %H:%M}"
