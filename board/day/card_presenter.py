"""Builds the cards of the board from jobs and visits, or the card that says why one cannot be shown."""

from dataclasses import replace
from datetime import timedelta

from django.utils.translation import gettext as _

from board import formatting
from board.alarms.alarm_presenter import AttentionText
from board.day.cards import Card
from board.day.day_data import DayData
from board.day.timeline import Axis, GridPosition
from board.day.window_halves import window_half_of
from dispatch.forecast import GRACE, Forecast
from dispatch.holds import HOLDABLE
from dispatch.models import Job, Visit
from dispatch.occupied_time import occupied_span
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.problems import build_or_replace
from dispatch.risk import Level, Risk, assess_risk
from dispatch.states import ENDED_STATES, EventKind, JobState, is_legal
from engineers.areas import find_area
from engineers.models import Engineer
from engineers.shifts import TimeSpan
from monitoring.alarm_kinds import ALARM_KINDS
from monitoring.models import AlarmKind

# an ended visit frees its time, but its card must stay readable
MIN_CARD_LENGTH = timedelta(minutes=45)


def build_card(
    job: Job, *, visit: Visit | None, axis: Axis, data: DayData, engineer: Engineer | None = None
) -> Card:
    """`engineer`: in whose row the card lies."""

    def full() -> Card:
        card = _full_card(job, visit=visit, axis=axis, data=data)
        return _in_row(_with_start(card, visit, axis), visit, engineer) if visit and engineer else card

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
        window_half=window_half_of(job.window),
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
        is_ended=False,
        window_cell=None,
        minutes=0,
        version="",
        cell=cell,
    )


def _with_start(card: Card, visit: Visit, axis: Axis) -> Card:
    """Its start where its place does not say it: a move to another row keeps it."""
    if card.cell is None or axis.start_of(card.cell) == visit.planned_start:
        return card
    return replace(card, starts=visit.planned_start.isoformat())


def _full_card(job: Job, *, visit: Visit | None, axis: Axis, data: DayData) -> Card:
    forecast = data.forecasts.of_visits.get(visit.pk) if visit else None
    risk = _risk(job, visit, forecast, data=data)
    area, required = find_area(job.postcode, data.areas), data.requirements[job.pk]
    attention = data.unhandled.get(job.provider_job_id)
    late = _late_minutes(visit, forecast) if risk.level != Level.NONE else 0
    has_late_failure, is_held = job.pk in data.late_failures, job.on_hold_since is not None and job.is_open
    return Card(
        job_id=job.provider_job_id,
        title=job.title,
        kind=formatting.job_type_label(job),
        job_type=job.job_type,
        window=formatting.format_short_window(job),
        window_half=window_half_of(job.window),
        length=formatting.format_duration(job.duration),
        flags=formatting.job_flags(job),
        look=formatting.state_badge(job, data.closings.get(job.pk)),
        risk=formatting.build_risk_word(risk),
        needs_location=job.needs_location and job.is_open,
        reported_late=job.pk in data.reported_late,
        is_held=is_held,
        is_pinned=_is_pinned(job, visit),
        can_hold=job.state in HOLDABLE and not is_held,
        wants_hand_over=job.pk in data.handover_jobs,
        can_move=data.viewer.can_move and _can_move(job) and not _is_pinned(job, visit),
        is_ended=job.state in ENDED_STATES,
        window_cell=axis.position_of(job.window),
        minutes=job.duration_minutes,
        version=plan_version(visit),
        street=job.address_lines[-1] if job.address_lines else "",
        area=area.name if area else "",
        skills=" ".join(sorted(required.people_skills)),
        alert=_alert(attention, risk, late, is_held=is_held, has_late_failure=has_late_failure),
        is_loud=attention is not None or has_late_failure,
        since=_since(visit),
        has_late_failure=has_late_failure,
        attention=attention,
        planned=formatting.format_span(visit.span) if visit else "",
        cell=axis.position_of(visible_span(visit)) if visit else None,
        late_minutes=late,
    )


def _risk(job: Job, visit: Visit | None, forecast: Forecast | None, *, data: DayData) -> Risk:
    absent = data.absent_people(visit)
    return assess_risk(
        job=job,
        visit=visit,
        forecast=forecast,
        now=data.now,
        absent=absent[0] if absent else None,
        outside=data.hours_conflict(visit),
        is_begun=job.pk in data.begun,
        was_in_window=job.pk in data.attended_in_window,
        concerns=data.concerns.get(job.pk, ()),
        on_time=data.on_time.of_visit(visit) if visit else None,
    )


def _alert(
    attention: AttentionText | None,
    risk: Risk,
    late_minutes: int,
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
        return ALARM_KINDS[AlarmKind.PROVISIONING_FAILED].card_title
    return _risk_text(risk, late_minutes)


def _risk_text(risk: Risk, late_minutes: int) -> str:
    """By how much it is late where that is the reason; otherwise the level."""
    if risk.level == Level.NONE:
        # when it is agreed for is where the card lies
        return _("Agreed") if risk.agreed_at else ""
    if not late_minutes:
        return str(risk.level.label)
    return f"+{formatting.format_duration(timedelta(minutes=late_minutes))}"


def _late_minutes(visit: Visit | None, forecast: Forecast | None) -> int:
    """By how much whoever has not arrived yet will be."""
    if visit is None or visit.arrived_at or forecast is None or forecast.late <= GRACE:
        return 0
    return forecast.late // timedelta(minutes=1)


def _since(visit: Visit | None) -> str:
    if visit is None or visit.ended_at:
        return ""
    since = visit.arrived_at or visit.travel_started_at
    return _("since %(at)s") % {"at": formatting.format_time(since)} if since else ""


def _can_move(job: Job) -> bool:
    """By hand on the board. Who is on site is taken off there by no slip of a mouse, only on the job's page."""
    state = JobState(job.state)
    return (
        is_legal(EventKind.ENGINEER_ASSIGNED, state=state)
        and state != JobState.ON_SITE
        and not job.on_hold_since
    )


def _is_pinned(job: Job, visit: Visit | None) -> bool | None:
    return visit.is_pinned if visit and job.state == JobState.ASSIGNED else None


def visible_span(visit: Visit) -> TimeSpan:
    """The time that the visit really holds, and never too short to be read."""
    held = occupied_span(visit)
    return TimeSpan(held.start, max(held.end, min(visit.planned_end, held.start + MIN_CARD_LENGTH)))
