"""The newest forecast of a day as pages read it: nothing is simulated here."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from dispatch.models import DayForecast, Visit
from dispatch.on_time_forecast.causes import Cause

# made each minute: after this long it says nothing any more
VALID_FOR = timedelta(minutes=5)


@dataclass(frozen=True)
class OnTimeForecast:
    """`probability`: that it begins inside its window, from 0 to 1. `late_start`: what nine of ten simulated days keep,
    and `planned_start` as it was when the forecast was made, both in seconds since 1970."""

    probability: float
    planned_start: int
    late_start: int
    cause: str = Cause.NONE.value
    cause_title: str = ""

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "probability": round(self.probability, 3)}


@dataclass(frozen=True)
class DayOnTimeForecast:
    """Empty where there is no forecast of the day, or only an old one."""

    made_at: datetime | None = None
    misses: float = 0.0
    most_misses: int = 0
    by_visit: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    finishes: Mapping[str, list[int]] = field(default_factory=dict)

    def of_visit(self, visit: Visit) -> OnTimeForecast | None:
        """None where it was moved since, or has begun."""
        found = self.by_visit.get(str(visit.pk))
        if (
            found is None
            or visit.arrived_at
            or found["planned_start"] != round(visit.planned_start.timestamp())
        ):
            return None
        return OnTimeForecast(**found)

    def finish_of(self, engineer: int) -> datetime | None:
        """When the engineer's last visit is expected to end."""
        found = self.finishes.get(str(engineer))
        return datetime.fromtimestamp(found[0], tz=self.made_at.tzinfo) if found and self.made_at else None


def read_on_time_forecast(day: date, *, now: datetime) -> DayOnTimeForecast:
    """One query."""
    forecast = DayForecast.objects.filter(day=day, made_at__gt=now - VALID_FOR, made_at__lte=now).first()
    if forecast is None:
        return DayOnTimeForecast()
    return DayOnTimeForecast(
        made_at=forecast.made_at,
        misses=forecast.misses,
        most_misses=forecast.most_misses,
        by_visit=forecast.by_visit,
        finishes=forecast.finishes,
    )
