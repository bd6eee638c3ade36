"""What changes an engineer's rota: exceptions and absences on single days, and a new shift pattern, which counts from
today, so that the past stays as it was planned."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from engineers import staff
from engineers.models import Absence, Engineer, Shift, ShiftException, User
from engineers.working_hours import Hours, PlannedShift, planned_shift


@transaction.atomic
def set_exception(*, engineer: Engineer, day: date, hours: Hours, by: User) -> ShiftException:
    """These hours on that day instead of the pattern's, none for a day off. A later one for the day replaces it."""
    starts, ends = hours[0] if hours else (None, None)
    exception, _is_new = ShiftException.objects.update_or_create(
        engineer=engineer, day=day, defaults={"starts": starts, "ends": ends}
    )
    _record(engineer, by, "shift_exception_set", day.isoformat())
    return exception


@transaction.atomic
def remove_exception(*, engineer: Engineer, day: date, by: User) -> None:
    """The pattern counts again on that day. Nothing happens where none was."""
    if ShiftException.objects.filter(engineer=engineer, day=day).delete()[0]:
        _record(engineer, by, "shift_exception_removed", day.isoformat())


@transaction.atomic
def add_absence(
    *, engineer: Engineer, starts_at: datetime, ends_at: datetime, reason: str, by: User
) -> Absence:
    """The same times twice are one absence. The audit does not keep the reason."""
    absence, is_new = Absence.objects.get_or_create(
        engineer=engineer, starts_at=starts_at, ends_at=ends_at, defaults={"reason": reason}
    )
    if is_new:
        _record(engineer, by, "absence_added", starts_at.isoformat())
    return absence


@transaction.atomic
def remove_absence(*, engineer: Engineer, pk: int, by: User) -> None:
    """Nothing happens where it was removed before."""
    absence = Absence.objects.filter(engineer=engineer, pk=pk).first()
    if absence:
        absence.delete()
        _record(engineer, by, "absence_removed", absence.starts_at.isoformat())


def _record(engineer: Engineer, by: User, action: str, day: str) -> None:
    staff.record_audit(actor=by, action=action, subject=engineer.user.username, after={"day": day})


def write_pattern(engineer: Engineer, shifts: Iterable[PlannedShift]) -> None:
    """These shifts from today on, none to end the pattern. Call it inside a transaction.

    The export of working times computes past days from the shifts of those days, so what counted until yesterday is
    closed and never deleted.
    """
    today, planned = timezone.localdate(), set(shifts)
    stored = list(engineer.shifts.filter(Q(ends_on=None) | Q(ends_on__gte=today)))
    unchanged = [
        row
        for row in stored
        if row.ends_on is None and row.counts_on(today) and planned_shift(row) in planned
    ]
    replaced = engineer.shifts.filter(pk__in={row.pk for row in stored} - {row.pk for row in unchanged})
    replaced.filter(starts_on__gte=today).delete()
    replaced.update(ends_on=today - timedelta(days=1))
    missing = planned - {planned_shift(row) for row in unchanged}
    Shift.objects.bulk_create(
        Shift(engineer=engineer, starts_on=today, **asdict(shift)) for shift in sorted(missing)
    )
