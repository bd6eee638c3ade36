"""Learns from ended visits how far real times lie from planned ones: dispatch.on_time_forecast simulates days with it,
and dispatch.driving.drive_times corrects expected drives by it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F

from closures.codes import family_of
from closures.work_ends import WAS_SENT_BACK, WORK_END
from dispatch.driving.drive_corrections import (
    DriveSample,
    compute_corrections,
    corrected_ratios,
    replace_corrections,
)
from dispatch.driving.drive_times import DriveTimes
from dispatch.forecast import Forecast, forecast_day, read_day_drives
from dispatch.job_lengths import LengthSample, compute_lengths, is_storable, replace_lengths
from dispatch.models import Job, LearnedSpread, SpreadKind, Visit
from dispatch.on_time_forecast.day_forecast import job_kind
from dispatch.on_time_forecast.spreads import FEWEST_SAMPLES, JobGroup, JobKind, spread_of
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


def learn_spreads(now: datetime) -> int:
    """From the closed jobs of the last 90 days, replacing what was learned before; the number of visits that count. Of
    fewer than FEWEST_SAMPLES nothing is learned, and the defaults of dispatch.on_time_forecast.spreads stay.

    Ninety days are read and computed before the transaction begins: SQLite has one writer, and all others would wait.
    """
    ended = _ended_visits(now)
    drives = [visit.drive for visit in ended if visit.drive is not None]
    corrections = compute_corrections(drives, now=now)
    lengths = compute_lengths([visit.worked for visit in ended if visit.worked is not None], now=now)
    spreads = [
        *_ratio_spreads(SpreadKind.TRAVEL, {("", "", ""): corrected_ratios(drives, corrections)}, now=now),
        *_ratio_spreads(SpreadKind.LENGTH, _lengths_by_group(ended), now=now),
        *_no_access_spreads(ended, now=now),
    ]
    with transaction.atomic():
        replace_corrections(corrections)
        replace_lengths(lengths)
        LearnedSpread.objects.all().delete()
        LearnedSpread.objects.bulk_create(spreads)
    return len(ended)


def _no_access_spreads(ended: Sequence[_EndedVisit], *, now: datetime) -> Iterator[LearnedSpread]:
    by_type = sorted(ended, key=lambda visit: visit.kind.job_type)
    for job_type, of_type in groupby(by_type, key=lambda visit: visit.kind.job_type):
        own = list(of_type)
        if len(own) >= FEWEST_SAMPLES:
            yield LearnedSpread(
                kind=SpreadKind.NO_ACCESS,
                job_type=job_type,
                learned_at=now,
                learned_from=len(own),
                share=sum(visit.is_without_access for visit in own) / len(own),
            )


def _lengths_by_group(ended: Sequence[_EndedVisit]) -> dict[JobGroup, list[float]]:
    found: dict[JobGroup, list[float]] = {}
    for visit in ended:
        for group in visit.kind.groups:
            if visit.length is not None and not visit.is_without_access:
                found.setdefault(group, []).append(visit.length)
    return found


def _ratio_spreads(
    kind: SpreadKind, groups: Mapping[JobGroup, Sequence[float]], *, now: datetime
) -> Iterator[LearnedSpread]:
    for group, ratios in groups.items():
        if len(ratios) >= FEWEST_SAMPLES and is_storable(group):
            job_type, product, flag = group
            yield LearnedSpread(
                kind=kind,
                job_type=job_type,
                product=product,
                flag=flag,
                learned_at=now,
                learned_from=len(ratios),
                ratios=list(spread_of(ratios).ratios),
            )


def _ended_visits(now: datetime) -> list[_EndedVisit]:
    """At most three queries, however many."""
    visits: list[Any] = list(
        Visit.objects.active()
        .annotate(work_ended_at=WORK_END, was_sent_back=WAS_SENT_BACK, closure_code=F("job__closure__code"))
        .filter(
            job__state=JobState.CLOSED,
            arrived_at__isnull=False,
            ended_at__gte=now - LEARN_FROM,
            ended_at__lte=now,
        )
        .select_related("job", "engineer__user")
        .order_by("engineer", "planned_start")
    )
    codes = {visit.pk: visit.closure_code or "" for visit in visits}
    lengths = {
        visit.pk: visit.work_ended_at - visit.arrived_at for visit in visits if not visit.was_sent_back
    }
    days = [list(own) for _day, own in groupby(visits, key=_day_of_engineer)]
    # as they are expected before anything is learned
    drives = DriveTimes(read_day_drives((None, own) for own in days).road_seconds)
    return [
        _ended_visit(visit, codes[visit.pk], lengths.get(visit.pk, timedelta()), forecast)
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


def _ended_visit(visit: Visit, code: str, length: timedelta, forecast: Forecast) -> _EndedVisit:
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
