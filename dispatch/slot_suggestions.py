"""Who could take a job and when at the earliest, with driving times: suggestions for unassigned and refused jobs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import job_events, skills
from dispatch.availability import (
    LONGEST_DRIVE,
    MAX_DAYS,
    blocking_visits,
    next_quarter,
    occupied_window,
    work_time_during,
)
from dispatch.models import Job, Visit, VisitQuerySet
from dispatch.requirements import job_requirements
from dispatch.travel import home_coordinates, job_coordinates, travel_seconds, travel_time
from engineers.models import Engineer
from engineers.shifts import Window, day_window, is_absent_during, local_time, subtract

MAX_TRAVEL = timedelta(days=MAX_DAYS - 1)
# how far back a visit may lie to be where the engineer comes from
COMES_FROM = timedelta(days=1)


@dataclass(frozen=True)
class SlotSuggestion:
    """One engineer who may take the job; `travel_seconds` from the visit before, or from home. `slack`: what is free
    after it until the next visit's drive, a break or the end of the shift. `knows_premises`: has been there.
    `is_over_break`: there is time only over a break, which needs a reason."""

    engineer: Engineer
    starts_at: datetime
    travel_seconds: int
    slack: timedelta
    knows_premises: bool
    is_over_break: bool = False


@dataclass(frozen=True)
class UnfitEngineer:
    """Why somebody cannot take the job."""

    engineer: Engineer
    reason: str


def suggest_slots(
    job: Job, *, most: int = 5, not_before: datetime | None = None, only: Engineer | None = None
) -> list[SlotSuggestion]:
    """The nearest free engineers with the skills, each at the earliest quarter hour that fits, from `not_before`
    on if given; `only` this one if given. Seven queries."""
    day = _day_of(job, not_before)
    if day is None:
        return []
    able = Engineer.objects.active().with_skills(day.needed, on=_last_day(day.opens))
    if only:
        able = able.filter(pk=only.pk)
    people = able.select_related("user").prefetch_related("shifts", "shift_exceptions", "absences")
    offers = [_suggestion(day, engineer) for engineer in people]
    return sorted((offer for offer in offers if offer), key=_nearest_first)[:most]


def travel_before(job: Job, engineer: Engineer, *, starts_at: datetime) -> int:
    """Seconds of the drive to the job from the engineer's visit before that time, or from home."""
    day = Window(starts_at - COMES_FROM, starts_at)
    return _drive_seconds(job, engineer, before=_busy(job, day, visits=engineer.visits.all()))


def _drive_seconds(job: Job, engineer: Engineer, *, before: Sequence[Visit]) -> int:
    """From the last of these visits of the engineer, or from home."""
    origin = job_coordinates(before[-1].job) if before else home_coordinates(engineer)
    return travel_seconds(origin, job_coordinates(job))


def explain_unfit(job: Job, *, not_before: datetime | None = None) -> list[UnfitEngineer]:
    """Everybody who cannot take the job, with the reason, by name. Seven queries."""
    day = _day_of(job, not_before)
    if day is None:
        return []
    people = Engineer.objects.active().select_related("user")
    people = people.prefetch_related("held_skills__skill", "shifts", "shift_exceptions", "absences")
    found = [(engineer, _unfit_reason(day, engineer)) for engineer in people]
    unfit = [UnfitEngineer(engineer, reason) for engineer, reason in found if reason]
    return sorted(unfit, key=lambda person: person.engineer.name)


@dataclass(frozen=True)
class _JobDay:
    """A job, the time in which it may begin and end, and who is busy then."""

    job: Job
    opens: Window
    busy: dict[int, list[Visit]]
    needed: frozenset[str]
    know_premises: frozenset[int]


def _day_of(job: Job, not_before: datetime | None) -> _JobDay | None:
    """None where there is no time left, or no way to say how far it is."""
    if job.needs_location:
        return None
    reach = _reach(job)
    opens = _limited(Window(max(reach.start, not_before or reach.start), reach.end))
    if opens.start >= opens.end:
        return None
    busy: dict[int, list[Visit]] = {}
    near = _neighbourhood(job, Window(_previous_visit(reach.start, not_before), opens.end))
    for visit in _busy(job, near, visits=Visit.objects.all()):
        busy.setdefault(visit.engineer_id, []).append(visit)
    been_there = Visit.objects.filter(job__uprn=job.uprn, arrived_at__isnull=False).exclude(job=job)
    required = job_requirements(job)
    return _JobDay(
        job,
        opens,
        busy,
        needed=required.skills | required.team,
        know_premises=frozenset(been_there.values_list("engineer_id", flat=True)),
    )


