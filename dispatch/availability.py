"""May this engineer take this job at that time? Checked over the whole interval, inside the transaction."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from django.utils.translation import gettext as _

from dispatch import skills
from dispatch.departures import has_set_off
from dispatch.drive_problems import drive_problems
from dispatch.hours_conflicts import OUTSIDE_SHIFT, format_hours
from dispatch.models import Job, Visit
from dispatch.occupied_time import occupied_span
from dispatch.problems import ActionRefused, Problem, with_other_job
from dispatch.progress_today import AS_PLANNED, ProgressToday
from dispatch.quarter_hours import next_quarter, this_quarter
from dispatch.requirements import survey_problems
from dispatch.teams import suspended_problems, team_problems, with_team_named
from dispatch.visit_proposals import VisitProposal, local_days
from engineers.area_scope import title_for_reader
from engineers.models import Engineer, HeldSkill
from engineers.moment_texts import format_moment, format_span, format_span_on, format_time_on, format_when
from engineers.shifts import TimeSpan, WorkTime, local_time, with_day_before, work_time_of
from engineers.working_time_limits import days_that_count, limits_of, newly_broken_limits


class NotBookable(ActionRefused):
    """The visit cannot stand like this; each problem says why and what could be done."""


def work_time_during(engineer: Engineer, *, span: TimeSpan) -> WorkTime:
    """When the engineer works on the local days of a span, with the night shift of the evening before, and with one
    that begins where the span ends; reads `shifts`, `shift_exceptions` and `absences`."""
    days = {*local_days(span), local_time(span.end).date()}
    return work_time_of(engineer, days=with_day_before(days))


def booking_problems(
    proposal: VisitProposal,
    *,
    others: Iterable[Visit],
    today: ProgressToday = AS_PLANNED,
) -> list[Problem]:
    """All reasons at once why the proposal cannot stand. `others`: the visits of those who would attend that hold time
    in the proposal's neighbourhood."""
    held = list(proposal.engineer.held_skills.select_related("skill"))
    others = list(others)
    return [
        *hold_problems(proposal.job),
        *_location_problems(proposal),
        *_skill_problems(proposal, held=held),
        *team_problems(proposal, held=held),
        *_survey_problems(proposal),
        *_past_problems(proposal),
        *(_window_over_problems(proposal) or _window_problems(proposal)),
        *_time_problems(proposal, others=others, today=today),
    ]


def _time_problems(
    proposal: VisitProposal, *, others: Iterable[Visit], today: ProgressToday
) -> Iterator[Problem]:
    """Of everybody who would attend."""
    for person in proposal.for_each_person():
        own = [other for other in others if person.engineer.pk in other.people_keys]
        # whoever is on the way to this very job, or there, needs no drive
        is_coming = any(other.job_id == proposal.job.pk and has_set_off(other) for other in own)
        is_settled = is_coming or proposal.is_planned_for(person.engineer)
        asked = replace(person, as_of=None) if is_settled else person
        apart = [other for other in own if other.job_id != proposal.job.pk]
        yield from attendance_problems(asked, others=apart, today=today)


def attendance_problems(
    person: VisitProposal, *, others: Iterable[Visit], today: ProgressToday = AS_PLANNED
) -> list[Problem]:
    """Of the time of the proposal's first engineer, whose visits `others` are."""
    own, at_work = list(others), work_time_during(person.engineer, span=person.span)
    found = [
        *suspended_problems(person.engineer),
        *_shift_problems(person, others=own, at_work=at_work),
        *_overlap_problems(person, others=own),
        *drive_problems(person, others=own, today=today, at_work=at_work),
    ]
    return [with_team_named(problem, person) for problem in found]


def hold_problems(job: Job) -> list[Problem]:
    """Whoever held it releases it first: a reason is no way round a network that is down."""
    on_hold_since = job.on_hold_since
    if on_hold_since is None:
        return []
    message = _("This job has been on hold since %(at)s. Release it first.")
    return [Problem("on_hold", "job", message % {"at": format_moment(on_hold_since)})]


def _location_problems(proposal: VisitProposal) -> list[Problem]:
    if not proposal.job.needs_location:
        return []
    message = _("This job has no location yet. Set the location first.")
    return [Problem("needs_location", "location", message)]


def _skill_problems(proposal: VisitProposal, *, held: Iterable[HeldSkill]) -> Iterator[Problem]:
    """The first engineer's: the second one accompanies."""
    return skills.skill_problems(
        proposal.engineer, needed=proposal.requirements.skills, held=held, days=proposal.local_days
    )


def _survey_problems(proposal: VisitProposal) -> list[Problem]:
    """None for a job that was begun. What was planned before is put back without."""
    if proposal.is_begun or proposal.not_before is None:
        return []
    return survey_problems(proposal.requirements, starts_at=proposal.span.start)


