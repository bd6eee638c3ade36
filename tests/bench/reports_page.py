"""`python -m tests.bench.reports_page JOBS`: fills a database with so many jobs, most over, and opens the reports.

A process of its own, since its database is chosen from the environment before Django starts.
"""

import json
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

# sets Django up, so it comes first
from tests.bench.search_page import job_rows  # isort: skip

from django.core.management import call_command
from django.db import connection, models, transaction
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from board.reports import figures
from board.reports.missed_appointments import missed_rows
from board.reports.report_filter import report_form
from board.reports.report_presenter import MOST_MISSED
from closures.models import Closure, Photo
from dispatch.models import Job, JobEvent, ProvisioningResult, RecordedForecast, Visit
from dispatch.states import JobState
from engineers.models import Area, Engineer, User
from seller_link.models import OutboundMessage
from tests import make
from tests.bench.table_rows import insert_from

ROUNDS = 3
ENGINEERS, PHOTOS, HOURS = 60, 5, 4
SPANS = {"month": 30, "quarter": 91, "year": 366}
CODES = {0: "RNA/NA", 1: "POP"}


class Filling:
    """Rows made from the jobs' own by the database, since two million of them by the ORM take half an hour."""

    def __init__(self, *, oldest: datetime) -> None:
        self.is_sqlite = connection.vendor == "sqlite"
        self.oldest = oldest
        self.key = "lower(hex(randomblob(16)))" if self.is_sqlite else "gen_random_uuid()"

    def later(self, column: str, minutes: str) -> str:
        if self.is_sqlite:
            return f"datetime({column}, ({minutes}) || ' minutes')"
        return f"({column} + ({minutes}) * interval '1 minute')"

    def add(
        self, model: type[models.Model], columns: dict[str, str], *, numbers: int = 1, is_all: bool = False
    ) -> None:
        """`numbers` rows for each closed job, as expressions over `job` and `n.number`; of days that a report can be
        about, unless `is_all`. What is left out is null or has the field's default."""
        row_numbers = " UNION ALL ".join(f"SELECT {number} AS number" for number in range(numbers))
        since = datetime(2000, 1, 1, tzinfo=UTC) if is_all else self.oldest
        window = Job._meta.get_field("window_start").get_db_prep_value(since, connection)
        insert_from(
            model,
            columns,
            source=f"dispatch_job job CROSS JOIN ({row_numbers}) n WHERE job.state = %s AND job.window_start >= %s",
            values=[JobState.CLOSED, window],
        )


@transaction.atomic
def grow(count: int, engineers: Sequence[Engineer]) -> None:
    """Jobs of all those days, each over with a visit and an outcome; of the days that a report can be about, everything
    that it counts."""
    now = timezone.now()
    rows = list(job_rows(count))
    for job in rows:
        if job.window_end < now:
            job.state = JobState.CLOSED
    Job.objects.bulk_create(rows, batch_size=400)
    filling = Filling(oldest=now - timedelta(days=SPANS["year"] + 1))
    first = min(engineer.pk for engineer in engineers)
    arrived = filling.later("job.window_start", "job.id % 330 - 20")
    ended = filling.later("job.window_start", "job.id % 330 + 40")
    filling.add(
        Visit,
        {
            "id": "job.id",
            "job_id": "job.id",
            "engineer_id": f"{first} + job.id % {len(engineers)}",
            "planned_start": "job.window_start",
            "planned_end": filling.later("job.window_start", "120"),
            "travel_started_at": filling.later("job.window_start", "job.id % 330 - 40"),
            "arrived_at": arrived,
            "ended_at": ended,
        },
        is_all=True,
    )
    cases = " ".join(f"WHEN {number} THEN '{code}'" for number, code in CODES.items())
    filling.add(
        Closure,
        {
            "job_id": "job.id",
            "code": f"CASE job.id % 10 {cases} ELSE 'SP' END",
            "description": "'As found'",
            "closed_at": ended,
            "recorded_at": ended,
            "by_name": "'Erin'",
        },
        is_all=True,
    )
    add_evidence(filling, arrived, ended)


