"""The page of one engineer: details, the rota of a month, absences, and where the engineer is signed in."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.http import QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from board import formatting
from board.people.access_panel import AccessPanel, build_access_panel, engineer_addresses
from board.people.engineer_list import (
    SkillBadge,
    TodayState,
    last_seen,
    skill_badges,
    state_on,
    with_rota,
)
from board.people.rota_forms import AbsenceForm, ExceptionForm, write_versions
from dispatch.driving.travel import home_coordinates
from engineers.models import Absence, CalendarFeed, Engineer, Right, RotaWeek, User, Weekday
from engineers.rota import exception_hours
from engineers.shifts import TimeSpan, rota_week
from engineers.sign_in.devices import SignedInDevice, list_devices
from engineers.working_hours import hours_by_day, planned_shifts, write_hours
from engineers.working_time_limits import limits_of

WEEKS_SHOWN = 6
MAX_MONTHS_AWAY = timedelta(days=3653)


@dataclass(frozen=True)
class CalendarDay:
    """One cell; `note` says why the day differs from the pattern."""

    day: str
    number: int
    state: TodayState
    is_this_month: bool
    is_today: bool
    is_exception: bool


@dataclass(frozen=True)
class CalendarWeek:
    label: str
    days: list[CalendarDay]


@dataclass(frozen=True)
class MonthCalendar:
    title: str
    weekdays: list[str]
    weeks: list[CalendarWeek]
    previous: str
    following: str


@dataclass(frozen=True)
class AbsenceLine:
    """`reason`: only for whoever may read it."""

    pk: int
    text: str
    reason: str


@dataclass(frozen=True)
class DifferingDay:
    """A day as the address of a form has it, and in words; `seen` as ExceptionForm has it."""

    day: str
    text: str
    seen: str


@dataclass(frozen=True)
class EngineerPage:
    """`facts` are (label, value); `access` only for supervisors."""

    pk: int
    staff_number: str
    name: str
    is_active: bool
    facts: list[tuple[str, str]]
    phone: str
    skills: list[SkillBadge]
    patterns: list[tuple[str, list[tuple[str, str]]]]
    today: TodayState
    calendar: MonthCalendar
    absences: list[AbsenceLine]
    exceptions: list[DifferingDay]
    access: AccessPanel | None
    feed: str
    absence_form: AbsenceForm
    exception_form: ExceptionForm


def month_of(query: QueryDict) -> date:
    """The first day of the month of `?month=2026-11`, otherwise of this one."""
    today = timezone.localdate()
    try:
        asked = parse_date(f"{query.get('month', '')}-01")
    except ValueError:
        asked = None
    if asked is None or abs(asked - today) > MAX_MONTHS_AWAY:
        return today.replace(day=1)
    return asked


def build_engineer_page(
    pk: int,
    *,
    month: date,
    by: User,
    absence_form: AbsenceForm | None = None,
    exception_form: ExceptionForm | None = None,
) -> EngineerPage:
    """Raises Engineer.DoesNotExist."""
    first = month - timedelta(days=month.weekday())
    engineer = next(
        iter(with_rota(Engineer.objects.in_scope().filter(pk=pk), on=first, days=7 * WEEKS_SHOWN)), None
    )
    if engineer is None:
        raise Engineer.DoesNotExist
    today = timezone.localdate()
    devices = list_devices([engineer.user_id]).get(engineer.user_id, [])
    seen = last_seen(engineer, devices)
    return EngineerPage(
        pk=engineer.pk,
        staff_number=engineer.staff_number,
        name=engineer.name,
        is_active=engineer.user.is_active,
        facts=_facts(engineer, seen, by=by),
        phone=engineer.phone,
        skills=skill_badges(engineer, today=today),
        patterns=_patterns(engineer),
        today=state_on(next(iter(with_rota(Engineer.objects.filter(pk=pk), on=today))), today),
        calendar=_calendar(engineer, month, first, today),
        absences=_absence_lines(engineer, by=by),
        exceptions=_exception_lines(engineer, today),
        access=_access(engineer, devices, by=by) if by.may(Right.CHANGE_PEOPLE) else None,
        feed=_feed_text(engineer),
        absence_form=absence_form or AbsenceForm(engineer=engineer),
        exception_form=exception_form
        or ExceptionForm(initial={"seen": write_versions(engineer.shift_exceptions.all())}),
    )


def _feed_text(engineer: Engineer) -> str:
    """Empty without a calendar address."""
    feed = CalendarFeed.objects.filter(engineer=engineer).first()
    if feed is None:
        return ""
    if feed.last_read_at is None:
        return _("Created %(at)s, not read yet.") % {"at": formatting.format_moment(feed.created_at)}
    return _("Last read %(at)s.") % {"at": formatting.format_moment(feed.last_read_at)}


def _access(engineer: Engineer, devices: list[SignedInDevice], *, by: User) -> AccessPanel:
    return build_access_panel(
        engineer.user,
        devices,
        engineer_addresses(engineer.pk, engineer.user_id),
        by=by,
        notices=engineer.push_subscriptions.count(),
    )


def _facts(engineer: Engineer, seen: datetime | None, *, by: User) -> list[tuple[str, str]]:
    limits = limits_of(engineer)
    hours = [
        _("%(hours)d h a day") % {"hours": limits.per_day} if limits.per_day else "",
        _("%(hours)d h a week") % {"hours": limits.per_week} if limits.per_week else "",
        _("%(hours)d h of rest") % {"hours": limits.rest} if limits.rest else "",
    ]
    return [
        (_("User name"), engineer.user.username),
        (_("Staff number"), engineer.staff_number),
        (_("E-mail"), engineer.user.email or _("Not entered")),
        (_("Areas"), _areas(engineer)),
        (_("Home location"), _home(engineer, by=by) or _("Not entered")),
        (_("Working-time limits"), ", ".join(filter(None, hours)) or _("None")),
        (_("Phone last seen"), formatting.format_moment(seen) if seen else _("Never")),
    ]


def _home(engineer: Engineer, *, by: User) -> str:
    """Where somebody lives is for whoever enters it; empty where nobody has."""
    position = home_coordinates(engineer)
    home = engineer.home_address or (formatting.format_degrees(*position) if position else "")
    return home if by.may(Right.CHANGE_PEOPLE) or not home else _("Entered")


def _areas(engineer: Engineer) -> str:
    main, *further = engineer.area_names or [_("No area")]
    return ", ".join([_("%(area)s (main area)") % {"area": main}, *further]) if further else main


def _patterns(engineer: Engineer) -> list[tuple[str, list[tuple[str, str]]]]:
    """(week, its (weekday, hours)) for each week of the pattern."""
    hours = hours_by_day(planned_shifts(engineer.shifts.all()))
    is_two_weeks = any(week != RotaWeek.EVERY for week, _day in hours)
    weeks = (RotaWeek.A, RotaWeek.B) if is_two_weeks else (RotaWeek.EVERY,)
    return [
        (
            str(week.label),
            [
                (
                    str(day.label),
                    write_hours(sorted({*hours.get((RotaWeek.EVERY, day), ()), *hours.get((week, day), ())}))
                    or "–",
                )
                for day in Weekday
            ],
        )
        for week in weeks
    ]


def _calendar(engineer: Engineer, month: date, first: date, today: date) -> MonthCalendar:
    exceptions = {exception.day for exception in engineer.shift_exceptions.all()}
    is_two_weeks = any(shift.week != RotaWeek.EVERY for shift in planned_shifts(engineer.shifts.all()))
    weeks = []
    for week in range(WEEKS_SHOWN):
        monday = first + timedelta(days=7 * week)
        if week and monday.month != month.month:
            break
        days = [monday + timedelta(days=offset) for offset in range(7)]
        cells = [
            CalendarDay(
                day=day.isoformat(),
                number=day.day,
                state=state_on(engineer, day),
                is_this_month=day.month == month.month,
                is_today=day == today,
                is_exception=day in exceptions,
            )
            for day in days
        ]
        weeks.append(CalendarWeek(str(rota_week(monday).label) if is_two_weeks else "", cells))
    return MonthCalendar(
        title=date_format(month, "F Y"),
        weekdays=[date_format(first + timedelta(days=offset), "D") for offset in range(7)],
        weeks=weeks,
        previous=f"{month - timedelta(days=1):%Y-%m}",
        following=f"{month + timedelta(days=31):%Y-%m}",
    )


def _absence_lines(engineer: Engineer, *, by: User) -> list[AbsenceLine]:
    """Those that are not over. The form says that only supervisors see the reason, so it needs a right that only they
    have as shipped: whoever enters absences need not read those of colleagues."""
    may_read_reason = by.may(Right.CHANGE_PEOPLE)
    rows = Absence.objects.filter(engineer=engineer, ends_at__gt=timezone.now())
    return [
        AbsenceLine(
            row.pk,
            formatting.format_days(TimeSpan(row.starts_at, row.ends_at)),
            row.reason if may_read_reason else "",
        )
        for row in rows
    ]


def _exception_lines(engineer: Engineer, today: date) -> list[DifferingDay]:
    return [
        DifferingDay(
            row.day.isoformat(),
            f"{formatting.format_day(row.day)}: {write_hours(exception_hours(row)) or _('Not working')}",
            write_versions([row]),
        )
        for row in engineer.shift_exceptions.all()
        if row.day >= today
    ]
