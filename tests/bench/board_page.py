"""`python -m tests.bench.board_page ENGINEERS JOBS …`: grows a day to each size and measures its board.

A process of its own, since its database is chosen from the environment before Django starts.
"""

import json
import statistics
import sys
import time
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from dispatch import jobs, visits  # noqa: E402
from engineers.models import Engineer, User  # noqa: E402
from tests import make  # noqa: E402

ROUNDS = 9
MINUTES = 90
# an engineer's five visits: start and window
POSITIONS = (
    ("08:00", ("08:00", "13:00")),
    ("09:30", ("08:00", "13:00")),
    ("11:00", ("08:00", "13:00")),
    ("13:00", ("13:00", "18:00")),
    ("14:30", ("13:00", "18:00")),
)
FLAGS = ((), ("MDU",), ("CHP", "WSD"), ("DAN",))


@transaction.atomic
def grow(*, engineers: int, jobs_in_all: int) -> None:
    """Fill the engineers one after the other, through the real verbs; one job in fifteen waits to be placed."""
    while Engineer.objects.count() < engineers:
        make.engineer(name=f"Engineer Number{Engineer.objects.count():03}")
    people, by = list(Engineer.objects.order_by("pk")), make.office()
    for number in range(jobs.Job.objects.count(), jobs_in_all):
        start, window = POSITIONS[number // engineers % len(POSITIONS)]
        pack = make.pack(
            uprn=f"{10**11 + number}",
            window=window,
            duration_minutes=MINUTES,
            flags=FLAGS[number % len(FLAGS)],
        )
        job = jobs.create_job(pack=pack).job
        if number % 15 != 14:
            visits.assign(job=job, engineer=people[number % engineers], starts_at=make.at(start), by=by)


def measure(person: User) -> dict[str, Any]:
    client = Client()
    client.force_login(person, "engineers.permissions.RoleBackend")
    path = f"/board/?day={make.DAY.isoformat()}"
    page = client.get(path)
    if page.status_code != 200:
        raise RuntimeError(f"{path} answered {page.status_code}")
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    counted = len(queries)  # the next request empties the log
    durations = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        client.get(path)
        durations.append((time.perf_counter() - started) * 1000)
    return {
        "milliseconds": round(statistics.median(durations), 1),
        "queries": counted,
        "kilobytes": round(len(page.content) / 1000),
    }


def main() -> None:
    call_command("migrate", verbosity=0)
    person = make.dispatcher()
    sizes = [int(argument) for argument in sys.argv[1:]]
    for engineers, jobs_in_all in zip(sizes[::2], sizes[1::2], strict=True):
        grow(engineers=engineers, jobs_in_all=jobs_in_all)
        sys.stdout.write(json.dumps(measure(person)) + "\n")


if __name__ == "__main__":
    main()
