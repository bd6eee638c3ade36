"""Who can take a job: what the side panel, the job page and a refused change all suggest."""

from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from dispatch import handover_requests, job_events
from dispatch.availability import next_quarter
from dispatch.models import Job, JobEvent, Visit
from dispatch.plan_versions import plan_version
from dispatch.planning.slot_suggestions import SlotSuggestion, suggest_slots
from dispatch.states import EventKind, JobState, is_legal
from engineers.models import Engineer
from engineers.shifts import Window, local_time


@dataclass(frozen=True)
class SuggestionLine:
    """One engineer at one time, ready to be pressed."""

    engineer: str
    name: str
    starts_at: str
    words: str


@dataclass(frozen=True)
class EngineerOption:
    """One line of the free choice of engineer."""

    staff_number: str
    name: str
    is_chosen: bool


@dataclass(frozen=True)
class AssignmentOptions:
    """What can be done about who does the job and when."""

    job_id: str
    version: str
    with_whom: str
    can_assign: bool
    can_unassign: bool
    needs_location: bool
    suggestions: list[SuggestionLine]
    choices: list[EngineerOption]
    starts_at: str
    button: str
    is_hand_over: bool = False
    is_window_over: bool = False
    handover_request: str = ""


# who is under way or there: the job can only go to somebody else
UNDER_WAY = frozenset({JobState.EN_ROUTE, JobState.ON_SITE})


def assignment_options(job: Job, *, visit: Visit | None) -> AssignmentOptions:
    state, now = JobState(job.state), timezone.now()
    is_hand_over = visit is not None and state in UNDER_WAY
    is_window_over = job.is_open and now >= job.window_end and not job_events.has_been_on_site(job)
    can_assign = is_legal(EventKind.ENGINEER_ASSIGNED, state=state) and not is_window_over
    planned = visit.planned_start if visit else job.window_start
    begins = next_quarter(now) if is_hand_over else max(next_quarter(now), planned)
    return AssignmentOptions(
        job_id=job.provider_job_id,
        version=plan_version(visit if job.is_open else None),
        with_whom=visit_words(visit) if visit else "",
        can_assign=can_assign,
        can_unassign=is_legal(EventKind.UNASSIGNED, state=state),
        needs_location=job.needs_location and job.is_open,
        suggestions=suggestion_lines(job, visit=visit) if can_assign else [],
        choices=_engineer_options(visit, is_hand_over=is_hand_over) if can_assign else [],
        starts_at=f"{local_time(begins):%Y-%m-%dT%H:%M}",
        button=_button(visit, is_hand_over=is_hand_over),
        is_hand_over=is_hand_over,
        is_window_over=is_window_over,
        handover_request=_handover_request_text(handover_requests.open_request(job)) if is_hand_over else "",
    )


def _handover_request_text(request: JobEvent | None) -> str:
    if request is None:
        return ""
    told = {
        "who": request.facts["engineer_name"],
        "at": formatting.format_time(request.occurred_at),
        "why": request.facts["reason"],
    }
    return _("%(who)s requested a handover at %(at)s: %(why)s") % told


def _button(visit: Visit | None, *, is_hand_over: bool) -> str:
    if is_hand_over:
        return _("Hand over")
    return _("Change assignment") if visit else _("Assign")


def visit_words(visit: Visit) -> str:
    """`Erin Engineer, Mon 23 Nov 08:30–10:30`."""
    day = formatting.format_day(local_time(visit.planned_start).date())
    return f"{visit.engineer.name}, {day} {formatting.format_span(visit.span)}"


def _engineer_options(visit: Visit | None, *, is_hand_over: bool) -> list[EngineerOption]:
    engineers = Engineer.objects.active().select_related("user")
    chosen = visit.engineer_id if visit else None
    if visit is not None and is_hand_over:
        engineers = engineers.exclude(pk=visit.engineer_id)
    return [EngineerOption(one.staff_number, one.name, is_chosen=one.pk == chosen) for one in engineers]


def suggestion_lines(job: Job, *, visit: Visit | None) -> list[SuggestionLine]:
    """Times still to come."""
    suggestions = suggest_slots(job, not_before=timezone.now())
    return [_suggestion_line(job, slot) for slot in suggestions if not _is_current_assignment(slot, visit)]


def _is_current_assignment(slot: SlotSuggestion, visit: Visit | None) -> bool:
    if visit is not None and visit.job.state in UNDER_WAY:
        return slot.engineer == visit.engineer
    return visit is not None and (slot.engineer, slot.starts_at) == (visit.engineer, visit.planned_start)


def _suggestion_line(job: Job, slot: SlotSuggestion) -> SuggestionLine:
    span = Window(slot.starts_at, slot.starts_at + job.duration)
    drive = _("%(minutes)d min drive") % {"minutes": round(slot.travel_seconds / 60)}
    when = f"{formatting.format_day(local_time(span.start).date())} {formatting.format_span(span)}"
    return SuggestionLine(
        engineer=slot.engineer.staff_number,
        name=slot.engineer.name,
        starts_at=local_time(slot.starts_at).isoformat(),
        words=f"{when} · {drive}" if slot.travel_seconds else when,
    )
