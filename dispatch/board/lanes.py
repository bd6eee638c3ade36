"""The board of one day as frozen values, read with a fixed number of queries however long the day is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from django.db.models import Prefetch, Q

from dispatch import wishes
from dispatch.board import words
from dispatch.board.axis import Axis, Place, Tick, axis_of
from dispatch.board.closings import closed_as
from dispatch.board.words import ClosedAs, Look, RiskWord
from dispatch.booking import taken_span
from dispatch.models import Job, JobEvent, Visit
from dispatch.risk import Level, risk
from dispatch.skills import Flag
from dispatch.states import EventKind, JobState, is_legal
from engineers.models import Absence, Engineer
from engineers.shifts import Window, day_window, working_windows

MARKS = (*wishes.KINDS, EventKind.REPORTED_LATE)
# an ended visit frees its time, but its card must stay readable
SHORTEST_CARD = timedelta(minutes=45)


@dataclass(frozen=True)
class Card:
    """One job on the board; `place` and `row` only for a job that lies in a lane."""

    job_id: str
    title: str
    kind: str
    window: str
    length: str
    flags: list[Flag]
    look: Look
    risk: RiskWord
    needs_location: bool
    reported_late: bool
    wants_hand_over: bool
    can_move: bool
    window_place: Place | None
    minutes: int
    planned: str = ""
    place: Place | None = None
    row: int = 0


@dataclass(frozen=True)
class Block:
    """A stretch of a lane: at work, or away with its reason."""

    place: Place
    words: str = ""


@dataclass(frozen=True)
class Lane:
    """One engineer's day."""

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
    unplaced: list[Card]
    lanes: list[Lane]
    waiting_elsewhere: int
    needing_location: int
    at_risk: int
    legend: list[Look]

    @property
    def is_empty(self) -> bool:
        return not self.unplaced and not any(lane.cards for lane in self.lanes)


@dataclass(frozen=True)
class Reading:
    """What the queries gave, before it is laid out."""

    now: datetime
    waiting: list[Job]
    visits: list[Visit]
    visits_of: Mapping[int, list[Visit]]
    engineers: list[Engineer]
    worked_of: Mapping[int, list[Window]]
    closings: Mapping[int, ClosedAs]
    late: frozenset[int]
    wished: frozenset[int]


def board_of(day: date, *, now: datetime, today: date) -> Board:
    """The board of a day as it stands at `now`; ten queries."""
    reading = _read(day, now=now)
    axis = axis_of(day, _spans(reading))
    unplaced = [_card(job, visit=None, axis=axis, reading=reading) for job in reading.waiting]
    lanes = [_lane(engineer, axis=axis, reading=reading) for engineer in reading.engineers]
    cards = unplaced + [card for lane in lanes for card in lane.cards]
    return Board(
        day=day,
        day_words=words.day_words(day),
        previous=day - timedelta(days=1),
        next=day + timedelta(days=1),
        today=today,
        axis_start=axis.start,
        quarters=axis.quarters,
        ticks=axis.ticks,
        now=axis.step(now),
        unplaced=unplaced,
        lanes=lanes,
        waiting_elsewhere=Job.objects.unplaced().count() - len(unplaced),
        needing_location=Job.objects.needing_location().count(),
        at_risk=sum(card.risk.slug == Level.ALARM for card in cards),
        legend=words.legend(),
    )


def _read(day: date, *, now: datetime) -> Reading:
    span = day_window(day)
    waiting = list(Job.objects.unplaced().on_day(day))
    visits = list(Visit.objects.standing().touching(span).select_related("job"))
    jobs = waiting + [visit.job for visit in visits]
    engineers = _engineers(visits, span=span)
    marks = list(_marks(jobs))
    return Reading(
        now=now,
        waiting=waiting,
        visits=visits,
        visits_of=_by_engineer(visits),
        engineers=engineers,
        worked_of={engineer.pk: _worked(engineer, day=day) for engineer in engineers},
        closings=closed_as(jobs),
        late=frozenset(job for job, kind in marks if kind == EventKind.REPORTED_LATE),
        wished=wishes.wished(marks) & {job.pk for job in jobs if job.is_open},
    )


def _marks(jobs: Iterable[Job]) -> Iterable[tuple[int, str]]:
    """(job, kind) of the events that a card tells of, in each job's order."""
    events = JobEvent.objects.filter(kind__in=MARKS, job__in=[job.pk for job in jobs]).order_by("job", "seq")
    return events.values_list("job_id", "kind")


