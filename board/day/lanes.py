"""The rows of the board: an engineer's day with shifts, absences, cards and the drives between them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

from board import formatting
from board.day.card_presenter import build_card
from board.day.cards import Card, stack_cards
from board.day.day_data import DayData
from board.day.lane_status import LaneStatus, build_lane_status
from board.day.timeline import Axis, GridPosition
from dispatch.forecast import planned_travel
from dispatch.models import Visit
from dispatch.occupied_time import occupied_span
from dispatch.skills import skill_label
from dispatch.states import BEFORE_ARRIVAL, ENDED_STATES, JobState
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
    """A drive, in per cent of the axis; `is_tight` when the plan leaves too little time for it, `is_ended` when the
    visit to which it leads is over."""

    start: float
    end: float
    minutes: int
    is_tight: bool
    is_ended: bool


@dataclass(frozen=True)
class Lane:
    """One engineer's day. `to_reassign`: jobs of an engineer who will not be there, where nobody has arrived yet."""

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
    # of the worst card: its level, and the minutes that it is late
    severity: tuple[int, int]
    attention: str
    # of the last visit, by the simulated day
    expected_end: str
    # ended jobs that are not among `cards`
    folded: int = 0

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
    visible = [visit for visit in own if visit.pk not in data.hidden]
    work = data.work_of[engineer.pk]
    all_cards = [
        build_card(visit.job, visit=visit, axis=axis, data=data, engineer=engineer) for visit in visible
    ]
    cards = stack_cards(all_cards)
    booked = sum((booked_time(visit, day=data.span) for visit in own), timedelta())
    at_work = sum((window.length for window in work.worked), timedelta())
    to_reassign = [
        card
        for visit, card in zip(visible, all_cards, strict=True)
        if visit.job.state in BEFORE_ARRIVAL and data.is_left_by(visit, engineer)
    ]
    return Lane(
        staff_number=engineer.staff_number,
        name=engineer.name,
        skills=", ".join(map(skill_label, engineer.skills.all())),
        status=build_lane_status(
            engineer, all_cards, is_working=bool(at_work), to_reassign=to_reassign, has_jobs=bool(own)
        ),
        shifts=build_blocks(axis, work.attended),
        breaks=build_blocks(axis, work.breaks),
        absences=build_blocks(axis, absence_spans(engineer.absences.all())),
        elsewhere=build_blocks(axis, (visit.span for visit in own if visit.pk in data.hidden)),
        cards=cards,
        all_cards=all_cards,
        legs=_legs(engineer, axis=axis, data=data),
        depth=_depth(cards),
        load=formatting.format_load(booked, at_work),
        booked_minutes=_minutes(booked),
        at_work_minutes=_minutes(at_work),
        to_reassign=len(to_reassign),
        severity=max((card.severity for card in all_cards), default=(0, 0)),
        expected_end=_expected_end(engineer, data),
        attention=_attention(engineer, all_cards, data),
    )


def fold_ended(lane: Lane) -> Lane:
    """Without the cards of closed and cancelled jobs, but for those about which somebody must do something."""
    cards = stack_cards(card for card in lane.all_cards if card.is_loud or not card.is_ended)
    return replace(
        lane,
        cards=cards,
        legs=[leg for leg in lane.legs if not leg.is_ended],
        depth=_depth(cards),
        folded=len(lane.cards) - len(cards),
    )


def _depth(cards: Iterable[Card]) -> int:
    return max((card.row + 1 for card in cards), default=1)


def _attention(engineer: Engineer, cards: Iterable[Card], data: DayData) -> str:
    """The engineer's own, or that of a job."""
    found = [data.unhandled.get(engineer.staff_number), *(card.attention for card in cards)]
    return next((text.title for text in found if text), "")


def _expected_end(engineer: Engineer, data: DayData) -> str:
    finish = data.on_time.finish_of(engineer.pk)
    return formatting.format_time(finish) if finish else ""


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
                Leg(
                    start,
                    end,
                    formatting.drive_minutes(forecast.travel),
                    is_tight=bool(forecast.shortfall),
                    is_ended=visit.job.state in ENDED_STATES,
                )
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
