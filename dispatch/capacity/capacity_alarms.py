"""Warnings before the day: half days for which somebody must add time, move visits or ask the seller."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.conf import settings
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from dispatch.capacity.capacity_reader import Capacity, read_capacity, tomorrow
from dispatch.capacity.half_days import DayPart, HalfDay
from dispatch.capacity.workload import AreaKey
from dispatch.skills import skill_name
from engineers.moment_texts import format_day, format_duration
from monitoring import alarms, coded_texts
from monitoring.coded_texts import CodedText, coded_text
from monitoring.models import AlarmKind


@dataclass(frozen=True)
class Shortage:
    """The jobs of one area and half day for which nobody has time, all for the same reason: a skill, the lead time, or
    neither."""

    half: HalfDay
    area: AreaKey
    area_name: str
    skill: str
    jobs: int
    minutes: int
    is_too_early: bool = False

    @property
    def subject(self) -> str:
        reason = "lead time" if self.is_too_early else self.skill
        return f"{self.half.day}:{self.half.part}:{self.area or ''}:{reason}"

    @property
    def text(self) -> CodedText:
        parameters = {
            "part": str(self.half.part),
            "day_on": self.half.day.isoformat(),
            "area": self.area_name,
            "jobs": self.jobs,
            "short_minutes": self.minutes,
        }
        if self.is_too_early:
            return coded_text("capacity_lead_time_short", **parameters)
        if self.skill:
            return coded_text("capacity_skill_short", **parameters, skill=self.skill)
        return coded_text("capacity_short", **parameters)


def list_shortages(capacity: Capacity) -> list[Shortage]:
    """In the order of the half days. A job counts once, for the reason why nobody has time."""
    found: dict[tuple[int, AreaKey, str, bool], list[int]] = {}
    for counted in capacity.figures.unfitted:
        index = capacity.horizon.index_at(counted.starts)
        key = (index, counted.job.area, counted.lacking, counted.job.is_too_early)
        found.setdefault(key, []).append(counted.job.minutes)
    return [
        Shortage(
            half=capacity.horizon.half_days[index],
            area=area,
            area_name=capacity.areas[area] if area else "",
            skill=skill,
            jobs=len(minutes),
            minutes=sum(minutes),
            is_too_early=is_too_early,
        )
        for (index, area, skill, is_too_early), minutes in sorted(
            found.items(), key=lambda item: (item[0][0], str(item[0]))
        )
    ]


def watch_capacity() -> None:
    """One alarm for each area, half day and reason that lacks CAPACITY_WARNING_MINUTES or more within the next
    CAPACITY_WARNING_DAYS; what is no longer short, or no longer ahead, is cleared."""
    known = alarms.known_alarms(AlarmKind.CAPACITY_SHORT)
    capacity = read_capacity(tomorrow())
    last = tomorrow() + timedelta(days=settings.CAPACITY_WARNING_DAYS - 1)
    shortages = [
        shortage for shortage in list_shortages(capacity) if _should_warn(shortage, capacity, last=last)
    ]
    texts = {shortage.subject: shortage.text for shortage in shortages}
    alarms.replace_alarms(AlarmKind.CAPACITY_SHORT, texts, known=known[AlarmKind.CAPACITY_SHORT])


def _should_warn(shortage: Shortage, capacity: Capacity, *, last: date) -> bool:
    # where every engineer has an area, a job without one lacks a postcode in an area, and no time
    is_about_time = shortage.area is not None or capacity.has_engineers_without_area
    is_large = shortage.minutes >= settings.CAPACITY_WARNING_MINUTES
    return is_about_time and is_large and shortage.half.day <= last


def register_displays() -> None:
    """How the parameters of these alarms read."""
    coded_texts.register_display("area", lambda name: name or _("No area"))
    coded_texts.register_display("day_on", _display_day)
    coded_texts.register_display("part", lambda part: str(DayPart(part).label))
    coded_texts.register_display("short_minutes", lambda minutes: format_duration(timedelta(minutes=minutes)))
    coded_texts.register_display("skill", skill_name)


def _display_day(text: str) -> str:
    day = parse_date(text)
    return format_day(day) if day else text