def add_evidence(filling: Filling, arrived: str, ended: str) -> None:
    seen = {"occurred_at": arrived, "recorded_at": arrived}
    filling.add(
        ProvisioningResult,
        {
            "job_id": "job.id",
            "result_id": "2 + CAST(job.id % 10 = 0 AS INTEGER)",
            "success": "job.id % 10 <> 0",
            **seen,
        },
    )
    filling.add(
        Photo,
        {"id": filling.key, "job_id": "job.id", "question_code": "'PHO01'", "taken_at": arrived}
        | {"recorded_at": arrived, "stored_at": ended},
        numbers=PHOTOS,
    )
    filling.add(
        JobEvent,
        {"id": "job.id", "job_id": "job.id", "seq": "1", "kind": "'closed'", "actor": "'engineer'"}
        | {"occurred_at": ended, "recorded_at": ended},
    )
    filling.add(
        OutboundMessage,
        {
            "job_id": "job.id",
            "event_id": "job.id",
            "seq": "1",
            "message_id": filling.key,
            "operation": "'closeJob'",
        }
        | {"body": "'{}'", "state": "'sent'", "created_at": ended, "next_attempt_at": ended}
        | {"sent_at": filling.later(ended, "1")},
    )
    filling.add(
        RecordedForecast,
        {"visit_id": "job.id", "hour": filling.later("job.window_start", "60 * n.number")}
        | {"planned_start": "job.window_start", "chance": "(job.id % 100) / 100.0"},
        numbers=HOURS,
    )


def query_of(span: str, by: str = "day") -> dict[str, str]:
    last = timezone.localdate()
    return {"first": f"{last - timedelta(days=SPANS[span] - 1)}", "last": f"{last}", "by": by}


def page_seconds(client: Client, span: str) -> float:
    """The slower of two groupings, each the median."""
    medians = []
    for by in ("day", "engineer"):
        durations = []
        for _ in range(ROUNDS):
            started = time.perf_counter()
            answer = client.get("/board/reports/", query_of(span, by))
            durations.append(time.perf_counter() - started)
            if answer.status_code != 200:
                raise RuntimeError(f"{span} answered {answer.status_code}")
        medians.append(statistics.median(durations))
    return round(max(medians), 2)


def figure_seconds(span: str) -> dict[str, float]:
    """Each figure of the page alone."""
    query = make_query(span)
    form = report_form(query)
    if not form.is_valid():
        raise RuntimeError(form.errors.as_text())
    data, found = form.cleaned_data, {}
    more: dict[str, dict[str, Any]] = {
        "figure_rows": {},
        "code_rows": {},
        "failure_rows": {},
        "missed_rows": {"most": MOST_MISSED},
        "calibration_groups": {"now": timezone.now()},
    }
    for name, arguments in more.items():
        started = time.perf_counter()
        function = missed_rows if name == "missed_rows" else getattr(figures, name)
        function(data, **arguments)
        found[name] = round(time.perf_counter() - started, 3)
    return found


def make_query(span: str) -> QueryDict:
    query = QueryDict(mutable=True)
    query.update(query_of(span))
    return query


def main() -> None:
    call_command("migrate", verbosity=0)
    person: User = make.dispatcher()
    areas = [Area.objects.create(name=f"Area {number}") for number in range(6)]
    engineers = [make.engineer() for _ in range(ENGINEERS)]
    for number, engineer in enumerate(engineers):
        Engineer.objects.filter(pk=engineer.pk).update(area=areas[number % len(areas)])
    grow(int(sys.argv[1]), engineers)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    client = Client()
    client.force_login(person, "engineers.permissions.RoleBackend")
    found = {
        "pages": {span: page_seconds(client, span) for span in SPANS},
        "figures": {span: figure_seconds(span) for span in SPANS},
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
