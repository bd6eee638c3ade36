"""Checks of a job's line: what one found, whether the line is down, and the newest one, for screens and closing
rules."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction

from dispatch import job_events
from dispatch.job_events import Performer
from dispatch.models import (
    CODES_OF_A_LINE_THAT_IS_DOWN,
    ONT_DOWN,
    ConnectionState,
    Job,
    LineCheck,
    LinePart,
    NodeColour,
)
from dispatch.states import EventKind

UNKNOWN_PART = LinePart("unknown")


@dataclass(frozen=True)
class LineNode:
    """`path`: local or national."""

    path: str
    name: str
    colour: NodeColour


@dataclass(frozen=True)
class LineReading:
    """What one test of a line found, free of wire names; parts that were not reported are UNKNOWN_PART."""

    code: str
    current_status: str = ""
    result: str = ""
    action: str = ""
    ont: LinePart = field(default=UNKNOWN_PART)
    connection: LinePart = field(default=UNKNOWN_PART)
    port: LinePart = field(default=UNKNOWN_PART)
    path_usage: NodeColour = NodeColour.UNKNOWN
    nodes: tuple[LineNode, ...] = ()

    @property
    def is_down(self) -> bool:
        """The ONT or the network does not work. An unplugged router, or one that is wrong, is no fault of the line.

        The port says nothing here: an ONT that is down leaves it as last reported (faults-and-diagnostics.md, rule 1).
        """
        return (
            self.ont.state in ONT_DOWN
            or self.connection.state == ConnectionState.DOWN_SELLER
            or self.code in CODES_OF_A_LINE_THAT_IS_DOWN
        )


@transaction.atomic
def record_line_check(*, job: Job, reading: LineReading, by: Performer, checked_at: datetime) -> LineCheck:
    """Keep what the seller answered, and the event that the line was checked; the newest row of a job counts."""
    parts = {"ont": reading.ont, "connection": reading.connection, "port": reading.port}
    columns = {
        f"{name}_{column}": value for name, part in parts.items() for column, value in vars(part).items()
    }
    check = LineCheck(
        job=job,
        checked_at=checked_at,
        by=by.user,
        code=reading.code,
        current_status=reading.current_status,
        result=reading.result,
        action=reading.action,
        is_down=reading.is_down,
        path_usage=reading.path_usage,
        nodes=[vars(node) for node in reading.nodes],
        **columns,
    )
    return _record(check, by=by)


def _record(check: LineCheck, *, by: Performer) -> LineCheck:
    """The job is locked first: its event is numbered after the newest one."""
    job = job_events.lock_job(check.job)
    check.save(force_insert=True)
    facts = {"code": check.code, "is_down": check.is_down}
    job_events.record_event(
        job=job, kind=EventKind.LINE_CHECKED, by=by, occurred_at=check.checked_at, facts=facts
    )
    return check


def newest_line_check(job: Job) -> LineCheck | None:
    return job.line_checks.select_related("by").first()


def fresh_line_check(job: Job, *, now: datetime, seconds: float) -> LineCheck | None:
    """The newest check of this job's service that is at most so old, also where it was made for another job."""
    since = now - timedelta(seconds=seconds)
    same = LineCheck.objects.filter(
        job__service_identifier=job.service_identifier, checked_at__gt=since, checked_at__lte=now
    )
    return same.select_related("by").first()


@transaction.atomic
def copy_line_check(check: LineCheck, *, job: Job, by: Performer) -> LineCheck:
    """The same answer for another job of the same service; its own check stays as it is."""
    if check.job_id == job.pk:
        return check
    copied = {
        column.attname: getattr(check, column.attname)
        for column in LineCheck._meta.concrete_fields
        if column.name not in {"id", "job"}
    }
    return _record(LineCheck(job=job, **copied), by=by)


def is_line_down(job: Job, *, at: datetime) -> bool:
    """Whether the newest check until then found the line down: a success needs a reason then (closure_validation).

    A job that was locked for an engineer brings the newest check with it.
    """
    known = vars(job)
    if "newest_check_at" in known and (known["newest_check_at"] is None or known["newest_check_at"] <= at):
        return bool(known["newest_check_is_down"])
    until = job.line_checks.filter(checked_at__lte=at)
    return bool(until.values_list("is_down", flat=True).first())
