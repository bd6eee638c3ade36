"""Of visits only when they leave those who attend them no time, and where: a day of a large partner has thousands."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from dispatch.availability import blocking_visits, held_window
from dispatch.drive_times import DriveTimes
from dispatch.models import Job, VisitQuerySet
from dispatch.travel import Coordinates, as_coordinates, home_coordinates, job_coordinates
from engineers.models import Engineer
from engineers.shifts import Window


class BusyVisit(NamedTuple):
    """`engineers`: who attends (keys). `held`: as availability.occupied_window."""

    engineers: tuple[int, ...]
    held: Window
    position: Coordinates | None

    @property
    def holds_time(self) -> bool:
        return self.held.start < self.held.end


def list_busy_visits(
    job: Job, span: Window, *, visits: VisitQuerySet, expected: Mapping[int, Window] = MappingProxyType({})
) -> list[BusyVisit]:
    """Of these visits those that hold time then, the job's own left out, in the order of the plan. `expected`: when
    those (keys) will be that are not as planned. One query."""
    others = blocking_visits(visits, span=span).exclude(job=job)
    people, times = ("engineer", "second_engineer"), ("planned_start", "planned_end", "ended_at")
    rows = others.values_list("pk", *people, *times, "job__latitude", "job__longitude")
    return [
        BusyVisit(
            (engineer, second) if second else (engineer,),
            expected.get(key) or held_window(starts_at, ends_at, ended_at),
            as_coordinates(latitude, longitude),
        )
        for key, engineer, second, starts_at, ends_at, ended_at, latitude, longitude in rows
    ]


def drive_seconds(
    job: Job, engineer: Engineer, *, before: Sequence[BusyVisit], starts_at: datetime, drives: DriveTimes
) -> int:
    """From the last of these visits of the engineer, or from home."""
    leaves_at = before[-1].held.end if before else starts_at
    return drives.seconds(drive_origin(engineer, before), job_coordinates(job), at=leaves_at)


def drive_origin(engineer: Engineer, before: Sequence[BusyVisit]) -> Coordinates | None:
    return before[-1].position if before else home_coordinates(engineer)
