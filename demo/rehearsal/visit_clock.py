"""The time in which a simulated visit passes: none at all, some hours ago, or as it really goes by."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Event
from typing import Protocol

from django.utils import timezone

from demo.rehearsal.app_client import SessionError


class VisitClock(Protocol):
    def now(self) -> datetime:
        """When what the engineer does next happens."""
        ...

    def spend(self, minutes: float) -> None:
        """The engineer is busy for so long."""
        ...


class NoTime:
    """A visit without pauses, as in a rehearsal."""

    def now(self) -> datetime:
        return timezone.now()

    def spend(self, minutes: float) -> None:
        pass


@dataclass
class PastTime:
    """A visit that lies behind us, reported now as by a phone that had no signal; never later than `latest`."""

    moment: datetime
    latest: datetime

    def now(self) -> datetime:
        return min(self.moment, self.latest)

    def spend(self, minutes: float) -> None:
        self.moment += timedelta(minutes=minutes)


class DayOver(SessionError):
    """Whoever is at work goes home."""


@dataclass
class LiveTime:
    """Real minutes divided by `speed`; `spend` raises DayOver as soon as `over` is set."""

    speed: float
    over: Event

    def now(self) -> datetime:
        return timezone.now()

    def spend(self, minutes: float) -> None:
        if self.over.wait(minutes * 60 / self.speed):
            raise DayOver
