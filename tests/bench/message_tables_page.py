"""`python -m tests.bench.message_tables_page ROWS`: fills the tables of messages and events and measures daily work.

A process of its own, since its database is chosen from the environment before Django starts.
"""

import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from tests.bench.message_operations import Operation, daily_work  # noqa: E402
from tests.bench.message_rows import TABLES  # noqa: E402
from tests.bench.statement_plans import StatementRecorder  # noqa: E402

ENGINEERS = 12


@dataclass(frozen=True)
class Measured:
    """The quickest of its rounds (on a busy machine nearest to the work itself), their median and the longest; which
    tables some statement reads from end to end; how many pages its SELECTs touch."""

    name: str
    is_frequent: bool
    quickest: float
    milliseconds: float
    longest: float
    read_whole: list[str]
    pages: int


def measure_operation(operation: Operation) -> Measured:
    durations, recorder = [], StatementRecorder()
    with operation.session():
        with connection.execute_wrapper(recorder):
            for _ in range(operation.rounds):
                started = time.perf_counter()
                operation.run()
                durations.append((time.perf_counter() - started) * 1000)
        read = recorder.read([model._meta.db_table for model in TABLES])
    return Measured(
        name=operation.name,
        is_frequent=operation.is_frequent,
        quickest=round(min(durations), 2),
        milliseconds=round(statistics.median(durations), 2),
        longest=round(max(durations), 2),
        read_whole=read.whole,
        pages=read.pages,
    )


def table_megabytes() -> dict[str, float]:
    """Rows and indexes of each table."""
    sizes = {}
    with connection.cursor() as cursor:
        for model in TABLES:
            cursor.execute("SELECT pg_total_relation_size(%s::regclass)", [model._meta.db_table])
            sizes[model.__name__] = round(cursor.fetchone()[0] / 1e6, 1)
    return sizes


def main() -> None:
    call_command("migrate", verbosity=0)
    started = time.monotonic()
    work = daily_work(int(sys.argv[1]), engineers=ENGINEERS)
    filled = round(time.monotonic() - started)
    sys.stderr.write(f"{work.history.rows} rows in {filled} s\n")
    found = []
    for operation in work.operations():
        found.append(measure_operation(operation))
        sys.stderr.write(f"{found[-1]}\n")
    result = {
        "rows": work.history.rows,
        "filled_seconds": filled,
        "megabytes": table_megabytes(),
        "operations": [asdict(measured) for measured in found],
    }
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
