"""May this engineer take this job at that time? Checked over the whole interval, inside the transaction."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from math import ceil

from django.conf import settings
from django.utils.translation import gettext as _

from dispatch import skills
from dispatch.driving.drive_times import DriveTimes, read_drive_times
from dispatch.driving.travel import job_coordinates
from dispatch.models import Job, Visit, VisitQuerySet
from dispatch.problems import ActionRefused, Problem
from dispatch.requirements import survey_problems
from dispatch.states import JobState
from dispatch.teams import suspended_problems, team_problems, with_team_named
from dispatch.visit_proposals import VisitProposal, local_days
from engineers.area_scope import title_for_reader
from engineers.models import Engineer, HeldSkill
from engineers.moment_texts import format_moment, format_span, format_span_on, format_time_on, format_when
from engineers.shifts import TimeSpan, WorkTime, day_span, local_time, with_day_before, work_time_of
from engineers.working_time_limits import days_that_count, limits_of, newly_broken_limits

QUARTER, MINUTE = timedelta(minutes=15), timedelta(minutes=1)


class NotBookable(ActionRefused):
    """The visit cannot stand like this; each problem says why and what could be done."""


def blocking_visits(visits: VisitQuerySet, *, span: TimeSpan) -> VisitQuerySet:
    """Visits that really hold time in this span: not taken off, not of a job that was cancelled or closed without a
    visit, not ended before it."""
    return (
        visits.active()
        .overlapping(span)
        .exclude(job__state=JobState.CANCELLED)
        .exclude(arrived_at=None, ended_at__isnull=False)
        .exclude(ended_at__lte=span.start)
    )


def occupied_span(visit: Visit) -> TimeSpan:
    """The time that a visit holds: an ended one only until it ended."""
    return held_span(visit.planned_start, visit.planned_end, visit.ended_at)


def held_span(planned_start: datetime, planned_end: datetime, ended_at: datetime | None) -> TimeSpan:
    return TimeSpan(planned_start, min(planned_end, ended_at or planned_end))


def work_time_during(engineer: Engineer, *, span: TimeSpan) -> WorkTime:
    """When the engineer works on the local days of a span, with the night shift of the evening before, and with one
    that begins where the span ends; reads `shifts`, `shift_exceptions` and `absences`."""
    days = {*local_days(span), local_time(span.end).date()}
    return work_time_of(engineer, days=with_day_before(days))


def booking_problems(proposal: VisitProposal, *, others: Iterable[Visit]) -> list[Problem]:
    """All reasons at once why the proposal cannot stand. `others`: the visits of those who would attend that hold time
    in the proposal's neighbourhood."""
    held = list(proposal.engineer.held_skills.select_related("skill"))
    others = [other for other in others if other.job_id != proposal.job.pk]
    return [
        *hold_problems(proposal.job),
        *_location_problems(proposal),
        *_skill_problems(proposal, held=held),
        *team_problems(proposal, held=held),
        *_survey_problems(proposal),
        *_past_problems(proposal),
        *(_window_over_problems(proposal) or _window_problems(proposal)),
        *_time_problems(proposal, others=others),
    ]


def _time_problems(proposal: VisitProposal, *, others: Iterable[Visit]) -> Iterator[Problem]:
    """Of everybody who would attend."""
    for person in proposal.for_each_person():
        own = [other for other in others if person.engineer.pk in other.people_keys]
        yield from attendance_problems(person, others=own)


def attendance_problems(person: VisitProposal, *, others: Iterable[Visit]) -> list[Problem]:
    """Of the time of the proposal's first engineer, whose visits `others` are."""
    own = list(others)
    found = [
        *suspended_problems(person.engineer),
        *_shift_problems(person, others=own),
        *_overlap_problems(person, others=own),
        *_travel_problems(person, others=own),
    ]
    return [with_team_named(problem, person) for problem in found]


def hold_problems(job: Job) -> list[Problem]:
    """Whoever held it releases it first: a reason is no way round a network that is down."""
    held_at = job.held_at
    if held_at is None:
        return []
    message = _("This job has been on hold since %(at)s. Release it first.")
    return [Problem("on_hold", "job", message % {"at": format_moment(held_at)})]


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
    if proposal.is_begun or now is None or now < proposal.job.window_end:
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


def this_quarter(moment: datetime) -> datetime:
    """The beginning of the quarter hour of that moment."""
    return moment.replace(minute=moment.minute - moment.minute % 15, second=0, microsecond=0)


