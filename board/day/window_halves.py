"""In which half of the day a job's window lies, for the groups and the filter of the board."""

from datetime import time

from django.db import models
from django.utils.translation import gettext_lazy as _

from engineers.shifts import TimeSpan, local_time

NOON, MORNING_ENDS_BY, EVENING = time(12), time(14), time(19)


class WindowHalf(models.TextChoices):
    MORNING = "morning", _("Morning")
    AFTERNOON = "afternoon", _("Afternoon")
    OTHER = "other", _("Other windows")


def window_half_of(window: TimeSpan) -> WindowHalf:
    start, end = local_time(window.start), local_time(window.end)
    if start.date() != end.date() or end.time() > EVENING:
        return WindowHalf.OTHER
    if end.time() <= MORNING_ENDS_BY:
        return WindowHalf.MORNING
    return WindowHalf.AFTERNOON if start.time() >= NOON else WindowHalf.OTHER
