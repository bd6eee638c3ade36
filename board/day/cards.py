"""The cards of the board: what one job shows in a lane or in the unassigned list."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

from django.utils.translation import gettext as _

from board import formatting
from board.alarms.alarm_texts import AttentionText, short_title
from board.day.day_data import DayData
from board.day.timeline import Axis, GridPosition
from board.formatting import RiskWord, StateBadge
from dispatch.availability import occupied_window
from dispatch.forecast import GRACE, Forecast
from dispatch.holds import HOLDABLE
from dispatch.models import Job, Visit
from dispatch.plan_versions import plan_version
from dispatch.problems import build_or_replace
from dispatch.risk import Level, Risk, assess_risk
from dispatch.skills import Flag
from dispatch.states import EventKind, JobState, is_legal
from engineers.areas import find_area
from engineers.models import Engineer
from engineers.shifts import Window
from monitoring.alarms import AlarmKind

# an ended visit frees its time, but its card must stay readable
MIN_CARD_MINUTES = timedelta(minutes=45)


@dataclass(frozen=True)
class Card:
    """One job on the board; `cell` and `row` only for a job that lies in a lane."""

    job_id: str
    title: str
    kind: str
    job_type: str
    window: str
    length: str
    flags: list[Flag]
    look: StateBadge
    risk: RiskWord
    needs_location: bool
    reported_late: bool
    is_held: bool
    # None where it can be neither
    is_pinned: bool | None
    can_hold: bool
    wants_hand_over: bool
    can_move: bool
    window_cell: GridPosition | None
    minutes: int
    version: str
    street: str = ""
    area: str = ""
    skills: str = ""
    # a short word in place of the street; loud where somebody must act
    alert: str = ""
    is_loud: bool = False
    # since when somebody is en route or on site
    since: str = ""
    # the seller reported a failure after the job was over
    has_late_failure: bool = False
    attention: AttentionText | None = None
    planned: str = ""
    # of a team: with whom; `is_second` in the row of the second engineer
    team: str = ""
    is_second: bool = False
    cell: GridPosition | None = None
    row: int = 0

    @property
    def is_alert_calm(self) -> bool:
        """The word says only what was agreed."""
        is_on_time = self.risk.slug == Level.NONE and bool(self.risk.label)
        return is_on_time and not (self.is_loud or self.is_held)

    @property
    def classes(self) -> str:
        """Of the style sheet: where it lies, its state and risk, and what marks it."""
        marks = {
            "needs-attention": self.attention is not None,
            "has-alert": bool(self.alert),
            "is-second": self.is_second,
        }
        cell = self.cell.classes if self.cell else ""
        states = f"r{self.row} state-{self.look.slug} risk-{self.risk.slug}"
        return " ".join([cell, states, *(name for name, is_set in marks.items() if is_set)])

    @property
    def description(self) -> str:
        """In one line everything that its icons and short words stand for."""
        state = f"{self.look.label} {self.since}" if self.since else self.look.label
        parts = [f"{self.title} {self.street}", self.kind, self.planned, state]
        parts += [_("second engineer")] if self.is_second else []
        parts += [self.team] if self.team else []
        sentences = [", ".join(map(str, parts))]
        sentences += [self.attention.title] if self.attention else []
        sentences += [_("Provisioning failed after the job was closed")] if self.has_late_failure else []
        sentences += [f"{self.risk.label}: {self.risk.reason}"] if self.risk.label else []
        marks = [flag.label for flag in self.flags]
        marks += [_("Handover requested")] if self.wants_hand_over else []
        marks += [_("Has a sync conflict")] if self.reported_late else []
        return " · ".join([". ".join(map(str, sentences)), *map(str, marks)])

    @property
    def needs_two_lines(self) -> bool:
        """The word stands below the postcode, also in the densest rows."""
        return bool(self.alert) and (self.is_loud or self.risk.slug == Level.LATE)


def build_card(
    job: Job, *, visit: Visit | None, axis: Axis, data: DayData, engineer: Engineer | None = None
) -> Card:
    """`engineer`: in whose row the card lies."""

    def full() -> Card:
        card = _full_card(job, visit=visit, axis=axis, data=data)
        return _in_row(card, visit, engineer) if visit and engineer else card

    def broken(reason: str) -> Card:
        return _broken_card(job, reason, cell=axis.position_of(visit.span) if visit else None)

    return build_or_replace(job, full, broken)


def _in_row(card: Card, visit: Visit, engineer: Engineer) -> Card:
    """With whom; in the second engineer's row nothing is moved: the visit is the first one's."""
    other, is_second = visit.colleague_of(engineer), visit.second_engineer_id == engineer.pk
    if other is None:
        return card
    team = _("with %(engineer)s") % {"engineer": other.name}
    return replace(card, team=team, is_second=is_second, can_move=card.can_move and not is_second)


def _broken_card(job: Job, reason: str, *, cell: GridPosition | None) -> Card:
    """Only the number, the state and why there is no more."""
    return Card(
        job_id=job.provider_job_id,
        title=job.provider_job_id,
        kind="",
        job_type="",
        window="",
        length="",
        flags=[],
        look=formatting.BROKEN_BADGE,
        risk=formatting.broken_risk_word(reason),
        needs_location=False,
        reported_late=False,
        is_held=False,
        is_pinned=None,
        can_hold=False,
        wants_hand_over=False,
        can_move=False,
        window_cell=None,
        minutes=0,
        version="",
        cell=cell,
    )


def _full_card(job: Job, *, visit: Visit | None, axis: Axis, data: DayData) -> Card:
    forecast = data.forecasts.get(visit.pk) if visit else None
    absent = data.absent_people(visit)
    risk = assess_risk(
        job=job,
        visit=visit,
        forecast=forecast,
        now=data.now,
        absent=absent[0] if absent else None,
        is_begun=job.pk in data.begun,
        was_in_window=job.pk in data.attended_in_window,
        concerns=data.concerns.get(job.pk, ()),
        chance=data.chances.of_visit(visit) if visit else None,
    )
    area, required = find_area(job.postcode, data.areas), data.requirements[job.pk]
    attention = data.unhandled.get(job.provider_job_id)
    has_late_failure = job.pk in data.late_failures and not job.is_open
    is_held = job.held_at is not None and job.is_open
    return Card(
        job_id=job.provider_job_id,
        title=job.title,
        kind=formatting.job_type_label(job),
        job_type=job.job_type,
        window=formatting.format_short_window(job),
        length=formatting.format_duration(job.duration),
        flags=formatting.job_flags(job),
        look=formatting.state_badge(job, data.closings.get(job.pk)),
        risk=formatting.build_risk_word(risk),
        needs_location=job.needs_location and job.is_open,
        reported_late=job.pk in data.late,
        is_held=is_held,
        is_pinned=_is_pinned(job, visit),
        can_hold=job.state in HOLDABLE and not is_held,
        wants_hand_over=job.pk in data.handover_jobs,
        can_move=data.viewer.can_move and _can_move(job) and not _is_pinned(job, visit),
        window_cell=axis.position_of(job.window),
        minutes=job.duration_minutes,
        version=plan_version(visit),
        street=job.address_lines[-1] if job.address_lines else "",
        area=area.name if area else "",
        skills=" ".join(sorted(required.people_skills)),
        alert=_alert(attention, risk, forecast, is_held=is_held, has_late_failure=has_late_failure),
        is_loud=attention is not None or has_late_failure,
        since=_since(visit),
        has_late_failure=has_late_failure,
        attention=attention,
        planned=formatting.format_span(visit.span) if visit else "",
        cell=axis.position_of(visible_span(visit)) if visit else None,
    )


def _alert(
    attention: AttentionText | None,
    risk: Risk,
    forecast: Forecast | None,
    *,
    is_held: bool,
    has_late_failure: bool,
) -> str:
    """The most urgent thing about a job in a word or two: `ONT failed`, `On hold`, `+20 min`, `Late`,
    `Agreed`."""
    if attention:
        return attention.short
    if is_held:
        return _("On hold")
    if has_late_failure:
        return short_title(AlarmKind.PROVISIONING_FAILED)
    return _risk_text(risk, forecast)


def _risk_text(risk: Risk, forecast: Forecast | None) -> str:
    """By how much it is late where that is the reason; otherwise the level."""
    if risk.level == Level.NONE:
        # when it is agreed for is where the card lies
        return _("Agreed") if risk.agreed_at else ""
    if forecast is None or forecast.late <= GRACE:
        return str(Level(risk.level).label)
    return f"+{formatting.format_duration(forecast.late)}"


def _since(visit: Visit | None) -> str:
    if visit is None or visit.ended_at:
        return ""
    since = visit.arrived_at or visit.travel_started_at
    return _("since %(at)s") % {"at": formatting.format_time(since)} if since else ""


def _can_move(job: Job) -> bool:
    """By hand on the board. Who is on site is taken off there by no slip of a mouse, only on the job's page."""
    state = JobState(job.state)
    return (
        is_legal(EventKind.ENGINEER_ASSIGNED, state=state) and state != JobState.ON_SITE and not job.held_at
    )


def _is_pinned(job: Job, visit: Visit | None) -> bool | None:
    return visit.is_pinned if visit and job.state == JobState.ASSIGNED else None


def visible_span(visit: Visit) -> Window:
    """The time that the visit really holds, and never too short to be read."""
    held = occupied_window(visit)
    return Window(held.start, max(held.end, min(visit.planned_end, held.start + MIN_CARD_MINUTES)))


def stack_cards(cards: Iterable[Card]) -> list[Card]:
    """Cards that would lie on each other (a cancelled job and its successor) get rows of their own."""
    laid = [card for card in cards if card.cell is not None]
    rows = free_rows([card.cell for card in laid if card.cell is not None])
    return [replace(card, row=row) if row else card for card, row in zip(laid, rows, strict=True)]


def free_rows(cells: Iterable[GridPosition]) -> list[int]:
    """For each position, in order, the first row in which nothing before it lies there."""
    ends: list[int] = []
    rows: list[int] = []
    for cell in cells:
        row = next((row for row, end in enumerate(ends) if end <= cell.start), len(ends))
        ends[row:] = [cell.end, *ends[row + 1 :]]
        rows.append(row)
    return rows