def _window_over_problems(proposal: VisitProposal) -> list[Problem]:
    now = proposal.not_before
    if proposal.is_begun or now is None or now < proposal.job.window_end or proposal.keeps_agreed_start:
        return []
    can_override = proposal.is_later_that_day and not proposal.is_last_day_over
    message = (
        _(
            "The customer's window %(window)s has passed. Close the job without a visit, or say what was agreed."
        )
        if can_override
        else _("The customer's window %(window)s has passed. Close the job without a visit.")
    )
    parameters = {"window": format_span_on(proposal.job.window, day=local_time(now).date())}
    return [Problem("window_over", "starts_at", message % parameters, can_override=can_override)]


def _past_problems(proposal: VisitProposal) -> list[Problem]:
    """None where no other start is possible either."""
    now, starts_at = proposal.not_before, proposal.span.start
    if now is None or starts_at >= this_quarter(now) or proposal.is_last_day_over:
        return []
    today, following = local_time(now).date(), max(next_quarter(now), proposal.job.window_start)
    message = _("%(start)s is in the past. Choose a start from %(next)s on.")
    first, then = (format_time_on(moment, day=today) for moment in (starts_at, following))
    parameters = {"start": first, "next": then}
    return [Problem("in_the_past", "starts_at", message % parameters)]


def _window_problems(proposal: VisitProposal) -> list[Problem]:
    window, span = proposal.job.window, proposal.span
    # a visit longer than its window can only promise to begin inside it
    fits = window.contains(span) if span.length <= window.length else window.start <= span.start < window.end
    if fits or proposal.is_begun or proposal.keeps_agreed_start:
        return []
    # that somebody comes, or ends, later on that day the customer may agree to; never earlier, and on no other day
    can_override = window.start <= span.start < window.end or proposal.is_later_that_day
    message = _outside_window_message(window, span)
    return [Problem("outside_window", "starts_at", message, can_override=can_override)]


def _outside_window_message(window: TimeSpan, span: TimeSpan) -> str:
    """With the days where the visit's is not the window's."""
    moment = span.end if window.start <= span.start < window.end else span.start
    first_day, day = local_time(window.start).date(), local_time(moment).date()
    parameters = {"window": format_span_on(window, day=day), "end": format_when(moment, day=first_day)}
    parameters["start"] = format_time_on(moment, day=first_day)
    if span.start < window.start:
        return _("%(start)s is before the customer's window (%(window)s).") % parameters
    if span.start >= window.end:
        return _("%(start)s is after the customer's window (%(window)s).") % parameters
    return _("The visit would end %(end)s, after the customer's window (%(window)s).") % parameters


def _shift_problems(proposal: VisitProposal, *, others: Iterable[Visit], at_work: WorkTime) -> list[Problem]:
    """A visit outside the shift or over a break: both are the dispatcher's to decide, with a reason."""
    name = {"engineer": proposal.engineer.name}
    if any(shift.contains(proposal.span) for shift in at_work.attended):
        missed = _span_list(span for span in at_work.breaks if span.overlaps(proposal.span))
        text = _("%(engineer)s has a break %(hours)s.") % {**name, "hours": missed}
        return [Problem("on_break", "starts_at", text, can_override=True)] if missed else []
    hours = format_hours(at_work.attended, day=local_time(proposal.span.start).date())
    absences = (TimeSpan(away.starts_at, away.ends_at) for away in proposal.engineer.absences.all())
    away = _span_list(absence for absence in absences if absence.overlaps(proposal.span))
    absent, works = _("%(engineer)s is absent %(hours)s."), _("%(engineer)s works %(hours)s that day.")
    is_off = _("%(engineer)s is not working that day.")
    text = (absent if away else works if hours else is_off) % {**name, "hours": away or hours}
    outside = Problem(OUTSIDE_SHIFT, "starts_at", text, can_override=True)
    return [outside, *_working_time_problems(proposal, others=others)]


def _span_list(spans: Iterable[TimeSpan]) -> str:
    return ", ".join(map(format_span, spans))


def _working_time_problems(proposal: VisitProposal, *, others: Iterable[Visit]) -> Iterator[Problem]:
    """The engineer's limits that work outside the shift would break. No reason overrides them."""
    limits = limits_of(proposal.engineer)
    if not limits.is_any:
        return
    # with the breaks: they are no rest between two days
    rota = work_time_of(proposal.engineer, days=days_that_count(proposal.span)).attended
    rota = rota + [occupied_span(other) for other in others]
    for broken in newly_broken_limits(limits, before=rota, more=proposal.span):
        parameters = {"engineer": proposal.engineer.name, "limit": broken}
        yield Problem("working_time", "starts_at", _("%(engineer)s: %(limit)s.") % parameters)


def _overlap_problems(proposal: VisitProposal, *, others: Iterable[Visit]) -> list[Problem]:
    clashes = [other for other in others if occupied_span(other).overlaps(proposal.span)]
    return [with_other_job(_overlap_problem(proposal, other), other) for other in clashes]


def _overlap_problem(proposal: VisitProposal, other: Visit) -> Problem:
    text = _("%(engineer)s already has a visit at %(place)s, %(hours)s.")
    parameters = {
        "engineer": proposal.engineer.name,
        "place": title_for_reader(other.job.title),
        "hours": format_span(occupied_span(other)),
    }
    return Problem("double_booking", "starts_at", text % parameters)
