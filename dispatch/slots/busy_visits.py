"""Of visits only when they leave those who attend them no time, and where: a day of a large partner has thousands."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from django.db.models import Q

from dispatch.driving.drive_times import DriveTimes
from dispatch.driving.travel import Coordinates, as_coordinates, home_coordinates, job_coordinates
from dispatch.models import Job, VisitQuerySet
from dispatch.occupied_time import (
    HOLDS_NO_TIME,
    blocking_visits,
    held_span,
    withdrawn_at,
    withdrawn_visits,
)
from engineers.models import Engineer
from engineers.shifts import TimeSpan


class BusyVisit(NamedTuple):
    """`engineers`: who attends (keys). `held`: as occupied_time.occupied_span, with what the visit is expected to take
    beyond its planned length. `has_set_off`: somebody has begun it."""

    engineers: tuple[int, ...]
    held: TimeSpan
    position: Coordinates | None
    ended_at: datetime | None = None
    has_set_off: bool = False

    @property
    def free_at(self) -> datetime:
        """From when on the engineers can drive from there."""
        return self.ended_at or self.held.end

    @property
    def holds_time(self) -> bool:
        return self.held.start < self.held.end


def list_busy_visits(
    job: Job,
    span: TimeSpan,
    *,
    visits: VisitQuerySet,
    leaving: Collection[int] = (),
    expected: Mapping[int, TimeSpan] = MappingProxyType({}),
    now: datetime | None = None,
) -> list[BusyVisit]:
    """Of these visits those that hold time then, the job's own and those of the jobs (keys) `leaving` left out, in the
    order in which they end. `expected`: when those (keys) will be that are not as planned. `now`: with those from which
    somebody comes since they were withdrawn. One query."""
    others = blocking_visits(visits.exclude(job__in=leaving), span=span).exclude(job=job)
    if now is not None:
        others |= withdrawn_visits(visits.overlapping(span), now=now)
    people, times = ("engineer", "second_engineer"), ("planned_start", "planned_end", "overrun", "ended_at")
    set_off = Q(travel_started_at__isnull=False) | Q(arrived_at__isnull=False)
    rows = others.annotate(is_begun=set_off, is_over=HOLDS_NO_TIME).values_list(
        "pk", *people, *times, "unassigned_at", "is_begun", "is_over", "job__latitude", "job__longitude"
    )
    found = [
        BusyVisit(
            (engineer, second) if second else (engineer,),
            withdrawn_at(ended_at, gone_at)
            if is_over
            else expected.get(key) or held_span(starts_at, ends_at + overrun, ended_at),
            as_coordinates(*position),
            ended_at,
            is_begun,
        )
        for key, engineer, second, starts_at, ends_at, overrun, ended_at, gone_at, is_begun, is_over, *position in rows
    ]
    return sorted(found, key=attrgetter("free_at"))


def drive_seconds(
    job: Job, engineer: Engineer, *, before: Sequence[BusyVisit], starts_at: datetime, drives: DriveTimes
) -> int:
    """From the last of these visits of the engineer, or from home."""
    leaves_at = before[-1].free_at if before else starts_at
    return drives.seconds(drive_origin(engineer, before), job_coordinates(job), at=leaves_at)


def drive_origin(engineer: Engineer, before: Sequence[BusyVisit]) -> Coordinates | None:
    return before[-1].position if before else home_coordinates(engineer)
