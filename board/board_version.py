"""The version of the board: a short text that changes with everything that a board shows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.db import connection, models
from django.utils import timezone

from dispatch.models import JobEvent
from engineers.models import Absence, CheckIn, ShiftException
from monitoring import alarms
from seller_link import outbox

# stands in the statement for the moment at which it is asked
ASKED_AT = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class BoardVersion:
    """`last_event`: the newest job event's key; `trouble`: alarms, check-ins, stuck messages, and the clock while a
    check-in is overdue; `rota`: absences and hours of single days, how many and the newest; `minute`: the clock."""

    last_event: int
    trouble: str
    rota: str
    minute: str

    def __str__(self) -> str:
        return f"{self.last_event}.{self.trouble}.{self.rota}.{self.minute}"

    def has_only_newer_events(self, earlier: "BoardVersion") -> bool:
        """Whether nothing else has changed since the earlier one."""
        return replace(self, last_event=earlier.last_event) == earlier


def read_version() -> BoardVersion:
    """Changes with every event, message in trouble, alarm, overdue check-in, absence and single day that
    differs, and each minute for the clock; one query."""
    now = timezone.now()
    statement, values = _statement()
    asked_at = connection.ops.adapt_datetimefield_value(ASKED_AT)
    moment = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(statement, [moment if value == asked_at else value for value in values])
        newest, *trouble, overdue, taken_over, absences, newest_absence, days, newest_day = cursor.fetchone()
    minute = f"{now:%H%M}"
    # an overdue check-in says for how many minutes
    trouble += [overdue, taken_over, minute if overdue else ""]
    return BoardVersion(
        newest or 0, _text(trouble), _text([absences, newest_absence, days, newest_day]), minute
    )


def _text(values: Iterable[Any]) -> str:
    return "-".join(str(value or 0) for value in values)


@cache
def _statement() -> tuple[str, list[Any]]:
    """With its values; made once: the stream asks twenty times a second, and writing it costs more than the answer."""
    tables, values = list[str](), list[Any]()
    for columns, rows in _counted():
        inner, bound = rows.order_by().query.sql_with_params()
        tables.append(f"(SELECT {columns} FROM ({inner}) counted) part{len(tables)}")  # noqa: S608  # names of ours
        values += bound
    return f"SELECT * FROM {', '.join(tables)}", values  # noqa: S608  # names of ours


def _counted() -> Iterator[tuple[str, models.QuerySet[Any, Any]]]:
    """What is asked of which rows, in the order in which read_version takes the answers."""
    yield "MAX(id)", JobEvent.objects.values("id")
    yield (
        "COUNT(*), MAX(id), MAX(changed_at), COUNT(acknowledged_at), MAX(acknowledged_at), MAX(snoozed_until)",
        alarms.open_alarms().values("id", "changed_at", "acknowledged_at", "snoozed_until"),
    )
    yield "COUNT(*)", outbox.stuck_messages().values("id")
    # these two are looked at by the clock, not only when something is written
    yield "COUNT(*)", alarms.open_alarms().filter(snoozed_until__gt=ASKED_AT).values("id")
    yield "COUNT(*), COUNT(acknowledged_at)", CheckIn.objects.overdue(ASKED_AT).values("acknowledged_at")
    # other than events of jobs, these are entered and removed under People; hours that change are a new row
    yield "COUNT(*), MAX(id)", Absence.objects.values("id")
    yield "COUNT(*), MAX(id)", ShiftException.objects.values("id")
