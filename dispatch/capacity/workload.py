"""Who offers time and what needs it: frozen values, all times in minutes of a horizon."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import date

from dispatch.capacity.half_days import MinuteSpan

# of an area; None: without one
AreaKey = int | None


@dataclass(frozen=True)
class OfferedTime:
    """When one engineer works, breaks and absences left out; `skills`: the last day of each, None for ever."""

    engineer: int
    area: AreaKey
    worked: tuple[MinuteSpan, ...]
    skills: Mapping[str, date | None]

    def has_skills(self, needs: Set[str], day: date) -> bool:
        return needs <= self.skills.keys() and all(self.counts_on(code, day) for code in needs)

    def counts_on(self, code: str, day: date) -> bool:
        last = self.skills[code]
        return last is None or day <= last


@dataclass(frozen=True)
class AssignedVisit:
    """A visit that stays with its engineers; `span` begins with the drive to it."""

    engineers: tuple[int, ...]
    starts: int
    span: MinuteSpan
    needs: frozenset[str]


@dataclass(frozen=True)
class WaitingJob:
    """A job that needs an engineer: `length` minutes inside its window, after a drive of `drive` minutes. `team`: the
    skill of an engineer who comes with a second person, where it needs two people; two engineers need only `skills`.
    `is_too_early`: the lead time leaves no time of its window, so nobody may do it then."""

    key: int
    area: AreaKey
    window: MinuteSpan
    length: int
    drive: int
    skills: frozenset[str]
    team: frozenset[str] = frozenset()
    is_too_early: bool = False

    @property
    def needs(self) -> frozenset[str]:
        """Of one engineer."""
        return self.skills | self.team

    @property
    def minutes(self) -> int:
        return self.drive + self.length


@dataclass(frozen=True)
class Workload:
    """All that a horizon's figures are made of."""

    offered: list[OfferedTime]
    planned: list[AssignedVisit]
    waiting: list[WaitingJob]