def _by_engineer(visits: Iterable[Visit]) -> dict[int, list[Visit]]:
    found: dict[int, list[Visit]] = {}
    for visit in visits:
        found.setdefault(visit.engineer_id, []).append(visit)
    return found


def _engineers(visits: Iterable[Visit], *, span: Window) -> list[Engineer]:
    """Who may work, and who is suspended but still holds a visit of the day."""
    shown = Q(user__is_active=True) | Q(pk__in={visit.engineer_id for visit in visits})
    absences = Absence.objects.touching(start=span.start, end=span.end)
    people = Engineer.objects.filter(shown).select_related("user")
    return list(people.prefetch_related("skills", "shifts", Prefetch("absences", queryset=absences)))


def _spans(reading: Reading) -> list[Window]:
    worked = [window for windows in reading.worked_of.values() for window in windows]
    return worked + [visit.span for visit in reading.visits]


def _worked(engineer: Engineer, *, day: date) -> list[Window]:
    return working_windows(shifts=engineer.shifts.all(), absences=engineer.absences.all(), day=day)


def _card(job: Job, *, visit: Visit | None, axis: Axis, reading: Reading) -> Card:
    return Card(
        job_id=job.provider_job_id,
        title=job.postcode or job.provider_job_id,
        kind=words.kind_of(job),
        window=words.window_words(job),
        length=words.length_words(job.duration),
        flags=words.flags_of(job),
        look=words.look_of(job, reading.closings.get(job.pk)),
        risk=words.risk_word(risk(job=job, visit=visit, now=reading.now)),
        needs_location=job.needs_location and job.is_open,
        reported_late=job.pk in reading.late,
        wants_hand_over=job.pk in reading.wished,
        can_move=_can_move(job),
        window_place=axis.place(job.window),
        minutes=job.duration_minutes,
        planned=words.span_words(visit.span) if visit else "",
        place=axis.place(shown_span(visit)) if visit else None,
    )


def _can_move(job: Job) -> bool:
    """By hand on the board. Who is on site is taken off there by no slip of a mouse, only on the job's page."""
    return is_legal(EventKind.ENGINEER_ASSIGNED, state=JobState(job.state)) and job.state != JobState.ON_SITE


def shown_span(visit: Visit) -> Window:
    """The time that the visit really holds, and never too short to be read."""
    held = taken_span(visit)
    return Window(held.start, max(held.end, min(visit.planned_end, held.start + SHORTEST_CARD)))


def _lane(engineer: Engineer, *, axis: Axis, reading: Reading) -> Lane:
    own = reading.visits_of.get(engineer.pk, [])
    worked = reading.worked_of[engineer.pk]
    cards = stacked([_card(visit.job, visit=visit, axis=axis, reading=reading) for visit in own])
    booked = sum((taken_length(visit) for visit in own), timedelta())
    at_work = sum((window.length for window in worked), timedelta())
    return Lane(
        staff_number=engineer.staff_number,
        name=engineer.name,
        skills=", ".join(skill.name for skill in engineer.skills.all()),
        shifts=_blocks(axis, [(window, "") for window in worked]),
        absences=_blocks(axis, [(_absent(away), away.reason) for away in engineer.absences.all()]),
        cards=cards,
        depth=max((card.row + 1 for card in cards), default=1),
        booked=words.length_words(booked),
        at_work=words.length_words(at_work),
        booked_minutes=_minutes(booked),
        at_work_minutes=_minutes(at_work),
    )


def taken_length(visit: Visit) -> timedelta:
    """Booked time; nothing for a job that the seller took back, nor for one ended before it began."""
    if visit.job.state == JobState.CANCELLED:
        return timedelta()
    return max(taken_span(visit).length, timedelta())


def _absent(absence: Absence) -> Window:
    return Window(absence.starts_at, absence.ends_at)


def _blocks(axis: Axis, spans: Iterable[tuple[Window, str]]) -> list[Block]:
    placed = [(axis.place(span), text) for span, text in spans]
    return [Block(place, text) for place, text in placed if place]


def _minutes(span: timedelta) -> int:
    return int(span.total_seconds()) // 60


def stacked(cards: Iterable[Card]) -> list[Card]:
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
