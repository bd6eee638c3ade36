"""Who could take a job, as lines to press: for the panel, the job page and refused changes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from dispatch import skills
from dispatch.models import Job, Visit
from dispatch.move_effects import MoveEffect, effect_of_move
from dispatch.slots.free_slots import JobDay, SlotSuggestion
from dispatch.slots.slot_suggestions import suggest_slots, travel_before
from dispatch.states import UNDER_WAY
from engineers.area_scope import title_for_reader
from engineers.models import Engineer
from engineers.shifts import TimeSpan, local_time


@dataclass(frozen=True)
class SuggestionLine:
    """One engineer at one time, ready to be pressed."""

    engineer: str
    name: str
    starts_at: str
    text: str
    # staff number of who accompanies; empty for nobody
    second_engineer: str = ""


def suggestion_lines(job: Job, *, visit: Visit | None, day: JobDay | None = None) -> list[SuggestionLine]:
    """Times still to come; `day` where it was read, from now on."""
    suggestions = suggest_slots(job, not_before=timezone.now(), day=day)
    return [_suggestion_line(job, slot) for slot in suggestions if not _is_current_assignment(slot, visit)]


def _is_current_assignment(slot: SlotSuggestion, visit: Visit | None) -> bool:
    if visit is not None and visit.job.state in UNDER_WAY:
        return slot.engineer == visit.engineer
    planned = (visit.engineer, visit.second_engineer, visit.planned_start) if visit else None
    return (slot.engineer, slot.second_engineer, slot.starts_at) == planned


def _suggestion_line(job: Job, slot: SlotSuggestion) -> SuggestionLine:
    span = TimeSpan(slot.starts_at, slot.starts_at + job.duration)
    when = formatting.format_span_on(span, day=local_time(job.window_start).date())
    return SuggestionLine(
        engineer=slot.engineer.staff_number,
        name=formatting.format_team(
            slot.engineer.name, slot.second_engineer.name if slot.second_engineer else ""
        ),
        second_engineer=slot.second_engineer.staff_number if slot.second_engineer else "",
        starts_at=local_time(slot.starts_at).isoformat(),
        text=" · ".join([when, *_after_window(job, span), *_reasons(slot)]),
    )


def _after_window(job: Job, span: TimeSpan) -> Iterator[str]:
    """Of a time that the customer's window does not hold: whoever takes over a begun visit comes when they can."""
    if span.start >= job.window_end:
        yield _("after the window")
    elif span.end > job.window_end and span.length <= job.window.length:
        yield _("ends after the window")


def _reasons(slot: SlotSuggestion) -> Iterable[str]:
    """Why this engineer is a good choice, or how good."""
    if slot.is_over_break:
        yield _("during the break")
    if slot.travel_seconds:
        yield _("%(minutes)d min drive") % {
            "minutes": formatting.drive_minutes(timedelta(seconds=slot.travel_seconds))
        }
    if slot.skills:
        yield _("has the skill %(skills)s") % {"skills": skills.skill_names(slot.skills)}
    if slot.is_other_area:
        yield _("outside their areas")
    if slot.knows_premises:
        yield _("knows the premises")
    if slot.slack:
        yield _("%(time)s free afterwards") % {"time": formatting.format_duration(slot.slack)}


@dataclass(frozen=True)
class Fit:
    """`text`: `fits, 12 min drive`, then what becomes of the rest of the day. `is_late`: the job itself would begin
    later than asked for."""

    text: str
    is_late: bool


def fit_of(job: Job, engineer: Engineer, *, starts_at: datetime, now: datetime) -> Fit:
    """Of a visit that no rule refuses."""
    effect = effect_of_move(job, engineer, starts_at=starts_at, now=now)
    drive = travel_before(job, engineer, starts_at=starts_at)
    texts = (
        [_("fits")] if effect.starts_at is None else [*_late_texts(job, effect.starts_at, planned=starts_at)]
    )
    if drive:
        texts.append(
            _("%(minutes)d min drive") % {"minutes": formatting.drive_minutes(timedelta(seconds=drive))}
        )
    return Fit(", ".join([*texts, *_effect_texts(effect)]), is_late=effect.starts_at is not None)


def _late_texts(job: Job, starts_at: datetime, *, planned: datetime) -> Iterator[str]:
    parameters = {
        "at": formatting.format_time(starts_at),
        "time": formatting.format_duration(starts_at - planned),
    }
    yield _("begins about %(at)s, %(time)s late") % parameters
    if starts_at >= job.window_end:
        yield _("after the window")


def _effect_texts(effect: MoveEffect) -> Iterator[str]:
    if effect.endangered:
        parameters = {
            "place": title_for_reader(effect.endangered.job.title),
            "time": formatting.format_duration(effect.late),
            "at": formatting.format_time(effect.endangered.planned_start),
        }
        yield _("but %(place)s at %(at)s would be %(time)s late") % parameters
    elif effect.free is not None:
        yield _("%(time)s free afterwards") % {"time": formatting.format_duration(effect.free)}
