"""The rows of the board: an engineer's day with shifts, absences, cards and the drives between them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from board import formatting
from board.day.card_presenter import build_card
from board.day.cards import Card, stack_cards
from board.day.day_data import DayData
from board.day.timeline import Axis, GridPosition
from dispatch.availability import occupied_span
from dispatch.forecast import GRACE, planned_travel
from dispatch.models import Visit
from dispatch.risk import Level
from dispatch.skills import skill_label
from dispatch.states import BEFORE_ARRIVAL, JobState
from engineers.models import Engineer
from engineers.shifts import TimeSpan, absence_spans, clip

# shorter drives than this are not drawn: next door
MIN_LEG = timedelta(minutes=1)


@dataclass(frozen=True)
class Block:
    """A stretch of a lane: at work, at a break, or away; `text` says from when to when."""

    cell: GridPosition
    text: str


@dataclass(frozen=True)
class Leg:
    """A drive, in per cent of the axis; `is_tight` when the plan leaves too little time for it."""

    start: float
    end: float
    minutes: int
    is_tight: bool


@dataclass(frozen=True)
class LaneStatus:
    """How an engineer's day goes, in words; `is_trouble` is printed loud."""

    text: str
    is_trouble: bool = False


@dataclass(frozen=True)
class Lane:
    """One engineer's day. `to_reassign`: jobs of an engineer who does not work then, where nobody has arrived yet."""

    staff_number: str
    name: str
    skills: str
    status: LaneStatus
    shifts: list[Block]
    breaks: list[Block]
    absences: list[Block]
    # visits for jobs of areas that whoever looks may not see
    elsewhere: list[Block]
    cards: list[Card]
    # also those of the other half of the day
    all_cards: list[Card]
    legs: list[Leg]
    depth: int
    load: str
    booked_minutes: int
    at_work_minutes: int
    to_reassign: int
    late_minutes: int
    attention: str
    # of the last visit, by the simulated day
    expected_end: str

    @property
    def is_loud(self) -> bool:
        """At least one card has its word on a second line."""
        return any(card.needs_two_lines for card in self.cards)

    @property
    def own_cards(self) -> list[Card]:
        """All but those of visits that the engineer accompanies: each job once on the board."""
        return [card for card in self.all_cards if not card.is_second]


def build_lane(engineer: Engineer, *, axis: Axis, data: DayData) -> Lane:
    own = data.visits_of.get(engineer.pk, [])
    work = data.work_of[engineer.pk]
    all_cards = [
        build_card(visit.job, visit=visit, axis=axis, data=data, engineer=engineer)
        for visit in own
        if visit.pk not in data.hidden
    ]
    cards = stack_cards(all_cards)
    booked = sum((booked_time(visit, day=data.span) for visit in own), timedelta())
    at_work = sum((window.length for window in work.worked), timedelta())
    to_reassign = sum(
        visit.job.state in BEFORE_ARRIVAL and (not at_work or engineer in data.absent_people(visit))
        for visit in own
        if visit.pk not in data.hidden
    )
    late_minutes = _late_minutes(own, data)
    return Lane(
        staff_number=engineer.staff_number,
        name=engineer.name,
        skills=", ".join(map(skill_label, engineer.skills.all())),
        status=_status(
            engineer,
            is_working=bool(at_work),
            to_reassign=to_reassign,
            late_minutes=late_minutes,
            has_jobs=bool(own),
        ),
        shifts=build_blocks(axis, work.attended),
        breaks=build_blocks(axis, work.breaks),
        absences=build_blocks(axis, absence_spans(engineer.absences.all())),
        elsewhere=build_blocks(axis, (visit.span for visit in own if visit.pk in data.hidden)),
        cards=cards,
        all_cards=all_cards,
        legs=_legs(engineer, axis=axis, data=data),
        depth=max((card.row + 1 for card in cards), default=1),
        load=formatting.format_load(booked, at_work),
        booked_minutes=_minutes(booked),
        at_work_minutes=_minutes(at_work),
        to_reassign=to_reassign,
        late_minutes=late_minutes,
        expected_end=_expected_end(engineer, data),
        attention=_attention(engineer, all_cards, data),
    )


def _attention(engineer: Engineer, cards: Iterable[Card], data: DayData) -> str:
    """The engineer's own, or that of a job."""
    found = [data.unhandled.get(engineer.staff_number), *(card.attention for card in cards)]
    return next((text.title for text in found if text), "")


def _expected_end(engineer: Engineer, data: DayData) -> str:
    finish = data.chances.finish_of(engineer.pk)
    return formatting.format_time(finish) if finish else ""


def _late_minutes(visits: Iterable[Visit], data: DayData) -> int:
    """By how much the engineer is behind at the worst of the visits that have not begun."""
    ahead = [
        data.forecasts[visit.pk].late for visit in visits if visit.job.is_open and visit.arrived_at is None
    ]
    late = max(ahead, default=timedelta())
    return _minutes(late) if late > GRACE else 0


def _status(
    engineer: Engineer, *, is_working: bool, to_reassign: int, late_minutes: int, has_jobs: bool
) -> LaneStatus:
    if to_reassign:
        parameters = {
            "why": _away(engineer),
            "jobs": ngettext("%(number)d job to reassign", "%(number)d jobs to reassign", to_reassign)
            % {"number": to_reassign},
        }
        return LaneStatus(_("%(why)s · %(jobs)s") % parameters, is_trouble=True)
    if not is_working:
        return LaneStatus(_away(engineer))
    if late_minutes:
        late = formatting.format_duration(timedelta(minutes=late_minutes))
        return LaneStatus(_("%(time)s late") % {"time": late}, is_trouble=True)
    return LaneStatus(str(Level.NONE.label) if has_jobs else _("No jobs"))


def _away(engineer: Engineer) -> str:
    if not engineer.user.is_active:
        return _("Suspended")
    return _("Absent") if engineer.absences.all() else _("Not working")


def _legs(engineer: Engineer, *, axis: Axis, data: DayData) -> list[Leg]:
    legs = []
    for visit in data.visits_of.get(engineer.pk, []):
        forecast = data.forecast_of(visit, engineer)
        if forecast is None or forecast.travel < MIN_LEG:
            continue
        drive = planned_travel(visit, forecast)
        end = axis.percent(drive.end)
        if end is not None:
            start = axis.percent(max(drive.start, axis.start)) or 0.0
            legs.append(
                Leg(start, end, formatting.drive_minutes(forecast.travel), is_tight=bool(forecast.shortfall))
            )
    return legs


def booked_time(visit: Visit, *, day: TimeSpan) -> timedelta:
    """Of one day; nothing for a job that the seller took back, nor for one ended before it began."""
    if visit.job.state == JobState.CANCELLED:
        return timedelta()
    return sum((span.length for span in clip([occupied_span(visit)], day)), timedelta())


def build_blocks(axis: Axis, spans: Iterable[TimeSpan]) -> list[Block]:
    placed = [(axis.position_of(span), formatting.format_span(span)) for span in spans]
    return [Block(cell, text) for cell, text in placed if cell]


def _minutes(span: timedelta) -> int:
    return int(span.total_seconds()) // 60
