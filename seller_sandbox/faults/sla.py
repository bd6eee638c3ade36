"""The SLA clock: from Accepted to Resolved, standing still On Hold, going on after Re-Opened (D8)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from seller_sandbox import clock
from seller_sandbox.faults import sample_values
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.working_time import Calendar


@dataclass(frozen=True)
class SlaReading:
    """What the clock shows; `due_at` is when the target is reached if it runs on, None while it stands still."""

    elapsed: timedelta
    target: timedelta
    is_running: bool
    due_at: datetime | None

    @property
    def remaining(self) -> timedelta:
        return max(self.target - self.elapsed, timedelta())

    @property
    def is_breached(self) -> bool:
        return self.elapsed > self.target


def read(report: FaultReport, *, at: datetime | None = None) -> SlaReading:
    """The clock of a report now, or at a moment; the type that the report has now gives target and calendar."""
    moment = at or clock.now()
    target, calendar = _target(report)
    elapsed, is_running = timedelta(), False
    for interval in report.sla_intervals.filter(started_at__lte=moment):
        runs_still = interval.ended_at is None or interval.ended_at > moment
        end = moment if runs_still else interval.ended_at
        is_running = is_running or runs_still
        elapsed += calendar.elapsed(interval.started_at, end)
    remaining = max(target - elapsed, timedelta())
    due_at = calendar.add(moment, remaining) if is_running and remaining else None
    return SlaReading(elapsed, target, is_running, due_at)


def _target(report: FaultReport) -> tuple[timedelta, Calendar]:
    row = sample_values.read("sla_targets")["targets"].get(report.fault_type)
    if row is None:
        return timedelta(), Calendar()
    return timedelta(hours=row["hours"]), sample_values.calendar(row)
