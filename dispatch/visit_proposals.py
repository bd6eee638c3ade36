"""A visit as a dispatcher asks for it, before anything is checked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property

from dispatch.models import Job, Visit
from dispatch.quarter_hours import this_quarter
from dispatch.requirements import JobRequirements, job_requirements
from engineers.models import Engineer
from engineers.shifts import TimeSpan, day_span, local_time, working_day_span
from engineers.working_time_limits import days_that_count, limits_of

LONGEST_DRIVE = timedelta(hours=6)
# the longest window of the wire profile, 31 days, may touch one day more
MAX_DAYS = 32


def local_days(span: TimeSpan) -> list[date]:
    """The local days of a span, at most MAX_DAYS: what the seller sent as a window may be centuries long."""
    first = local_time(span.start).date()
    number = min((span.last_day - first).days + 1, MAX_DAYS)
    return [first + timedelta(days=offset) for offset in range(number)]


@dataclass(frozen=True)
class VisitProposal:
    """One engineer at one time for one job, or a team of two; `is_begun`: somebody was on site already.

    `not_before`: the visit must not begin before the quarter hour of this moment, for a page may stand a while
    before its button is pressed; None puts back what was planned before. `as_of`: where the engineers are at this
    moment, and how late, counts for a visit of the same working day that is still to begin; None asks the plan alone.
    `current`: the visit that the proposal is to change, whose people are late or not whatever is decided now.
    """

    job: Job
    engineer: Engineer
    span: TimeSpan
    is_begun: bool = False
    not_before: datetime | None = None
    second_engineer: Engineer | None = None
    as_of: datetime | None = None
    current: Visit | None = None

    @cached_property
    def requirements(self) -> JobRequirements:
        return job_requirements(self.job)

    @property
    def present(self) -> datetime | None:
        """The moment `as_of`, where the visit is one of its working day and still to begin."""
        now, starts_at = self.as_of, self.span.start
        is_ahead = now is not None and this_quarter(now) <= starts_at < working_day_span(now).end
        return now if is_ahead else None

    def is_planned_for(self, engineer: Engineer) -> bool:
        """Whether this engineer has this very visit at this very time already."""
        now = self.current
        return now is not None and now.span == self.span and engineer.pk in now.people_keys

    @property
    def is_later_that_day(self) -> bool:
        """After the window, on its last day: the customer may agree to that."""
        window, starts_at = self.job.window, self.span.start
        return starts_at >= window.end and local_time(starts_at).date() == window.last_day

    @property
    def is_last_day_over(self) -> bool:
        """Nobody was there in the window, and it ended on a day before this one: no start is possible any more."""
        now, last = self.not_before, self.job.window.last_day
        return now is not None and not self.is_begun and last < local_time(now).date()

    @property
    def is_start_agreed(self) -> bool:
        """Where nothing refuses it: nobody was there in the window, and the customer agreed to a later start."""
        return not self.is_begun and self.is_later_that_day

    @property
    def keeps_agreed_start(self) -> bool:
        """Whoever comes then comes when the customer expects somebody; nobody has to agree to it again."""
        now = self.current
        return now is not None and now.is_start_agreed and now.planned_start == self.span.start

    def matches(self, visit: Visit) -> bool:
        """Whether the visit is planned exactly so already."""
        planned = (visit.engineer, visit.second_engineer, visit.span, visit.is_start_agreed)
        return planned == (self.engineer, self.second_engineer, self.span, self.is_start_agreed)

    @property
    def local_days(self) -> list[date]:
        return local_days(self.span)

    @property
    def within_a_drive(self) -> TimeSpan:
        """The time in which another visit can be too far away: the longest drive before and after."""
        return TimeSpan(self.span.start - LONGEST_DRIVE, self.span.end + LONGEST_DRIVE)

    @property
    def neighbourhood(self) -> TimeSpan:
        """The time in which another visit of those who would attend can matter: all of the present working day, and if
        the working time of one of them is limited, all days that count for that."""
        near = self.within_a_drive
        if self.present:
            today = working_day_span(self.present)
            near = TimeSpan(min(near.start, today.start), max(near.end, today.end))
        if not any(limits_of(person).is_any for person in self.people):
            return near
        days = days_that_count(self.span)
        return TimeSpan(min(near.start, day_span(days[0]).start), max(near.end, day_span(days[-1]).end))

    @property
    def people(self) -> list[Engineer]:
        """Who would attend."""
        return [self.engineer, self.second_engineer] if self.second_engineer else [self.engineer]

    def for_each_person(self) -> Iterator["VisitProposal"]:
        """The proposal as each of the team sees it: `engineer` is the one, `second_engineer` the other."""
        yield self
        if self.second_engineer:
            yield replace(self, engineer=self.second_engineer, second_engineer=self.engineer)
