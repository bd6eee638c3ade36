"""What changes an engineer's rota: exceptions and absences on single days, and a new shift pattern, which counts from
today, so that the past stays as it was planned."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from engineers.audit import record_audit
from engineers.models import Absence, AuditEntry, Engineer, Shift, ShiftException, User
from engineers.working_hours import Hours, PlannedShift, planned_shift, write_hours

SET, REMOVED = "shift_exception_set", "shift_exception_removed"
DAY_OFF = "off"


class DayChanged(Exception):
    """Somebody has changed this day since the form was opened. `stored`: its version now; `entry` says who and when, if
    it is known."""

    def __init__(self, stored: str, entry: AuditEntry | None) -> None:
        super().__init__("changed")
        self.stored, self.entry = stored, entry


def day_version(hours: Hours | None) -> str:
    """Of a day that differs: its hours as they are written, or `off`; empty where the pattern counts (None)."""
    return "" if hours is None else write_hours(hours) or DAY_OFF


def exception_hours(exception: ShiftException) -> Hours:
    """None at all on a day off."""
    return ((exception.starts, exception.ends),) if exception.starts and exception.ends else ()


@transaction.atomic
def set_exception(*, engineer: Engineer, day: date, hours: Hours, seen: str, by: User) -> None:
    """These hours on that day instead of the pattern's, none for a day off. The same hours twice change nothing.

    Raises DayChanged when `seen` is not the version that is stored.
    """
    stored = _locked_version(engineer, day)
    if stored == day_version(hours):
        return
    _refuse_changed_day(engineer, day, stored=stored, seen=seen)
    # a row of its own for each change, by which open boards notice it
    ShiftException.objects.filter(engineer=engineer, day=day).delete()
    starts, ends = hours[0] if hours else (None, None)
    ShiftException.objects.create(engineer=engineer, day=day, starts=starts, ends=ends)
    _record(engineer, by, SET, day.isoformat())


@transaction.atomic
def remove_exception(*, engineer: Engineer, day: date, seen: str, by: User) -> None:
    """The pattern counts again on that day. Nothing happens where none was. Raises DayChanged as set_exception does."""
    stored = _locked_version(engineer, day)
    if not stored:
        return
    _refuse_changed_day(engineer, day, stored=stored, seen=seen)
    ShiftException.objects.filter(engineer=engineer, day=day).delete()
    _record(engineer, by, REMOVED, day.isoformat())


def _locked_version(engineer: Engineer, day: date) -> str:
    Engineer.objects.select_for_update(of=("self",)).get(pk=engineer.pk)
    exception = ShiftException.objects.filter(engineer=engineer, day=day).first()
    return day_version(exception_hours(exception) if exception else None)


def _refuse_changed_day(engineer: Engineer, day: date, *, stored: str, seen: str) -> None:
    if stored == seen:
        return
    entries = AuditEntry.objects.filter(
        action__in=[SET, REMOVED], subject=engineer.user.username, after={"day": day.isoformat()}
    )
    raise DayChanged(stored, entries.select_related("actor").first())


class OtherReason(Exception):
    """The absence is stored with another reason; the message says what to do."""


@transaction.atomic
def add_absence(*, engineer: Engineer, starts_at: datetime, ends_at: datetime, reason: str, by: User) -> bool:
    """Whether it is new: the same times twice are one absence, which takes the reason where it had none. The audit does
    not keep the reason. Raises OtherReason."""
    absence, is_new = Absence.objects.get_or_create(
        engineer=engineer, starts_at=starts_at, ends_at=ends_at, defaults={"reason": reason}
    )
    if is_new:
        _record(engineer, by, "absence_added", starts_at.isoformat())
    elif reason not in {"", absence.reason}:
        if not Absence.objects.filter(pk=absence.pk, reason="").update(reason=reason):
            text = _(
                "An absence with these times is stored with another reason. Remove it first to change its reason."
            )
            raise OtherReason(text)
        _record(engineer, by, "absence_reason_added", starts_at.isoformat())
    return is_new


@transaction.atomic
def remove_absence(*, engineer: Engineer, pk: int, by: User) -> None:
    """Nothing happens where it was removed before."""
    absence = Absence.objects.filter(engineer=engineer, pk=pk).first()
    if absence:
        absence.delete()
        _record(engineer, by, "absence_removed", absence.starts_at.isoformat())


def _record(engineer: Engineer, by: User, action: str, day: str) -> None:
    record_audit(actor=by, action=action, subject=engineer.user.username, after={"day": day})


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
