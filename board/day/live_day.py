"""A day as the live stream keeps it: read whole, and after events of jobs only what the rows of their engineers are."""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from django.utils.translation import override

from board.alarms.alarm_presenter import read_open_alarms
from board.day.board_presenter import axis_of, build_lanes
from board.day.day_data import DayData, load_day
from board.day.lanes import Lane
from board.day.timeline import Axis
from board.day.view_options import Viewer, ViewOptions
from dispatch.models import Job, Visit
from dispatch.requirements import follow_ups
from engineers.current_scope import limited_to

# no event says that a skill, working hours or a drive have changed, or that a row is a minute later than it was
WHOLE_AFTER = timedelta(seconds=10)
# a day of 600 engineers takes a second or more to read: then it is left alone for so many times that long
PAUSE_FACTOR = 20


@dataclass(frozen=True)
class BoardView:
    """What a board shows; boards with the same view get the same parts."""

    day: date
    language: str
    options: ViewOptions = field(default_factory=ViewOptions)
    viewer: Viewer = field(default_factory=Viewer)

    @property
    def of_day(self) -> "BoardView":
        """The same for all views whose boards have the same rows, in whatever order."""
        return replace(self, options=ViewOptions(span=self.options.span))

    @contextmanager
    def as_reader(self) -> Iterator[None]:
        """In the reader's language, and limited to the reader's areas."""
        with override(self.language), limited_to(self.viewer.scope):
            yield


@dataclass(frozen=True)
class LiveDay:
    """For the views of one `of_day`. `data` has all engineers, visits and unassigned jobs; what else is known of visits
    it has of those that were read last. `whole_at`: when everything was, in `reading_time`."""

    data: DayData
    axis: Axis
    lanes: dict[int, Lane]
    whole_at: datetime
    reading_time: timedelta

    def is_whole(self) -> bool:
        return self.data.now == self.whole_at

    def is_due(self, now: datetime) -> bool:
        """Whether something may be older than a board shows it for long."""
        return not self.is_whole() and now - self.whole_at >= max(
            WHOLE_AFTER, PAUSE_FACTOR * self.reading_time
        )


def read_live_day(view: BoardView, *, now: datetime) -> LiveDay:
    """The whole day."""
    began = time.monotonic()
    with view.as_reader():
        data = load_day(view.day, now=now, open_alarms=read_open_alarms(), viewer=view.viewer)
        axis = axis_of(view.day, data, part=view.options.span)
        lanes = build_lanes(data, axis)
    reading_time = timedelta(seconds=time.monotonic() - began)
    return LiveDay(data, axis, lanes, whole_at=now, reading_time=reading_time)


def update_live_day(earlier: LiveDay, view: BoardView, *, jobs: Collection[Job], now: datetime) -> LiveDay:
    """The day after events of these jobs; whole where they may have changed more than the rows of their engineers."""
    people = _people_of(jobs, earlier.data)
    with view.as_reader():
        fresh = load_day(view.day, now=now, open_alarms=read_open_alarms(), viewer=view.viewer, people=people)
        data = _joined(earlier.data, fresh, people)
        axis = axis_of(view.day, data, part=view.options.span)
        if axis == earlier.axis and _is_enough(earlier.data, fresh, people):
            return replace(earlier, data=data, lanes=earlier.lanes | build_lanes(fresh, axis))
    return read_live_day(view, now=now)


def _people_of(jobs: Collection[Job], data: DayData) -> set[int]:
    """Keys of whoever has or had one of these jobs, or one that follows it, and of all who share visits with them."""
    keys = {job.pk for job in jobs}
    following = follow_ups(
        [visit.job for visit in data.visits],
        premises={job.uprn for job in jobs} - {""},
        numbers={job.provider_job_id for job in jobs},
    )
    held = Visit.objects.active().filter(job__in=keys).values_list("engineer", "second_engineer")
    people = {person for team in held for person in team if person}
    people |= {
        person for visit in data.visits if visit.job_id in keys | following for person in visit.people_keys
    }
    teams = [set(visit.people_keys) for visit in data.visits if visit.second_engineer_id]
    while joining := {person for team in teams if team & people for person in team} - people:
        people |= joining
    return people


def _joined(earlier: DayData, fresh: DayData, people: set[int]) -> DayData:
    """`fresh`, which is of these people, with everybody's rows."""
    engineers = {engineer.pk: engineer for engineer in fresh.engineers}
    others = [visit for visit in earlier.visits if people.isdisjoint(visit.people_keys)]
    return replace(
        fresh,
        engineers=[engineers.get(engineer.pk, engineer) for engineer in earlier.engineers],
        visits=others + fresh.visits,
        work_of={**earlier.work_of, **fresh.work_of},
    )


def _is_enough(earlier: DayData, fresh: DayData, people: set[int]) -> bool:
    """Whether the rows of all other engineers are as they were."""
    attending = {person for visit in fresh.visits for person in visit.people_keys}
    visible = {engineer.pk for engineer in earlier.engineers} & people
    return (
        attending <= people
        and {engineer.pk for engineer in fresh.engineers} == visible
        and (fresh.unhandled, fresh.on_time) == (earlier.unhandled, earlier.on_time)
    )
