"""On which day of its window somebody can still do an urgent job."""

from datetime import date, datetime

from dispatch.models import Job
from dispatch.requirements import job_requirements
from dispatch.visit_proposals import local_days
from engineers.models import Engineer
from engineers.shifts import TimeSpan, day_span, with_day_before, work_time_of


def first_start(job: Job, start: datetime) -> datetime:
    """`start`, or the beginning of the first later day of the window on which somebody with the skills works for as
    long as the job takes; `start` where there is no such day. Whether they have other visits is up to the plan."""
    requirements = job_requirements(job)
    days = local_days(TimeSpan(start, job.window_end)) if start < job.window_end else []
    people = _active_engineers() if len(days) > 1 else []
    for day in days:
        earliest = max(start, day_span(day).start)
        is_in_time = requirements.earliest_day is None or day >= requirements.earliest_day
        able = (each for each in people if _has_skills(each, requirements.skills, day))
        if is_in_time and any(_can_work(each, job, day, earliest=earliest) for each in able):
            return earliest
    return start


def _active_engineers() -> list[Engineer]:
    found = Engineer.objects.active().select_related("user")
    return list(found.prefetch_related("held_skills__skill", "shifts", "shift_exceptions", "absences"))


def _has_skills(engineer: Engineer, skills: frozenset[str], day: date) -> bool:
    return skills <= {held.skill.code for held in engineer.held_skills.all() if held.counts_on(day)}


def _can_work(engineer: Engineer, job: Job, day: date, *, earliest: datetime) -> bool:
    """In a visit that begins on this day, not before this moment."""
    fits_window = job.duration <= job.window.length
    last = min(day_span(day).end, job.window_end)
    for part in work_time_of(engineer, days=with_day_before([day])).worked:
        begins = max(part.start, earliest)
        until = min(part.end, job.window_end) if fits_window else part.end
        if begins < last and begins + job.duration <= until:
            return True
    return False
