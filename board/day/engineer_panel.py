"""The side panel of one engineer: the day, how to call, and what can be done when it goes wrong."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.translation import gettext as _

from board import formatting
from board.formatting import StateBadge
from board.jobs.suggestion_lines import SuggestionLine, suggestion_lines
from board.links import engineer_page
from dispatch.hours_conflicts import list_hours_conflicts
from dispatch.models import Visit
from dispatch.plan_changes.plan_absences import entering_actions
from dispatch.plan_changes.plan_actions import MAX_AGE
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.quarter_hours import this_quarter
from dispatch.reassignment import movable_visits
from dispatch.skills import skill_label
from dispatch.states import BEFORE_ARRIVAL, JobState
from dispatch.teams import absent_people
from engineers.models import Absence, Engineer
from engineers.phone_urls import phone_url
from engineers.shifts import TimeSpan, day_span, end_with_night_shifts, local_time


@dataclass(frozen=True)
class DayVisitLine:
    """One visit of the engineer's day; `suggestion`: who could take it, where somebody must. `can_reassign`: with all
    others; otherwise `hint` says what to do in the job itself."""

    job_id: str
    title: str
    when: str
    look: StateBadge
    version: str
    must_move: bool
    can_reassign: bool
    hint: str
    # with whom, of a team
    team: str = ""
    suggestion: SuggestionLine | None = None


@dataclass(frozen=True)
class EnteredAbsence:
    """`action`: what entered it on the board, where that can be taken back."""

    text: str
    action: int | None


@dataclass(frozen=True)
class SwapOption:
    """Somebody with whom the day can be swapped; `value` also says which plan of their visits was seen."""

    value: str
    name: str


@dataclass(frozen=True)
class EngineerPanel:
    """`absent_from` and `absent_until` are what the form of an absence begins with, in local time. `is_suspended`: the
    visits that are left can be reassigned, nothing else."""

    staff_number: str
    name: str
    url: str
    phone: str
    phone_url: str
    skills: str
    visits: list[DayVisitLine]
    absences: list[EnteredAbsence]
    absent_from: str
    absent_until: str
    swap_rows: list[str]
    swaps: list[SwapOption]
    is_past: bool
    is_suspended: bool

    @property
    def to_move(self) -> list[DayVisitLine]:
        return [line for line in self.visits if line.must_move]

    @property
    def to_reassign(self) -> list[DayVisitLine]:
        return [line for line in self.to_move if line.can_reassign]


def build_engineer_panel(engineer: Engineer, *, day: date, now: datetime) -> EngineerPanel:
    """Queries grow with the jobs that must be reassigned: each is offered to somebody."""
    # whoever calls in sick at night is away until the morning
    span = TimeSpan(day_span(day).start, end_with_night_shifts([engineer], day=day))
    absences = list(engineer.absences.overlapping(start=span.start, end=span.end))
    visits = Visit.objects.active().attended_by([engineer]).overlapping(span).in_scope()
    visits = visits.select_related("job", "engineer__user", "second_engineer__user")
    starts = max(span.start, this_quarter(now))
    rows = _swap_rows(day)
    absent_at = {engineer.pk: absences}
    outside = list_hours_conflicts(visits, people=[engineer])
    return EngineerPanel(
        staff_number=engineer.staff_number,
        name=engineer.name,
        url=engineer_page(engineer),
        phone=engineer.phone,
        phone_url=phone_url(engineer.phone),
        skills=", ".join(map(skill_label, engineer.skills.all())),
        visits=[
            _visit_line(
                visit,
                engineer,
                is_away=visit.pk in outside or engineer in absent_people(visit, absences=absent_at),
            )
            for visit in visits
        ],
        absences=_absence_lines(engineer, absences, now=now),
        absent_from=_field(starts),
        absent_until=_field(span.end),
        swap_rows=rows.get(engineer.pk, []),
        swaps=_swap_options(engineer, rows),
        is_past=starts >= span.end,
        is_suspended=not engineer.user.is_active,
    )


def _swap_rows(day: date) -> dict[int, list[str]]:
    """By the engineer's key: `job|plan version` of each visit that a swap would move."""
    rows: dict[int, list[str]] = {}
    for visit in movable_visits(Engineer.objects.active().in_scope(), day=day):
        for key in visit.people_keys:
            rows.setdefault(key, []).append(f"{visit.job.provider_job_id}|{plan_version(visit)}")
    return rows


def _swap_options(engineer: Engineer, rows: dict[int, list[str]]) -> list[SwapOption]:
    others = Engineer.objects.active().in_scope().exclude(pk=engineer.pk).select_related("user")
    return [
        SwapOption(" ".join([other.staff_number, *rows.get(other.pk, [])]), other.name) for other in others
    ]


def _absence_lines(engineer: Engineer, absences: Iterable[Absence], *, now: datetime) -> list[EnteredAbsence]:
    actions = entering_actions(engineer, since=now - MAX_AGE)
    return [
        EnteredAbsence(
            formatting.format_days(TimeSpan(absence.starts_at, absence.ends_at)),
            actions.get((absence.starts_at, absence.ends_at)),
        )
        for absence in absences
    ]


def _visit_line(visit: Visit, engineer: Engineer, *, is_away: bool) -> DayVisitLine:
    job, colleague = visit.job, visit.colleague_of(engineer)
    must_move = is_away and job.state in BEFORE_ARRIVAL | {JobState.ON_SITE}
    hint = _hint(visit, engineer) if must_move else ""
    can_reassign = must_move and not hint
    offers = suggestion_lines(job, visit=visit) if can_reassign else []
    return DayVisitLine(
        job_id=job.provider_job_id,
        title=job.title,
        when=formatting.format_span(visit.span),
        look=formatting.state_badge(job, None),
        team=_("with %(engineer)s") % {"engineer": colleague.name} if colleague else "",
        version=plan_version(visit),
        must_move=must_move,
        can_reassign=can_reassign,
        hint=hint,
        suggestion=offers[0] if offers else None,
    )


def _hint(visit: Visit, engineer: Engineer) -> str:
    """Why a press on all jobs must not give this one to others; empty where it may."""
    if visit.job.state == JobState.ON_SITE:
        return _("Somebody is on site. Open the job to hand it over.")
    if visit.job.state == JobState.EN_ROUTE and engineer.pk != visit.engineer_id:
        return _("%(engineer)s is en route. Open the job to change the second engineer.") % {
            "engineer": visit.engineer.name
        }
    return ""


def _field(moment: datetime) -> str:
    return f"{local_time(moment):%Y-%m-%dT%H:%M}"
