"""The board of one day as frozen values, read with a fixed number of queries however long the day is."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from board import formatting
from board.day.day_data import DayData, load_day
from board.day.timeline import Axis, GridPosition, Tick, build_axis
from board.formatting import RiskWord, StateBadge
from dispatch.availability import occupied_window
from dispatch.display_errors import build_or_replace
from dispatch.models import Job, Visit
from dispatch.plan_versions import plan_version
from dispatch.risk import Level, assess_risk
from dispatch.skills import Flag
from dispatch.states import EventKind, JobState, is_legal
from engineers.models import Absence, Engineer
from engineers.shifts import Window

# an ended visit frees its time, but its card must stay readable
MIN_CARD_MINUTES = timedelta(minutes=45)


@dataclass(frozen=True)
class Card:
    """One job on the board; `place` and `row` only for a job that lies in a lane."""

    job_id: str
    title: str
    kind: str
    window: str
    length: str
    flags: list[Flag]
    look: StateBadge
    risk: RiskWord
    needs_location: bool
    reported_late: bool
    wants_hand_over: bool
    can_move: bool
    window_place: GridPosition | None
    minutes: int
    version: str
    planned: str = ""
    place: GridPosition | None = None
    row: int = 0


@dataclass(frozen=True)
class Block:
    """A stretch of a lane: at work, or away with its reason."""

    place: GridPosition
    words: str = ""


@dataclass(frozen=True)
class Lane:
    """One engineer's day. `to_reassign`: open jobs of an engineer who does not work on this day."""

    staff_number: str
    name: str
    skills: str
    shifts: list[Block]
    absences: list[Block]
    cards: list[Card]
    depth: int
    booked: str
    at_work: str
    booked_minutes: int
    at_work_minutes: int
    to_reassign: int


@dataclass(frozen=True)
class Board:
    """Everything that the page of a day prints."""

    day: date
    day_words: str
    previous: date
    next: date
    today: date
    axis_start: datetime
    quarters: int
    ticks: list[Tick]
    now: int | None
    unassigned: list[Card]
    lanes: list[Lane]
    waiting_elsewhere: int
    needing_location: int
    at_risk: int
    legend: list[StateBadge]

    @property
    def is_empty(self) -> bool:
        return not self.unassigned and not any(lane.cards for lane in self.lanes)


def build_board(day: date, *, now: datetime, today: date) -> Board:
    """The board of a day as it stands at `now`; ten queries."""
    data = load_day(day, now=now)
    axis = build_axis(day, _occupied_spans(data))
    unplaced = [_card(job, visit=None, axis=axis, data=data) for job in data.waiting]
    lanes = [_lane(engineer, axis=axis, data=data) for engineer in data.engineers]
    cards = unplaced + [card for lane in lanes for card in lane.cards]
    return Board(
        day=day,
        day_words=formatting.format_day(day),
        previous=day - timedelta(days=1),
        next=day + timedelta(days=1),
        today=today,
        axis_start=axis.start,
        quarters=axis.quarters,
        ticks=axis.ticks,
        now=axis.step(now),
        unassigned=unplaced,
        lanes=lanes,
        waiting_elsewhere=Job.objects.unassigned().count() - len(unplaced),
        needing_location=Job.objects.needing_location().count(),
        at_risk=sum(card.risk.slug == Level.ALARM for card in cards),
        legend=formatting.legend(),
    )


def _occupied_spans(data: DayData) -> list[Window]:
    worked = [window for windows in data.worked_of.values() for window in windows]
    return worked + [visit.span for visit in data.visits]


def _card(job: Job, *, visit: Visit | None, axis: Axis, data: DayData) -> Card:
    def full() -> Card:
        return _full_card(job, visit=visit, axis=axis, data=data)

    def broken(reason: str) -> Card:
        return _broken_card(job, reason, place=axis.place(visit.span) if visit else None)

    return build_or_replace(job, full, broken)