def _unfit_reason(day: _JobDay, engineer: Engineer) -> str:
    """Empty for who fits."""
    last = _last_day(day.opens)
    held = engineer.held_skills.all()
    missing, expired = skills.missing_skills(needed=day.needed, held=held, first=last, last=last)
    if missing or expired:
        text = _("Skill missing: %(skills)s") if missing else _("Skill expired: %(skills)s")
        return text % {"skills": skills.skill_names(missing or expired)}
    at_work = work_time_during(engineer, span=day.opens).attended
    worked = [shift for shift in at_work if shift.touches(day.opens)]
    if not worked:
        is_away = is_absent_during(day.opens, engineer.absences.all())
        return _("Absent") if is_away else _("Not working in this window")
    if _suggestion(day, engineer) is None:
        return _("No free time long enough in this window, drives included")
    return ""


def _nearest_first(offer: SlotSuggestion) -> tuple[bool, int, datetime]:
    return offer.is_over_break, offer.travel_seconds, offer.starts_at


def _reach(job: Job) -> Window:
    """The promised window; for a job that was begun until the end of its day, or of this one (see booking)."""
    if not job_events.has_been_on_site(job):
        return job.window
    now = timezone.now()
    last = max(now, min(job.window_end, now + MAX_TRAVEL))
    return Window(job.window_start, day_window(local_time(last).date()).end)


def _limited(span: Window) -> Window:
    """No more days than are looked at (booking.local_days): a window may end in the year 9999."""
    return span if span.length <= MAX_TRAVEL else Window(span.start, span.start + MAX_TRAVEL)


def _last_day(span: Window) -> date:
    """Skills must count until the latest start that could be offered."""
    return local_time(span.end - timedelta(microseconds=1)).date()


def _previous_visit(start: datetime, not_before: datetime | None) -> datetime:
    return max(start, not_before - COMES_FROM) if not_before else start


def _neighbourhood(job: Job, span: Window) -> Window:
    """As far as a drive to or from another visit can matter (see VisitProposal); the ends of the calendar have none."""
    try:
        return Window(span.start - LONGEST_DRIVE, span.end + job.duration + LONGEST_DRIVE)
    except OverflowError:
        return span


def _busy(job: Job, span: Window, *, visits: VisitQuerySet) -> list[Visit]:
    """Of these visits those that hold time then, in the order of the plan."""
    others = blocking_visits(visits, span=span).exclude(job=job)
    return list(others.select_related("job").order_by("planned_start"))


def _suggestion(day: _JobDay, engineer: Engineer) -> SlotSuggestion | None:
    job, own = day.job, day.busy.get(engineer.pk, [])
    occupied = [_with_drives(visit, job) for visit in own if _holds_time(visit)]
    at_work = work_time_during(engineer, span=day.opens)
    without_break, over_break = (
        earliest_start(job, at_work=windows, occupied=occupied, opens=day.opens)
        for windows in (at_work.worked, at_work.attended)
    )
    starts_at = without_break or over_break
    if starts_at is None:
        return None
    before = [visit for visit in own if occupied_window(visit).end <= starts_at]
    return SlotSuggestion(
        engineer,
        starts_at,
        _drive_seconds(job, engineer, before=before),
        slack=_slack(
            starts_at + job.duration,
            at_work=at_work.worked if without_break else at_work.attended,
            occupied=occupied,
        ),
        knows_premises=engineer.pk in day.know_premises,
        is_over_break=without_break is None,
    )


def _slack(ends_at: datetime, *, at_work: Iterable[Window], occupied: Iterable[Window]) -> timedelta:
    limits = [span.start for span in occupied if span.start >= ends_at]
    limits += [shift.end for shift in at_work if shift.end >= ends_at]
    return min(limits, default=ends_at) - ends_at


def _holds_time(visit: Visit) -> bool:
    held = occupied_window(visit)
    return held.start < held.end


def _with_drives(visit: Visit, job: Job) -> Window:
    """The time that a visit holds, and the drives between it and the job."""
    held, drive = occupied_window(visit), travel_time(job_coordinates(visit.job), job_coordinates(job))
    return Window(held.start - drive, held.end + drive)


def earliest_start(
    job: Job, *, at_work: Iterable[Window], occupied: Iterable[Window], opens: Window
) -> datetime | None:
    """The first quarter hour in `opens` at which the whole visit fits between window, shift and visits."""
    occupied = list(occupied)
    for shift in at_work:
        for free in subtract(shift, occupied):
            starts_at = next_quarter(max(free.start, opens.start))
            # a visit longer than its window can only promise to begin inside it (see booking)
            latest = free.end if job.duration > job.window.length else min(free.end, opens.end)
            if starts_at + job.duration <= latest and starts_at < opens.end:
                return starts_at
    return None
