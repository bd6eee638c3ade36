"""Makes the forecast of the rest of today, by the worker each minute, and keeps what is needed to judge it later."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Prefetch

from dispatch import job_events
from dispatch.agreed_starts import agreed_start, latest_of
from dispatch.chances.day_simulation import DayOutcome, VisitAhead, simulate_day
from dispatch.chances.spreads import DEFAULT_TRAVEL, JobKind, Spread, Spreads
from dispatch.chances.visit_chances import VisitChance
from dispatch.forecast import forecast_day, order_of_work, read_day_drives, visits_by_engineer
from dispatch.models import DayForecast, Job, LearnedSpread, RecordedChance, SpreadKind, Visit
from dispatch.requirements import flag_codes
from dispatch.states import BEFORE_ARRIVAL, UNDER_WAY
from dispatch.teams import absent_people
from engineers.models import Absence
from engineers.shifts import local_time, working_day_span

# a record of how well chances came true is of no use for longer
RECORDS_FOR = timedelta(days=90)


def update_forecast(now: datetime) -> DayForecast:
    """Of today; a repeat replaces it. Nothing is kept of earlier days but the recorded chances."""
    day = local_time(now).date()
    visits = _read_visits(now)
    begun = job_events.jobs_begun(visit.job_id for visit in visits.values())
    simulated = list(_visits_ahead(visits, begun=begun, now=now))
    outcome = simulate_day(simulated, read_spreads(), now=_seconds(now), seed=day.toordinal())
    with transaction.atomic():
        DayForecast.objects.exclude(day=day).delete()
        forecast, _created = DayForecast.objects.update_or_create(
            day=day, defaults={"made_at": now, **_columns(outcome, visits)}
        )
        _record(outcome, visits, begun=begun, now=now)
    return forecast


def _read_visits(now: datetime) -> dict[int, Visit]:
    """By their keys; four queries."""
    span = working_day_span(now)
    absences = Absence.objects.overlapping(start=span.start, end=span.end)
    visits = (
        Visit.objects.active()
        .of_working_day(now)
        .select_related("job", "engineer__user", "second_engineer__user")
        .prefetch_related(
            Prefetch("engineer__absences", queryset=absences),
            Prefetch("second_engineer__absences", queryset=absences),
        )
        .order_by("engineer", "planned_start")
    )
    return {visit.pk: visit for visit in visits}


def _visits_ahead(
    visits: Mapping[int, Visit], *, begun: Collection[int], now: datetime
) -> Iterator[VisitAhead]:
    """Those that have not ended, in the order of work, a team's once. At most two queries."""
    attended = [visit for visit in visits.values() if not _is_left_by_absence(visit)]
    days = visits_by_engineer(attended)
    drives = read_day_drives(days.values())
    travel = {
        (key, engineer): round(forecast.travel.total_seconds())
        for engineer, own in days.items()
        for key, forecast in forecast_day(own, now=now, drives=drives).items()
    }
    for visit in sorted(attended, key=order_of_work):
        if visit.ended_at is None and visit.job.is_open:
            yield _visit_ahead(visit, travel, begun=begun)


def _is_left_by_absence(visit: Visit) -> bool:
    """Somebody else will have to do it: it says nothing about this engineer's day."""
    return visit.job.state in BEFORE_ARRIVAL - UNDER_WAY and bool(absent_people(visit))


def _visit_ahead(
    visit: Visit, travel: Mapping[tuple[int, int], int], *, begun: Collection[int]
) -> VisitAhead:
    """`travel`: seconds of the drive by the keys of visit and engineer."""
    is_begun = visit.job_id in begun and visit.arrived_at is None
    second = visit.second_engineer_id
    window_end = missed_from(visit.job, visit.planned_start, agreed=agreed_start(visit), is_begun=is_begun)
    return VisitAhead(
        key=visit.pk,
        engineer=visit.engineer_id,
        kind=job_kind(visit.job),
        planned_start=_seconds(visit.planned_start),
        length_seconds=round(visit.expected_length.total_seconds()),
        travel_seconds=travel[visit.pk, visit.engineer_id],
        window_end=_seconds(window_end),
        travel_started=_seconds(visit.travel_started_at) if visit.travel_started_at else None,
        arrived=_seconds(visit.arrived_at) if visit.arrived_at else None,
        second_engineer=second,
        second_travel_seconds=travel[visit.pk, second] if second else 0,
    )


def missed_from(job: Job, starts_at: datetime, *, agreed: datetime | None, is_begun: bool) -> datetime:
    """From when on a visit planned for `starts_at` misses its window, on its day never where somebody was on site
    before, who kept it (visits.assign). `agreed`: as for latest_of."""
    return starts_at + timedelta(days=1) if is_begun else latest_of(job, agreed)


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


def _record(
    outcome: DayOutcome, visits: Mapping[int, Visit], *, begun: Collection[int], now: datetime
) -> None:
    """The first forecast of each hour, of visits whose windows are not over and count: neither where another start was
    agreed nor where somebody has begun the job already."""
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
            and visits[key].job_id not in begun
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
