"""The list of engineers: who works today, whose skills expire, whose phone was seen when."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Prefetch, Q
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from dispatch.skills import skill_label
from engineers.models import Absence, Area, Engineer, HeldSkill, Skill
from engineers.shifts import absence_spans, day_span, hours_of_day, working_spans
from engineers.sign_in.devices import SignedInDevice, list_devices

ACTIVE, ABSENT, EXPIRING, SUSPENDED = "", "absent", "expiring", "suspended"


@dataclass(frozen=True)
class SkillBadge:
    """`tone` is one of "", warning, alarm; `note` says why it is not plain."""

    label: str
    tone: str
    note: str


@dataclass(frozen=True)
class TodayState:
    """What somebody does on one day; `tone` as for SkillBadge."""

    label: str
    tone: str
    is_absent: bool


@dataclass(frozen=True)
class EngineerLine:
    pk: int
    name: str
    staff_number: str
    areas: str
    phone: str
    skills: list[SkillBadge]
    today: TodayState
    seen: str
    is_active: bool

    @property
    def is_expiring(self) -> bool:
        return any(skill.tone for skill in self.skills)


@dataclass(frozen=True)
class PeopleFilter:
    text: str = ""
    area: str = ""
    skill: str = ""
    state: str = ACTIVE

    @classmethod
    def of_query(cls, query: QueryDict) -> "PeopleFilter":
        return cls(*(query.get(name, "").strip()[:100] for name in ("q", "area", "skill", "state")))

    @property
    def is_any(self) -> bool:
        return any((self.text, self.area, self.skill, self.state))


@dataclass(frozen=True)
class PeoplePage:
    """`total` counts the active engineers, whatever is filtered; choices are (value, label)."""

    lines: list[EngineerLine]
    total: int
    filter: PeopleFilter
    areas: list[tuple[str, str]]
    skills: list[tuple[str, str]]
    states: list[tuple[str, str]]


def build_people_page(chosen: PeopleFilter) -> PeoplePage:
    """Eleven queries, however many engineers there are."""
    now = timezone.now()
    devices = list_devices()
    lines = [_line(engineer, devices, now=now) for engineer in _engineers(chosen, now=now)]
    if chosen.state == ABSENT:
        lines = [line for line in lines if line.today.is_absent]
    if chosen.state == EXPIRING:
        lines = [line for line in lines if line.is_expiring]
    return PeoplePage(
        lines=lines,
        total=Engineer.objects.active().in_scope().count(),
        filter=chosen,
        areas=[("", _("All areas")), *((area.name, area.name) for area in Area.objects.in_scope())],
        skills=[("", _("All skills")), *((skill.code, skill_label(skill)) for skill in Skill.objects.all())],
        states=[
            (ACTIVE, _("All active engineers")),
            (ABSENT, _("Absent today")),
            (EXPIRING, _("Skill expiring or expired")),
            (SUSPENDED, _("Suspended")),
        ],
    )


def _engineers(chosen: PeopleFilter, *, now: datetime) -> list[Engineer]:
    found = Engineer.objects.in_scope().filter(user__is_active=chosen.state != SUSPENDED)
    for text in chosen.text.split():
        found = found.filter(
            Q(user__first_name__icontains=text)
            | Q(user__last_name__icontains=text)
            | Q(user__username__icontains=text)
            | Q(staff_number__icontains=text)
            | Q(phone__icontains=text)
        )
    if chosen.area:
        area = Area.objects.filter(name=chosen.area).first()
        found = found.in_area(area.pk) if area else found.none()
    if chosen.skill:
        found = found.filter(held_skills__skill__code=chosen.skill)
    return list(with_rota(found, on=timezone.localtime(now).date()))


def with_rota(found: Iterable[Engineer], *, on: date, days: int = 1) -> Iterable[Engineer]:
    """These engineers with what the pages about people say of them; absences of these days only."""
    span_start, span_end = day_span(on).start, day_span(on + timedelta(days=days - 1)).end
    away = Absence.objects.overlapping(start=span_start, end=span_end)
    return found.select_related("user", "area", "last_position").prefetch_related(  # type: ignore[attr-defined,no-any-return]
        "further_areas",
        Prefetch("held_skills", queryset=HeldSkill.objects.select_related("skill")),
        "shifts",
        "shift_exceptions",
        Prefetch("absences", queryset=away),
    )


def _line(engineer: Engineer, devices: Mapping[int, list[SignedInDevice]], *, now: datetime) -> EngineerLine:
    seen = last_seen(engineer, devices.get(engineer.user_id, []))
    today = timezone.localtime(now).date()
    return EngineerLine(
        pk=engineer.pk,
        name=engineer.name,
        staff_number=engineer.staff_number,
        areas=", ".join(engineer.area_names),
        phone=engineer.phone,
        skills=skill_badges(engineer, today=today),
        today=state_on(engineer, today),
        seen=formatting.format_moment(seen) if seen else "",
        is_active=engineer.user.is_active,
    )


def last_seen(engineer: Engineer, devices: Iterable[SignedInDevice]) -> datetime | None:
    """When a phone or browser of the engineer was last heard of: within an hour by its session, exactly by a
    position."""
    position = getattr(engineer, "last_position", None)
    moments = [device.used_at for device in devices if device.used_at]
    return max([*moments, *([position.taken_at] if position else [])], default=None)


def skill_badges(engineer: Engineer, *, today: date) -> list[SkillBadge]:
    return [skill_badge(held, today) for held in engineer.held_skills.all()]


def skill_badge(held: HeldSkill, today: date) -> SkillBadge:
    label = skill_label(held.skill)
    if held.expires_on is None or held.expires_on > today + timedelta(days=settings.SKILL_WARNING_DAYS):
        return SkillBadge(label, "", "")
    day = formatting.format_day(held.expires_on)
    if held.counts_on(today):
        return SkillBadge(label, "warning", _("until %(day)s") % {"day": day})
    return SkillBadge(label, "alarm", _("expired on %(day)s") % {"day": day})


def state_on(engineer: Engineer, day: date) -> TodayState:
    shifts, exceptions = engineer.shifts.all(), engineer.shift_exceptions.all()
    planned = hours_of_day(shifts=shifts, exceptions=exceptions, day=day)
    worked = working_spans(shifts=shifts, exceptions=exceptions, absences=engineer.absences.all(), day=day)
    hours = ", ".join(formatting.format_span(span) for span in worked)
    away, whole = absence_spans(engineer.absences.all()), day_span(day)
    # some hours of a day off are no absence
    is_absent = any(window.overlaps(whole) if planned else window.contains(whole) for window in away)
    if is_absent:
        text = _("Absent, works %(hours)s") % {"hours": hours} if hours else _("Absent")
        return TodayState(text, "warning", is_absent=True)
    return TodayState(hours or _("Not working"), "", is_absent=False)