def _broken_card(job: Job, reason: str, *, place: GridPosition | None) -> Card:
    """Only the number, the state and why there is no more."""
    return Card(
        job_id=job.provider_job_id,
        title=job.provider_job_id,
        kind="",
        window="",
        length="",
        flags=[],
        look=formatting.BROKEN_BADGE,
        risk=formatting.broken_risk_word(reason),
        needs_location=False,
        reported_late=False,
        wants_hand_over=False,
        can_move=False,
        window_place=None,
        minutes=0,
        version="",
        place=place,
    )


def _full_card(job: Job, *, visit: Visit | None, axis: Axis, data: DayData) -> Card:
    return Card(
        job_id=job.provider_job_id,
        title=job.postcode or job.provider_job_id,
        kind=formatting.job_type_label(job),
        window=formatting.format_window(job),
        length=formatting.format_duration(job.duration),
        flags=formatting.job_flags(job),
        look=formatting.state_badge(job, data.closings.get(job.pk)),
        risk=formatting.build_risk_word(assess_risk(job=job, visit=visit, now=data.now)),
        needs_location=job.needs_location and job.is_open,
        reported_late=job.pk in data.late,
        wants_hand_over=job.pk in data.wished,
        can_move=_can_move(job),
        window_place=axis.place(job.window),
        minutes=job.duration_minutes,
        version=plan_version(visit),
        planned=formatting.format_span(visit.span) if visit else "",
        place=axis.place(visible_span(visit)) if visit else None,
    )


def _can_move(job: Job) -> bool:
    """By hand on the board. Who is on site is taken off there by no slip of a mouse, only on the job's page."""
    return is_legal(EventKind.ENGINEER_ASSIGNED, state=JobState(job.state)) and job.state != JobState.ON_SITE


def visible_span(visit: Visit) -> Window:
    """The time that the visit really holds, and never too short to be read."""
    held = occupied_window(visit)
    return Window(held.start, max(held.end, min(visit.planned_end, held.start + MIN_CARD_MINUTES)))


def _lane(engineer: Engineer, *, axis: Axis, data: DayData) -> Lane:
    own = data.visits_of.get(engineer.pk, [])
    worked = data.worked_of[engineer.pk]
    cards = stack_cards([_card(visit.job, visit=visit, axis=axis, data=data) for visit in own])
    booked = sum((occupied_minutes(visit) for visit in own), timedelta())
    at_work = sum((window.length for window in worked), timedelta())
    return Lane(
        staff_number=engineer.staff_number,
        name=engineer.name,
        skills=", ".join(skill.name for skill in engineer.skills.all()),
        shifts=_blocks(axis, [(window, "") for window in worked]),
        absences=_blocks(axis, [(_absent(away), away.reason) for away in engineer.absences.all()]),
        cards=cards,
        depth=max((card.row + 1 for card in cards), default=1),
        booked=formatting.format_duration(booked),
        at_work=formatting.format_duration(at_work),
        booked_minutes=_minutes(booked),
        at_work_minutes=_minutes(at_work),
        to_reassign=0 if at_work else sum(visit.job.is_open for visit in own),
    )


def occupied_minutes(visit: Visit) -> timedelta:
    """Booked time; nothing for a job that the seller took back, nor for one ended before it began."""
    if visit.job.state == JobState.CANCELLED:
        return timedelta()
    return max(occupied_window(visit).length, timedelta())


def _absent(absence: Absence) -> Window:
    return Window(absence.starts_at, absence.ends_at)


def _blocks(axis: Axis, spans: Iterable[tuple[Window, str]]) -> list[Block]:
    placed = [(axis.place(span), text) for span, text in spans]
    return [Block(place, text) for place, text in placed if place]


def _minutes(span: timedelta) -> int:
    return int(span.total_seconds()) // 60


def stack_cards(cards: Iterable[Card]) -> list[Card]:
    """Cards that would lie on each other (a cancelled job and its successor) get rows of their own."""
    ends: list[int] = []
    laid: list[Card] = []
    for card in cards:
        if card.place is None:
            continue
        row = next((row for row, end in enumerate(ends) if end <= card.place.start), len(ends))
        ends[row:] = [card.place.end, *ends[row + 1 :]]
        laid.append(replace(card, row=row))
    return laid
