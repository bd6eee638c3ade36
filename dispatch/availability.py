"""May this engineer take this job at that time? Checked over the whole interval, inside the transaction."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.translation import gettext as _

from dispatch import skills
from dispatch.models import Job, Visit, VisitQuerySet
from dispatch.problems import ActionRefused, Problem
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import Window, local_time, working_windows

# the longest window of the wire profile, 31 days, may touch one day more
MAX_DAYS = 32
QUARTER = timedelta(minutes=15)


class NotBookable(ActionRefused):
    """The visit cannot stand like this; each problem says why and what could be done."""


def blocking_visits(visits: VisitQuerySet, *, span: Window) -> VisitQuerySet:
    """Visits that really hold time in this span: not taken off, not of a cancelled job, not ended before it."""
    return (
        visits.active()
        .overlapping(span)
        .exclude(job__state=JobState.CANCELLED)
        .exclude(ended_at__lte=span.start)
    )


def occupied_window(visit: Visit) -> Window:
    """The time that a visit holds: an ended one only until it ended."""
    return Window(visit.planned_start, min(visit.planned_end, visit.ended_at or visit.planned_end))


def local_days(span: Window) -> list[date]:
    """The local days of a span, at most MOST_DAYS: what the seller sent as a window may be centuries long."""
    first, last = local_time(span.start).date(), local_time(span.end).date()
    number = min((last - first).days + 1, MAX_DAYS)
    return [first + timedelta(days=offset) for offset in range(number)]


def working_windows_during(engineer: Engineer, *, span: Window) -> Iterator[Window]:
    """When the engineer works on the local days of a span; reads `shifts` and `absences` of the engineer."""
    shifts, absences = engineer.shifts.all(), engineer.absences.all()
    for day in local_days(span):
        yield from working_windows(shifts=shifts, absences=absences, day=day)


@dataclass(frozen=True)
class VisitProposal:
    """One engineer at one time for one job, as a dispatcher asks for it; `is_begun`: somebody was on site already.

    `not_before`: the visit must not begin before the quarter hour of this moment, for a page may stand a while
    before its button is pressed; None puts back what was planned before.
    """

    job: Job
    engineer: Engineer
    span: Window
    is_begun: bool = False
    not_before: datetime | None = None


def booking_problems(proposal: VisitProposal, *, others: Iterable[Visit]) -> list[Problem]:
    """All reasons at once why the proposal cannot stand. `others`: the engineer's occupying visits."""
    return [
        *_location_problems(proposal),
        *_skill_problems(proposal),
        *(_window_over_problems(proposal) or [*_past_problems(proposal), *_window_problems(proposal)]),
        *_shift_problems(proposal),
        *_overlap_problems(proposal, others=others),
    ]


def _location_problems(proposal: VisitProposal) -> list[Problem]:
    if not proposal.job.needs_location:
        return []
    message = _("This job has no location yet. Set the location first.")
    return [Problem("needs_location", "location", message)]


def _skill_problems(proposal: VisitProposal) -> list[Problem]:
    needed = skills.required_skills(job_type=proposal.job.job_type, flags=proposal.job.flags)
    missing = needed - {skill.code for skill in proposal.engineer.skills.all()}
    names = ", ".join(sorted(str(skills.SKILL_NAMES[code]) for code in missing))
    if not missing:
        return []
    message = _("%(engineer)s doesn't have the skills this job requires: %(skills)s.")
    given = {"engineer": proposal.engineer.name, "skills": names}
    return [Problem("skill_missing", "engineer", message % given)]


def _window_over_problems(proposal: VisitProposal) -> list[Problem]:
    if proposal.is_begun or proposal.not_before is None or proposal.not_before < proposal.job.window_end:
        return []
    message = _("The customer's window %(window)s has passed. Close the job without a visit.")
    given = {"window": format_time(proposal.job.window)}
    return [Problem("window_over", "starts_at", message % given)]


def _past_problems(proposal: VisitProposal) -> list[Problem]:
    if proposal.not_before is None or proposal.span.start >= this_quarter(proposal.not_before):
        return []
    message = _("%(start)s is in the past. The next possible start is %(next)s.")
    following = max(next_quarter(proposal.not_before), proposal.job.window_start)
    given = {"start": _hours(proposal.span.start), "next": _hours(following)}
    return [Problem("in_the_past", "starts_at", message % given)]


def this_quarter(moment: datetime) -> datetime:
    """The beginning of the quarter hour of that moment."""
    return moment - timedelta(
        minutes=moment.minute % 15, seconds=moment.second, microseconds=moment.microsecond
    )


def next_quarter(moment: datetime) -> datetime:
    """The first full quarter hour from that moment on."""
    begun = this_quarter(moment)
    return moment if moment == begun else begun + QUARTER


def _window_problems(proposal: VisitProposal) -> list[Problem]:
    window, span = proposal.job.window, proposal.span
    # a visit longer than its window can only promise to begin inside it
    fits = window.holds(span) if span.length <= window.length else window.start <= span.start < window.end
    if fits or proposal.is_begun:
        return []
    return [Problem("outside_window", "starts_at", _outside_window_message(window, span))]


def _outside_window_message(window: Window, span: Window) -> str:
    given = {"start": _hours(span.start), "end": _hours(span.end), "window": format_time(window)}
    if span.start < window.start:
        return _("%(start)s is before the customer's window (%(window)s).") % given
    if span.start >= window.end:
        return _("%(start)s is after the customer's window (%(window)s).") % given
    return _("The visit would end at %(end)s, after the customer's window (%(window)s).") % given


def _shift_problems(proposal: VisitProposal) -> list[Problem]:
    worked = list(working_windows_during(proposal.engineer, span=proposal.span))
    if any(shift.holds(proposal.span) for shift in worked):
        return []
    given = {"engineer": proposal.engineer.name, "hours": ", ".join(format_time(shift) for shift in worked)}
    works, is_off = (
        _("%(engineer)s works %(hours)s that day."),
        _("%(engineer)s is not working that day."),
    )
    return [Problem("outside_shift", "starts_at", (works if worked else is_off) % given)]


def _overlap_problems(proposal: VisitProposal, *, others: Iterable[Visit]) -> list[Problem]:
    clashes = [other for other in others if occupied_window(other).touches(proposal.span)]
    return [
        Problem(
            "double_booking",
            "starts_at",
            _("%(engineer)s already has a visit at %(place)s, %(hours)s.")
            % {
                "engineer": proposal.engineer.name,
                "place": other.job.postcode or other.job,
                "hours": format_time(occupied_window(other)),
            },
        )
        for other in clashes
        if other.job_id != proposal.job.pk
    ]


def format_time(span: Window) -> str:
    """`08:00–13:00` in the site's zone."""
    return f"{_hours(span.start)}–{_hours(span.end)}"


def _hours(moment: datetime) -> str:
    return f"{local_time(moment):%H:%M}"
