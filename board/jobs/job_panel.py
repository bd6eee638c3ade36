"""The side panel of the board: one chosen job, and who can take it. Job page and refused changes use it too."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from board.alarms.alarm_presenter import AlarmLine, list_job_alarms
from board.formatting import ClosedAs, RiskWord, StateBadge
from board.jobs.attendances import Attendance, list_attendances
from board.jobs.job_needs import Need, job_needs
from board.jobs.line_view import LineView, build_line_view
from board.jobs.stakes import Stakes, build_stakes
from board.jobs.suggestion_lines import (
    EngineerOption,
    SecondEngineerChoice,
    SuggestionLine,
    second_engineer_choice,
    suggestion_lines,
)
from board.links import Link, event_links
from closures import codes
from closures.models import Closure
from dispatch import job_events, ont_scans
from dispatch.availability import next_quarter
from dispatch.chances.visit_chances import read_chances
from dispatch.forecast import forecast_day, read_day_drives
from dispatch.free_slots import read_day
from dispatch.handover_requests import open_handover_request
from dispatch.holds import HOLDABLE
from dispatch.models import Job, JobEvent, Visit
from dispatch.plan_versions import plan_version
from dispatch.requirements import JobRequirements, job_requirements
from dispatch.risk import Risk, assess_risk
from dispatch.risk_concerns import list_concerns
from dispatch.skills import Flag
from dispatch.slot_suggestions import UnfitEngineer, explain_unfit
from dispatch.states import UNDER_WAY, EventKind, JobState, is_legal
from dispatch.teams import absent_people
from engineers.models import Engineer
from engineers.shifts import day_window, local_time


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
    second_engineer: SecondEngineerChoice
    starts_at: str
    button: str
    is_hand_over: bool = False
    is_window_over: bool = False
    on_hold: str = ""
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
    can_assign = is_legal(EventKind.ENGINEER_ASSIGNED, state=state) and not (
        is_window_over or on_hold or is_pinned
    )
    engineers = list(Engineer.objects.active().in_scope().select_related("user")) if can_assign else []
    day = read_day(job, now, requirements) if can_assign else None
    planned = visit.planned_start if visit else job.window_start
    begins = next_quarter(now) if is_hand_over else max(next_quarter(now), planned)
    return AssignmentOptions(
        job_id=job.provider_job_id,
        version=plan_version(visit if job.is_open else None),
        with_whom=visit_text(visit) if visit else "",
        can_assign=can_assign,
        can_unassign=is_legal(EventKind.UNASSIGNED, state=state) and not is_pinned,
        needs_location=job.needs_location and job.is_open,
        suggestions=suggestion_lines(job, visit=visit, day=day) if can_assign else [],
        choices=_engineer_options(engineers, visit, is_hand_over=is_hand_over),
        second_engineer=second_engineer_choice(
            job, visit, engineers=engineers, is_needed=bool(requirements.team), starts_at=begins, day=day
        ),
        starts_at=f"{local_time(begins):%Y-%m-%dT%H:%M}",
        button=_button(visit, is_hand_over=is_hand_over),
        is_hand_over=is_hand_over,
        is_window_over=is_window_over,
        on_hold=on_hold,
        can_hold=not job.held_at and state in HOLDABLE,
        engineer_page=reverse("board:engineer", args=[visit.engineer_id]) if visit else "",
        is_pinned=visit.is_pinned if visit and state == JobState.ASSIGNED else None,
        can_replan=visit is not None and visit.ended_at is None and job.is_open,
        handover_request=_handover_request_text(handover),
        handover_links=event_links(handover) if handover else (),
        unfit=explain_unfit(job, not_before=now, day=day) if can_assign and with_unfit else None,
    )


def _hold_text(job: Job) -> str:
    """Since when, by whom and why; empty for a job that is not on hold."""
    if job.held_at is None or not job.is_open:
        return ""
    event = job.events.filter(kind=EventKind.HELD).select_related("user").order_by("-seq").first()
    parameters = {
        "at": formatting.format_moment(job.held_at),
        "who": event.user.display_name if event and event.user else "",
        "why": event.facts.get("reason", "") if event else "",
    }
    return _("On hold since %(at)s, by %(who)s: %(why)s") % parameters


def _handover_request_text(request: JobEvent | None) -> str:
    if request is None:
        return ""
    parameters = {
        "who": request.facts["engineer_name"],
        "at": formatting.format_time(request.occurred_at),
        "why": request.facts["reason"],
    }
    return _("%(who)s requested a handover at %(at)s: %(why)s") % parameters


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


def _engineer_options(
    engineers: Iterable[Engineer], visit: Visit | None, *, is_hand_over: bool
) -> list[EngineerOption]:
    chosen = visit.engineer if visit else None
    return [
        EngineerOption(engineer.staff_number, engineer.name, is_chosen=engineer == chosen)
        for engineer in engineers
        if not (is_hand_over and engineer == chosen)
    ]


@dataclass(frozen=True)
class ContactView:
    """The site contact, to be called."""

    name: str
    phone: str
    phone_url: str


def contact_view(job: Job) -> ContactView:
    return ContactView(job.contact_name, job.contact_phone, formatting.phone_url(job.contact_phone))


@dataclass(frozen=True)
class Panel:
    job_id: str
    title: str
    address: str
    kind: str
    window: str
    length: str
    look: StateBadge
    risk: RiskWord
    flags: list[Flag]
    needs: list[Need]
    stakes: Stakes | None
    hazards: str
    access: str
    contact: ContactView
    line: LineView | None
    day: date
    assignment: AssignmentOptions
    # who attends, and when they are expected or arrived
    attendance: Attendance | None
    alarms: list[AlarmLine]
    # reported after the job was over
    has_late_failure: bool


def build_panel(job: Job, *, now: datetime, with_unfit: bool = False) -> Panel:
    visit = job.visits.active().select_related("engineer__user", "second_engineer__user").first()
    requirements = job_requirements(job)
    risk = risk_of(job, visit, requirements, now=now)
    return Panel(
        job_id=job.provider_job_id,
        title=job.title,
        address=job.address,
        kind=formatting.job_type_label(job),
        window=formatting.format_window_with_day(job),
        length=formatting.format_duration(job.duration),
        look=formatting.state_badge(job, closure_badges([job]).get(job.pk)),
        risk=formatting.build_risk_word(risk),
        flags=formatting.job_flags(job),
        needs=job_needs(job, requirements),
        stakes=build_stakes(job, visit, risk, requirements=requirements),
        hazards=job.hazards,
        access=job.access_restrictions,
        contact=contact_view(job),
        line=build_line_view(job, now=now),
        day=local_time(visit.planned_start if visit else job.window_start).date(),
        assignment=assignment_options(job, visit=visit, requirements=requirements, with_unfit=with_unfit),
        attendance=list_attendances([job], now=now).get(job.pk),
        alarms=list_job_alarms(job),
        has_late_failure=has_late_failure(job),
    )


def has_late_failure(job: Job) -> bool:
    """Whether the newest provisioning result came after the job was over, and says that the service does not work."""
    if job.is_open:
        return False
    late = job.events.filter(kind=EventKind.REPORTED_LATE, facts__what=EventKind.ONT_PROVISIONED)
    newest = late.order_by("-seq").first()
    return newest is not None and newest.facts.get("result_id") in ont_scans.FAILED_RESULTS


def risk_of(job: Job, visit: Visit | None, requirements: JobRequirements, *, now: datetime) -> Risk:
    """The risk of one job, whose engineer's day is read for it."""
    is_begun = job_events.has_been_on_site(job)
    concerns = list_concerns(
        [job],
        visits={job.pk: visit} if visit else {},
        requirements={job.pk: requirements},
        begun={job.pk} if is_begun else (),
        now=now,
    ).get(job.pk, ())
    if visit is None:
        return assess_risk(job=job, visit=None, forecast=None, now=now, is_begun=is_begun, concerns=concerns)
    date_of_visit = local_time(visit.planned_start).date()
    day = day_window(date_of_visit)
    attended = Visit.objects.active().attended_by([visit.engineer]).overlapping(day)
    visits = list(attended.select_related("job", "engineer__user"))
    return assess_risk(
        job=job,
        visit=visit,
        forecast=forecast_day(visits, now=now, drives=read_day_drives([visits])).get(visit.pk),
        now=now,
        absent=next(iter(absent_people(visit)), None),
        is_begun=is_begun,
        was_in_window=job.pk in job_events.jobs_attended_in_window([visit]),
        concerns=concerns,
        chance=read_chances(date_of_visit, now=now).of_visit(visit),
    )


def closure_badges(jobs: Iterable[Job]) -> dict[int, ClosedAs]:
    """By the job's key, for those that are closed; one query."""
    closures = Closure.objects.filter(job__in=[job.pk for job in jobs])
    return {closure.job_id: _closure_badge(closure) for closure in closures}


def _closure_badge(closure: Closure) -> ClosedAs:
    known = codes.find_code(closure.code)
    return ClosedAs(closure.code, known.in_trade_words or closure.description, known.succeeds)
