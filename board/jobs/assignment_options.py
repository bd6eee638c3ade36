"""What can be done about who does a job and when: suggestions, the forms' choices, holds, pins and handovers."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from board.engineer_choice import (
    EngineerChoice,
    SecondEngineerChoice,
    active_engineers,
    engineer_choice,
    second_engineer_choice,
)
from board.jobs.suggestion_lines import SuggestionLine, suggestion_lines
from board.links import Link, engineer_page, event_links
from dispatch import job_events
from dispatch.agreed_starts import agreed_start
from dispatch.handover_requests import open_handover_request
from dispatch.holds import HOLDABLE
from dispatch.models import Job, JobEvent, Visit
from dispatch.plan_changes.pin_hold_steps import hold_version
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.quarter_hours import next_quarter
from dispatch.requirements import JobRequirements
from dispatch.slots.free_slots import read_day
from dispatch.slots.slot_suggestions import UnfitEngineer, explain_unfit
from dispatch.states import UNDER_WAY, EventKind, JobState, is_legal
from engineers.shifts import local_time
from monitoring.coded_texts import reason_text


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
    choices: EngineerChoice
    second_engineer: SecondEngineerChoice
    starts_at: str
    button: str
    is_hand_over: bool = False
    is_window_over: bool = False
    # the window is over, and the customer can still agree to a later start on its last day; `agreed`: to which one
    can_agree: bool = False
    agreed: str = ""
    on_hold: str = ""
    hold_version: int = 0
    can_hold: bool = False
    handover_request: str = ""
    handover_links: tuple[Link, ...] = ()
    # the page of who has the job; whether the visit is pinned, None where it can be neither
    engineer_page: str = ""
    is_pinned: bool | None = None
    # what the rest of the day would be if it took longer or were cancelled
    can_replan: bool = False
    # None until they were asked for
    unfit: list[UnfitEngineer] | None = None

    @property
    def is_empty(self) -> bool:
        """Nobody has the job, and nobody can: it is closed or cancelled without a visit."""
        has_notice = self.needs_location or self.is_window_over or self.on_hold or self.handover_request
        return not (self.with_whom or self.can_assign or self.can_unassign or self.can_hold or has_notice)

    @property
    def wants_closing(self) -> bool:
        """Nobody comes any more, so far as is known."""
        return self.is_window_over and not self.agreed


def assignment_options(
    job: Job, *, visit: Visit | None, requirements: JobRequirements, with_unfit: bool = False
) -> AssignmentOptions:
    """`with_unfit`: also why nobody else can take the job."""
    state, now = JobState(job.state), timezone.now()
    # the job can only go to somebody else
    is_hand_over = visit is not None and state in UNDER_WAY
    is_window_over = job.is_open and now >= job.window_end and not job_events.has_been_on_site(job)
    on_hold = _hold_text(job)
    handover = open_handover_request(job) if is_hand_over else None
    is_pinned = visit is not None and visit.is_pinned and state == JobState.ASSIGNED
    can_plan = is_legal(EventKind.ENGINEER_ASSIGNED, state=state) and not (on_hold or is_pinned)
    can_assign = can_plan and not is_window_over
    can_agree = can_plan and is_window_over and _is_last_day(job, now) and not job.needs_location
    is_open = can_assign or can_agree
    engineers = active_engineers() if is_open else []
    day = read_day(job, now, requirements) if can_assign else None
    planned = visit.planned_start if visit else job.window_start
    begins = next_quarter(now) if is_hand_over else max(next_quarter(now), planned)
    # before the suggestions: for a team it reads everybody, among whom these then look
    second_engineer = second_engineer_choice(
        job, visit, engineers=engineers, is_needed=bool(requirements.team), starts_at=begins, day=day
    )
    return AssignmentOptions(
        job_id=job.provider_job_id,
        version=plan_version(visit if job.is_open else None),
        with_whom=visit_text(visit) if visit else "",
        can_assign=can_assign,
        can_unassign=is_legal(EventKind.UNASSIGNED, state=state) and not is_pinned,
        needs_location=job.needs_location and job.is_open,
        suggestions=suggestion_lines(job, visit=visit, day=day) if can_assign else [],
        choices=engineer_choice(engineers, visit, is_hand_over=is_hand_over),
        second_engineer=second_engineer,
        starts_at=f"{local_time(begins):%Y-%m-%dT%H:%M}",
        button=_button(visit, is_hand_over=is_hand_over),
        is_hand_over=is_hand_over,
        is_window_over=is_window_over,
        can_agree=can_agree,
        agreed=_agreed_text(visit),
        on_hold=on_hold,
        hold_version=hold_version(job) if on_hold else 0,
        can_hold=not job.on_hold_since and state in HOLDABLE,
        engineer_page=engineer_page(visit.engineer) if visit else "",
        is_pinned=visit.is_pinned if visit and state == JobState.ASSIGNED else None,
        can_replan=visit is not None and visit.ended_at is None and job.is_open,
        handover_request=_handover_request_text(handover),
        handover_links=event_links(handover) if handover else (),
        unfit=explain_unfit(job, not_before=now, day=day) if can_assign and with_unfit else None,
    )


def _is_last_day(job: Job, now: datetime) -> bool:
    """Whether a start after now can lie on the last day of the window."""
    return local_time(now).date() == job.window.last_day


def _agreed_text(visit: Visit | None) -> str:
    agreed = agreed_start(visit)
    return formatting.format_moment_phrase(agreed) if agreed else ""


def _hold_text(job: Job) -> str:
    """Since when, by whom and why; empty for a job that is not on hold."""
    if job.on_hold_since is None or not job.is_open:
        return ""
    event = job.events.filter(kind=EventKind.PUT_ON_HOLD).select_related("user").order_by("-seq").first()
    parameters = {
        "at": formatting.format_moment(job.on_hold_since),
        "who": event.user.display_name if event and event.user else "",
        "why": reason_text(event.facts.get("reason")) if event else "",
    }
    return _("On hold since %(at)s, by %(who)s: %(why)s") % parameters


def _handover_request_text(request: JobEvent | None) -> str:
    if request is None:
        return ""
    parameters = {
        "who": request.facts["engineer_name"],
        "when": formatting.format_moment_phrase(request.occurred_at),
        "why": request.facts["reason"],
    }
    return _("%(who)s requested a handover %(when)s: %(why)s") % parameters


def _button(visit: Visit | None, *, is_hand_over: bool) -> str:
    if is_hand_over:
        return _("Hand over")
    return _("Change assignment") if visit else _("Assign")


def visit_text(visit: Visit) -> str:
    """`Erin Engineer with Sam Second, Mon 23 Nov 08:30–10:30`."""
    return f"{team_text(visit)}, {formatting.format_span_with_day(visit.span)}"


def team_text(visit: Visit) -> str:
    """Who attends: `Erin Engineer with Sam Second`."""
    return formatting.format_team(
        visit.engineer.name, visit.second_engineer.name if visit.second_engineer else ""
    )
