"""Learns from ended visits how far real times lie from planned ones: dispatch.chances simulates days with it, and
dispatch.drive_times corrects expected drives by it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from django.db import transaction

from closures.codes import family_of
from closures.models import Closure
from dispatch.chances.day_forecast import job_kind
from dispatch.chances.spreads import FEWEST_SAMPLES, JobGroup, JobKind, spread_of
from dispatch.drive_corrections import DriveSample, learn_corrections
from dispatch.drive_times import DriveTimes
from dispatch.forecast import Forecast, forecast_day, read_day_drives
from dispatch.job_lengths import LONGEST_PRODUCT, LengthSample, learn_lengths
from dispatch.models import Job, LearnedSpread, SpreadKind, Visit
from dispatch.states import JobState
from engineers.shifts import local_time

LEARN_FROM = timedelta(days=90)
# a shorter drive is mostly parking, and no visit that ended so soon was one
LEAST_DRIVE, LEAST_WORK = timedelta(minutes=5), timedelta(minutes=2)
# closure codes without the prefix of their family: nobody opened, or nobody over 18
NO_ACCESS_CODES = frozenset({"RNA/NA", "NA", "NAPUV"})


class _EndedVisit(NamedTuple):
    """`length`: real time by planned time; None, as `drive`, where it says nothing."""

    kind: JobKind
    is_without_access: bool
    length: float | None
    drive: DriveSample | None
    worked: LengthSample | None


@transaction.atomic
def learn_spreads(now: datetime) -> int:
    """From the closed jobs of the last 90 days, replacing what was learned before; the number of visits that count. Of
    fewer than FEWEST_SAMPLES nothing is learned, and the defaults of dispatch.chances.spreads stay."""
    ended = _ended_visits(now)
    LearnedSpread.objects.all().delete()
    drives = learn_corrections([visit.drive for visit in ended if visit.drive is not None], now=now)
    _learn_ratios(SpreadKind.TRAVEL, ("", "", ""), drives, now=now)
    learn_lengths([visit.worked for visit in ended if visit.worked is not None], now=now)
    for group, lengths in _lengths_by_group(ended).items():
        _learn_ratios(SpreadKind.LENGTH, group, lengths, now=now)
    by_type = sorted(ended, key=lambda visit: visit.kind.job_type)
    for job_type, of_type in groupby(by_type, key=lambda visit: visit.kind.job_type):
        own = list(of_type)
        if len(own) >= FEWEST_SAMPLES:
            LearnedSpread.objects.create(
                kind=SpreadKind.NO_ACCESS,
                job_type=job_type,
                learned_at=now,
                learned_from=len(own),
                share=sum(visit.is_without_access for visit in own) / len(own),
            )
    return len(ended)


def _lengths_by_group(ended: Sequence[_EndedVisit]) -> dict[JobGroup, list[float]]:
    found: dict[JobGroup, list[float]] = {}
    for visit in ended:
        for group in visit.kind.groups:
            if visit.length is not None and not visit.is_without_access:
                found.setdefault(group, []).append(visit.length)
    return found


def _learn_ratios(kind: SpreadKind, group: JobGroup, ratios: Sequence[float], *, now: datetime) -> None:
    job_type, product, flag = group
    if len(ratios) < FEWEST_SAMPLES or len(product) > LONGEST_PRODUCT:
        return
    LearnedSpread.objects.create(
        kind=kind,
        job_type=job_type,
        product=product,
        flag=flag,
        learned_at=now,
        learned_from=len(ratios),
        ratios=list(spread_of(ratios).ratios),
    )


def _ended_visits(now: datetime) -> list[_EndedVisit]:
    """At most four queries, however many."""
    visits = list(
        Visit.objects.active()
        .filter(
            job__state=JobState.CLOSED,
            arrived_at__isnull=False,
            ended_at__gte=now - LEARN_FROM,
            ended_at__lte=now,
        )
        .select_related("job", "engineer__user")
        .order_by("engineer", "planned_start")
    )
    codes = dict(
        Closure.objects.filter(job__in=[visit.job_id for visit in visits]).values_list("job", "code")
    )
    days = [list(own) for _day, own in groupby(visits, key=_day_of_engineer)]
    # as they are expected before anything is learned
    drives = DriveTimes(read_day_drives(days).road_seconds)
    return [
        _ended_visit(visit, codes.get(visit.job_id, ""), forecast)
        for own in days
        for visit, forecast in _with_forecasts(own, drives=drives, now=now)
    ]


def _day_of_engineer(visit: Visit) -> tuple[object, ...]:
    return visit.engineer_id, local_time(visit.planned_start).date()


def _with_forecasts(
    visits: Sequence[Visit], *, drives: DriveTimes, now: datetime
) -> list[tuple[Visit, Forecast]]:
    forecasts = forecast_day(visits, now=now, drives=drives)
    return [(visit, forecasts[visit.pk]) for visit in visits]


def _ended_visit(visit: Visit, code: str, forecast: Forecast) -> _EndedVisit:
    assert visit.arrived_at
    assert visit.ended_at
    length = visit.ended_at - visit.arrived_at
    is_without_access = code.removeprefix(family_of(visit.job.job_type)) in NO_ACCESS_CODES
    return _EndedVisit(
        kind=job_kind(visit.job),
        is_without_access=is_without_access,
        length=length / visit.span.length if length >= LEAST_WORK else None,
        drive=_drive(visit, forecast),
        worked=None if is_without_access or length < LEAST_WORK else _worked(visit.job, length),
    )


def _worked(job: Job, length: timedelta) -> LengthSample:
    kind = job_kind(job)
    return LengthSample(kind.job_type, kind.product, kind.flags, length / timedelta(minutes=1))


def _drive(visit: Visit, forecast: Forecast) -> DriveSample | None:
    if visit.travel_started_at is None or visit.arrived_at is None or forecast.travel < LEAST_DRIVE:
        return None
    real = visit.arrived_at - visit.travel_started_at
    began = local_time(visit.travel_started_at)
    return DriveSample(forecast.travel_source, began.hour, real / forecast.travel)
