"""The side panel of the board: one chosen job, what it asks for, and who can take it. Job page and refused changes use
it too.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import prefetch_related_objects
from django.utils.translation import gettext as _

from board import formatting
from board.alarms.alarm_presenter import AlarmLine, list_job_alarms
from board.formatting import ClosedAs, RiskWord, StateBadge
from board.jobs.assignment_options import AssignmentOptions, assignment_options
from board.jobs.engineer_status import Attendance, list_attendances
from board.jobs.liability import Liability, build_liability
from board.jobs.line_presenter import LineView, build_line_view
from board.jobs.note_lines import NotesView, notes_view
from closures import codes
from closures.models import Closure
from closures.question_matrix.translations import text_for_reader
from dispatch import job_events, ont_scans, skills
from dispatch.agreed_starts import jobs_attended_in_window
from dispatch.hours_conflicts import list_hours_conflicts
from dispatch.models import Job, Visit
from dispatch.on_time_forecast.stored_forecast import read_on_time_forecast
from dispatch.requirements import JobRequirements, job_requirements
from dispatch.risk import Risk, assess_risk
from dispatch.risk_concerns import list_concerns
from dispatch.skills import Flag
from dispatch.states import EventKind
from dispatch.team_forecasts import forecast_days, read_team_days
from dispatch.teams import absent_people
from engineers.phone_urls import phone_url
from engineers.shifts import local_time


@dataclass(frozen=True)
class Need:
    """`is_missing`: it stands in the way of the visit."""

    name: str
    value: str
    is_missing: bool = False


def job_needs(job: Job, requirements: JobRequirements) -> list[Need]:
    return list(_needs(job, requirements))


def _needs(job: Job, requirements: JobRequirements) -> Iterator[Need]:
    if requirements.skills:
        yield Need(_("Skills"), ", ".join(sorted(map(skills.skill_name, requirements.skills))))
    if requirements.team:
        yield Need(_("People"), _("Two people"))
    if requirements.kit:
        yield Need(_("Kit"), ", ".join(requirements.kit))
    if requirements.earliest_day and job.is_open:
        yield Need(_("Lead time"), _lead_time(requirements))
    if requirements.is_survey_missing and job.is_open:
        text = _("Required, none known (external job closed EXTCOMP)")
        yield Need(_("Survey"), text, is_missing=True)


def _lead_time(requirements: JobRequirements) -> str:
    if requirements.earliest_day is None:
        return ""
    return _("Not before %(day)s") % {"day": formatting.format_day(requirements.earliest_day)}


@dataclass(frozen=True)
class ContactView:
    """The site contact, to be called."""

    name: str
    phone: str
    phone_url: str


def contact_view(job: Job) -> ContactView:
    return ContactView(job.contact_name, job.contact_phone, phone_url(job.contact_phone))


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
    liability: Liability | None
    hazards: str
    access: str
    contact: ContactView
    line: LineView | None
    day: date
    assignment: AssignmentOptions
    # who attends, and when they are expected or arrived
    attendance: Attendance | None
    alarms: list[AlarmLine]
    notes: NotesView
    # reported after the job was over
    has_late_failure: bool


def build_panel(job: Job, *, now: datetime, with_unfit: bool = False) -> Panel:
    # its parts ask them again and again
    prefetch_related_objects([job], "events__user")
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
        liability=build_liability(job, visit, risk, requirements=requirements),
        hazards=job.hazards,
        access=job.access_restrictions,
        contact=contact_view(job),
        line=build_line_view(job, now=now),
        day=local_time(visit.planned_start if visit else job.window_start).date(),
        assignment=assignment_options(job, visit=visit, requirements=requirements, with_unfit=with_unfit),
        attendance=list_attendances([job], now=now).get(job.pk),
        alarms=list_job_alarms(job),
        notes=notes_view(job.events.all()),
        has_late_failure=has_late_failure(job),
    )


def has_late_failure(job: Job) -> bool:
    """Whether the provisioning result that counts came after the job was over, and says that the service does not work.
    No query where the job's events were read before."""
    late = [event for event in job.events.all() if event.kind == EventKind.REPORTED_LATE]
    return job.pk in ont_scans.jobs_failed_late((job.pk, event.facts) for event in late)


def risk_of(job: Job, visit: Visit | None, requirements: JobRequirements, *, now: datetime) -> Risk:
    """The risk of one job, whose engineers' day is read for it."""
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
    same_day = Visit.objects.active().of_working_day(visit.planned_start)
    days = read_team_days(visit.people_keys, same_day)
    return assess_risk(
        job=job,
        visit=visit,
        forecast=forecast_days(days, now=now).of_visits.get(visit.pk),
        now=now,
        absent=next(iter(absent_people(visit)), None),
        outside=next(iter(list_hours_conflicts([visit]).get(visit.pk, ())), None),
        is_begun=is_begun,
        was_in_window=job.pk in jobs_attended_in_window([visit]),
        concerns=concerns,
        on_time=read_on_time_forecast(date_of_visit, now=now).of_visit(visit),
    )


def closure_badges(jobs: Iterable[Job]) -> dict[int, ClosedAs]:
    """By the job's key, for those that are closed; one query."""
    closures = Closure.objects.filter(job__in=[job.pk for job in jobs])
    return {closure.job_id: _closure_badge(closure) for closure in closures}


def _closure_badge(closure: Closure) -> ClosedAs:
    known = codes.find_code(closure.code)
    text = text_for_reader(known.in_trade_words or closure.description)
    return ClosedAs(closure.code, text, known.succeeds)
