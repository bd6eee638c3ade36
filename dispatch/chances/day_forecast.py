"""Makes the forecast of the rest of today, by the worker each minute, and keeps what is needed to judge it later."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import groupby

from django.db import transaction
from django.db.models import Prefetch

from dispatch import job_events
from dispatch.agreed_starts import latest_start
from dispatch.chances.day_simulation import DayOutcome, VisitAhead, simulate_day
from dispatch.chances.spreads import DEFAULT_TRAVEL, JobKind, Spread, Spreads
from dispatch.chances.visit_chances import VisitChance
from dispatch.forecast import Forecast, forecast_day, read_day_drives
from dispatch.models import DayForecast, Job, LearnedSpread, RecordedChance, SpreadKind, Visit
from dispatch.requirements import flag_codes
from dispatch.states import BEFORE_ARRIVAL, UNDER_WAY
from dispatch.teams import absent_people
from engineers.models import Absence
from engineers.shifts import Window, day_window, local_time

# a record of how well chances came true is of no use for longer
RECORDS_FOR = timedelta(days=90)


def update_forecast(now: datetime) -> DayForecast:
    """Of today; a repeat replaces it. Nothing is kept of earlier days but the recorded chances."""
    day = local_time(now).date()
    span = day_window(day)
    visits = _read_visits(span)
    simulated = list(_visits_ahead(visits, now=now))
    outcome = simulate_day(simulated, read_spreads(), now=_seconds(now), seed=day.toordinal())
    with transaction.atomic():
        DayForecast.objects.exclude(day=day).delete()
        forecast, _created = DayForecast.objects.update_or_create(
            day=day, defaults={"made_at": now, **_columns(outcome, visits)}
        )
        _record(outcome, visits, now=now)
    return forecast


def _read_visits(span: Window) -> dict[int, Visit]:
    """In the order in which they are laid out in a day; four queries."""
    absences = Absence.objects.overlapping(start=span.start, end=span.end)
    visits = (
        Visit.objects.active()
        .overlapping(span)
        .select_related("job", "engineer__user", "second_engineer__user")
        .prefetch_related(
            Prefetch("engineer__absences", queryset=absences),
            Prefetch("second_engineer__absences", queryset=absences),
        )
        .order_by("engineer", "planned_start")
    )
    return {visit.pk: visit for visit in visits}


def _visits_ahead(visits: Mapping[int, Visit], *, now: datetime) -> Iterator[VisitAhead]:
    """Each engineer's visits that have not ended, in the order in which they are made. At most three queries."""
    begun = job_events.jobs_begun(visit.job_id for visit in visits.values())
    groups = groupby(visits.values(), key=lambda visit: visit.engineer_id)
    days = [[visit for visit in own if not _is_left_by_absence(visit)] for _engineer, own in groups]
    drives = read_day_drives(days)
    for own in days:
        # in the order of work
        for key, forecast in forecast_day(own, now=now, drives=drives).items():
            if visits[key].ended_at is None and visits[key].job.is_open:
                yield _visit_ahead(visits[key], forecast, begun=begun)


def _is_left_by_absence(visit: Visit) -> bool:
    """Somebody else will have to do it: it says nothing about this engineer's day."""
    return visit.job.state in BEFORE_ARRIVAL - UNDER_WAY and bool(absent_people(visit))


def _visit_ahead(visit: Visit, forecast: Forecast, *, begun: Collection[int]) -> VisitAhead:
    # somebody was on site before and kept the window (visits.assign)
    is_begun = visit.job_id in begun and visit.arrived_at is None
    window_end = visit.planned_start + timedelta(days=1) if is_begun else latest_start(visit.job, visit)
    return VisitAhead(
        key=visit.pk,
        engineer=visit.engineer_id,
        kind=job_kind(visit.job),
        planned_start=_seconds(visit.planned_start),
        length_seconds=round(visit.span.length.total_seconds()),
        travel_seconds=round(forecast.travel.total_seconds()),
        window_end=_seconds(window_end),
        travel_started=_seconds(visit.travel_started_at) if visit.travel_started_at else None,
        arrived=_seconds(visit.arrived_at) if visit.arrived_at else None,
    )


def _seconds(moment: datetime) -> int:
    return round(moment.timestamp())


def _columns(outcome: DayOutcome, visits: Mapping[int, Visit]) -> dict[str, object]:
    chances = {
        str(visit.key): VisitChance(
            chance=visit.chance,
            planned_start=_seconds(visits[visit.key].planned_start),
            late_start=visit.late_start,
            cause=visit.cause.value,
            cause_title=visits[visit.cause_key].job.title if visit.cause_key else "",
        ).as_json()
        for visit in outcome.visits.values()
        if visit.chance is not None
    }
    finishes = {str(key): [end.finish, end.late_finish] for key, end in outcome.engineers.items()}
    return {
        "misses": round(outcome.misses, 3),
        "most_misses": outcome.most_misses,
        "chances": chances,
        "finishes": finishes,
    }


def _record(outcome: DayOutcome, visits: Mapping[int, Visit], *, now: datetime) -> None:
    """The first forecast of each hour, of visits whose windows are not over and count."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    RecordedChance.objects.filter(hour__lt=now - RECORDS_FOR).delete()
    if RecordedChance.objects.filter(hour=hour).exists():
        return
    RecordedChance.objects.bulk_create(
        (
            RecordedChance(
                visit=visits[key],
                hour=hour,
                planned_start=visits[key].planned_start,
                chance=found.chance,
            )
            for key, found in outcome.visits.items()
            if found.chance is not None
            and visits[key].job.window_end > now
            and not visits[key].is_start_agreed
        ),
        ignore_conflicts=True,
    )


def read_spreads() -> Spreads:
    """As learned (closures.spread_learning); defaults for what too few visits have shown. One query."""
    learned = list(LearnedSpread.objects.all())
    travel = next(
        (Spread(tuple(row.ratios)) for row in learned if row.kind == SpreadKind.TRAVEL), DEFAULT_TRAVEL
    )
    return Spreads(
        travel=travel,
        lengths={
            (row.job_type, row.product, row.flag): Spread(tuple(row.ratios))
            for row in learned
            if row.kind == SpreadKind.LENGTH
        },
        no_access={row.job_type: row.share for row in learned if row.share is not None},
    )


def job_kind(job: Job) -> JobKind:
    return JobKind(job.job_type, job.product_name, frozenset(flag_codes(job)))