def next_quarter(moment: datetime) -> datetime:
    """The first full quarter hour from that moment on."""
    begun = this_quarter(moment)
    return moment if moment == begun else begun + QUARTER


def _window_problems(proposal: VisitProposal) -> list[Problem]:
    window, span = proposal.job.window, proposal.span
    # a visit longer than its window can only promise to begin inside it
    fits = window.contains(span) if span.length <= window.length else window.start <= span.start < window.end
    if fits or proposal.is_begun:
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


def _shift_problems(proposal: VisitProposal, *, others: Iterable[Visit]) -> list[Problem]:
    """A visit outside the shift or over a break: both are the dispatcher's to decide, with a reason."""
    at_work = work_time_during(proposal.engineer, span=proposal.span)
    name = {"engineer": proposal.engineer.name}
    if any(shift.contains(proposal.span) for shift in at_work.attended):
        missed = _span_list(span for span in at_work.breaks if span.overlaps(proposal.span))
        text = _("%(engineer)s has a break %(hours)s.") % {**name, "hours": missed}
        return [Problem("on_break", "starts_at", text, can_override=True)] if missed else []
    day = day_span(local_time(proposal.span.start).date())
    hours = _span_list(shift for shift in at_work.attended if shift.overlaps(day))
    absences = (TimeSpan(away.starts_at, away.ends_at) for away in proposal.engineer.absences.all())
    away = _span_list(absence for absence in absences if absence.overlaps(proposal.span))
    absent, works = _("%(engineer)s is absent %(hours)s."), _("%(engineer)s works %(hours)s that day.")
    is_off = _("%(engineer)s is not working that day.")
    text = (absent if away else works if hours else is_off) % {**name, "hours": away or hours}
    outside = Problem("outside_shift", "starts_at", text, can_override=True)
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


def _number(other: Visit) -> str:
    return other.job.provider_job_id if other.is_in_scope else ""


def _overlap_problems(proposal: VisitProposal, *, others: Iterable[Visit]) -> list[Problem]:
    clashes = [other for other in others if occupied_span(other).overlaps(proposal.span)]
    return [
        Problem(
            "double_booking",
            "starts_at",
            _("%(engineer)s already has a visit at %(place)s, %(hours)s.")
            % {
                "engineer": proposal.engineer.name,
                "place": title_for_reader(other.job.title),
                "hours": format_span(occupied_span(other)),
            },
            other_job=_number(other),
            other_title=other.job.title if _number(other) else "",
        )
        for other in clashes
    ]


def _travel_problems(proposal: VisitProposal, *, others: Iterable[Visit]) -> list[Problem]:
    """Drives for which the plan leaves too little time. What was planned before is put back without."""
    if proposal.not_before is None:
        return []
    near = [other for other in others if occupied_span(other).overlaps(proposal.within_a_drive)]
    held = [(other, occupied_span(other)) for other in near]
    apart = [
        (other, span) for other, span in held if span.start < span.end and not span.overlaps(proposal.span)
    ]
    if not apart:
        return []
    own = job_coordinates(proposal.job)
    positions = [job_coordinates(other.job) for other, _span in apart]
    drives = read_drive_times(drive for position in positions for drive in ((position, own), (own, position)))
    return [
        problem for other, span in apart for problem in _travel_problem(proposal, other, span, drives=drives)
    ]


def _travel_problem(
    proposal: VisitProposal, other: Visit, held: TimeSpan, *, drives: DriveTimes
) -> Iterator[Problem]:
    is_before = held.end <= proposal.span.start
    gap = proposal.span.start - held.end if is_before else held.start - proposal.span.end
    own, position = job_coordinates(proposal.job), job_coordinates(other.job)
    start, end, leaves_at = (position, own, held.end) if is_before else (own, position, proposal.span.end)
    drive = drives.time(start, end, at=leaves_at)
    if drive <= gap:
        return
    parameters = {
        "drive": ceil(drive / MINUTE),
        "gap": gap // MINUTE,
        "postcode": title_for_reader(other.job.title),
        "hours": format_span(held),
    }
    if is_before:
        text = _(
            "The drive from %(postcode)s (%(hours)s) takes %(drive)d min, but there are only %(gap)d min."
        )
    else:
        text = _("The drive to %(postcode)s (%(hours)s) takes %(drive)d min, but there are only %(gap)d min.")
    is_tight = drive - gap <= MINUTE * settings.TRAVEL_SHORTFALL_MINUTES
    yield Problem(
        "travel",
        "starts_at",
        text % parameters,
        can_override=is_tight,
        other_job=_number(other),
        other_title=other.job.title if _number(other) else "",
    )
