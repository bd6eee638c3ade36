"""May this engineer take this job at that time? Checked over the whole interval, inside the transaction."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from dispatch import skills
from dispatch.models import Job, Visit, VisitQuerySet
from dispatch.problems import Problem, Refused
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import Window, working_windows


class NotBookable(Refused):
    """The visit cannot stand like this; each problem says why and what could be done."""


def occupying(visits: VisitQuerySet, *, span: Window) -> VisitQuerySet:
    """Visits that really hold time in this span: not taken off, not of a cancelled job, not ended before it."""
    return (
        visits.standing()
        .touching(span)
        .exclude(job__state=JobState.CANCELLED)
        .exclude(ended_at__lte=span.start)
    )


def taken_span(visit: Visit) -> Window:
    """The time that a visit holds: an ended one only until it ended."""
    return Window(visit.planned_start, min(visit.planned_end, visit.ended_at or visit.planned_end))


def local_days(span: Window) -> list[datetime]:
    first, last = timezone.localtime(span.start), timezone.localtime(span.end)
    return [first + timedelta(days=offset) for offset in range((last.date() - first.date()).days + 1)]


def at_work(engineer: Engineer, *, span: Window) -> list[Window]:
    """When the engineer works on the local days of a span; reads `shifts` and `absences` of the engineer."""
    shifts, absences = engineer.shifts.all(), engineer.absences.all()
    return [
        worked
        for day in local_days(span)
        for worked in working_windows(shifts=shifts, absences=absences, day=day.date())
    ]


@dataclass(frozen=True)
class Proposal:
    """One engineer at one time for one job, as a dispatcher asks for it; `is_begun`: somebody was on site already."""

    job: Job
    engineer: Engineer
    span: Window
    is_begun: bool = False


def problems(proposal: Proposal, *, others: Iterable[Visit]) -> list[Problem]:
    """All reasons at once why the proposal cannot stand. `others`: the engineer's occupying visits."""
    return [
        *_location_problems(proposal),
        *_skill_problems(proposal),
        *_window_problems(proposal),
        *_shift_problems(proposal),
        *_overlap_problems(proposal, others=others),
    ]


def _location_problems(proposal: Proposal) -> list[Problem]:
    if not proposal.job.needs_location:
        return []
    return [
        Problem("needs_location", "location", "The job has no place on the map yet. Set its location first.")
    ]


def _skill_problems(proposal: Proposal) -> list[Problem]:
    needed = skills.needed(job_type=proposal.job.job_type, flags=proposal.job.flags)
    missing = needed - {skill.code for skill in proposal.engineer.skills.all()}
    names = ", ".join(sorted(skills.SKILL_NAMES[code] for code in missing))
    if not missing:
        return []
    message = f"{proposal.engineer.name} lacks a skill that this job asks for: {names}."
    return [Problem("skill_missing", "engineer", message)]


def _window_problems(proposal: Proposal) -> list[Problem]:
    window, span = proposal.job.window, proposal.span
    # a visit longer than its window can only promise to begin inside it
    fits = window.holds(span) if span.length <= window.length else window.start <= span.start < window.end
    if fits or proposal.is_begun:
        return []
    return [Problem("outside_window", "starts_at", f"The visit must lie inside the window {clock(window)}.")]


def _shift_problems(proposal: Proposal) -> list[Problem]:
    worked = at_work(proposal.engineer, span=proposal.span)
    if any(shift.holds(proposal.span) for shift in worked):
        return []
    hours = " and ".join(clock(shift) for shift in worked)
    message = f"{proposal.engineer.name} works {hours} on that day." if hours else ""
    return [
        Problem(
            "outside_shift", "starts_at", message or f"{proposal.engineer.name} does not work on that day."
        )
    ]


def _overlap_problems(proposal: Proposal, *, others: Iterable[Visit]) -> list[Problem]:
    clashes = [other for other in others if taken_span(other).touches(proposal.span)]
    return [
        Problem(
            "double_booking",
            "starts_at",
            f"{proposal.engineer.name} is at {other.job.postcode or other.job} {clock(taken_span(other))}.",
        )
        for other in clashes
        if other.job_id != proposal.job.pk
    ]


def clock(span: Window) -> str:
    """`08:00–13:00` in the site's zone."""
    return f"{timezone.localtime(span.start):%H:%M}–{timezone.localtime(span.end):%H:%M}"
