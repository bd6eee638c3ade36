"""Makes the forecast of the rest of today, by the worker each minute, and keeps what is needed to judge it later."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta

from django.db import transaction

from dispatch import job_events
from dispatch.agreed_starts import agreed_start, latest_of
from dispatch.forecast import order_of_work, visits_by_engineer
from dispatch.hours_conflicts import Conflicts, list_hours_conflicts, read_visits_today
from dispatch.models import DayForecast, Job, LearnedSpread, RecordedForecast, SpreadKind, Visit
from dispatch.on_time_forecast.day_simulation import DayOutcome, VisitAhead, simulate_day
from dispatch.on_time_forecast.spreads import DEFAULT_TRAVEL, JobKind, Spread, Spreads
from dispatch.on_time_forecast.stored_forecast import OnTimeForecast
from dispatch.requirements import flag_codes
from dispatch.states import BEFORE_ARRIVAL, UNDER_WAY
from dispatch.team_forecasts import forecast_days
from dispatch.teams import absent_people
from engineers.shifts import local_time

# a record of how well forecasts came true is of no use for longer
RECORDS_FOR = timedelta(days=90)


def update_forecast(now: datetime) -> DayForecast:
    """Of today; a repeat replaces it. Nothing is kept of earlier days but the recorded forecasts."""
    day = local_time(now).date()
    visits = {visit.pk: visit for visit in read_visits_today(now)}
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


def _visits_ahead(
    visits: Mapping[int, Visit], *, begun: Collection[int], now: datetime
) -> Iterator[VisitAhead]:
    """Those that have not ended, in the order of work, a team's once. At most four queries."""
    conflicts = list_hours_conflicts(visits.values())
    attended = [visit for visit in visits.values() if not _is_left(visit, conflicts)]
    forecasts = forecast_days(visits_by_engineer(attended), now=now).of_people
    travel = {key: round(forecast.travel.total_seconds()) for key, forecast in forecasts.items()}
    for visit in sorted(attended, key=order_of_work):
        if visit.ended_at is None and visit.job.is_open:
            yield _visit_ahead(visit, travel, begun=begun)


def _is_left(visit: Visit, conflicts: Conflicts) -> bool:
    """Somebody else will have to do it: it says nothing about this engineer's day."""
    is_left = visit.pk in conflicts or bool(absent_people(visit))
    return is_left and visit.job.state in BEFORE_ARRIVAL - UNDER_WAY


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
    by_visit = {
        str(visit.key): OnTimeForecast(
            probability=visit.probability,
            planned_start=_seconds(visits[visit.key].planned_start),
            late_start=visit.late_start,
            cause=visit.cause.value,
            cause_title=visits[visit.cause_key].job.title if visit.cause_key else "",
        ).as_json()
        for visit in outcome.visits.values()
        if visit.probability is not None
    }
    finishes = {str(key): [end.finish, end.late_finish] for key, end in outcome.engineers.items()}
    return {
        "misses": round(outcome.misses, 3),
        "most_misses": outcome.most_misses,
        "by_visit": by_visit,
        "finishes": finishes,
    }


def _record(
    outcome: DayOutcome, visits: Mapping[int, Visit], *, begun: Collection[int], now: datetime
) -> None:
    """The first forecast of each hour, of visits whose windows are not over and count: neither where another start was
    agreed nor where somebody has begun the job already."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    RecordedForecast.objects.filter(hour__lt=now - RECORDS_FOR).delete()
    if RecordedForecast.objects.filter(hour=hour).exists():
        return
    RecordedForecast.objects.bulk_create(
        (
            RecordedForecast(
                visit=visits[key],
                hour=hour,
                planned_start=visits[key].planned_start,
                probability=found.probability,
            )
            for key, found in outcome.visits.items()
            if found.probability is not None
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
