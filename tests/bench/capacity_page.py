"""`python -m tests.bench.capacity_page ENGINEERS JOBS …`: grows two weeks to each size and measures their capacity.

A process of its own, since its database is chosen from the environment before Django starts.
"""

import dataclasses
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from dispatch import jobs  # noqa: E402
from dispatch.capacity.capacity_reader import DAYS, read_capacity, tomorrow  # noqa: E402
from dispatch.job_pack import SiteAddress  # noqa: E402
from dispatch.models import Job, Visit  # noqa: E402
from dispatch.states import JobState  # noqa: E402
from engineers.models import Area, Engineer, User  # noqa: E402
from tests import make  # noqa: E402

PATH = "/board/plans/capacity/"
ROUNDS = 9
MINUTES = 90
AREAS = 8
WAITING_EVERY = 5
MORNING, AFTERNOON = ("08:00", "13:00"), ("13:00", "18:00")
POSITIONS = (("08:00", MORNING), ("13:30", AFTERNOON), ("10:15", MORNING), ("15:45", AFTERNOON))
FLAGS = ((), ("MDU",), (), ("CHP", "WSD"), (), ("DAN",), ("DTL",))
SKILLS = (make.ALL_SKILLS, ("mdu",), (), ("civils", "mdu"))


@transaction.atomic
def grow(*, engineers: int, jobs_in_all: int) -> None:
    """Engineers with two shifts a day and different skills; four jobs of five are planned, the others wait."""
    areas = [
        Area.objects.get_or_create(name=f"Area {number}", defaults={"postcodes": f"LS{number}"})[0]
        for number in range(1, AREAS + 1)
    ]
    while (number := Engineer.objects.count()) < engineers:
        person = make.engineer(name=f"Engineer {number:03}", skills=SKILLS[number // AREAS % len(SKILLS)])
        Engineer.objects.filter(pk=make.give_break(person).pk).update(area=areas[number % AREAS])
    people = list(Engineer.objects.order_by("pk"))
    known = Job.objects.count()
    Job.objects.bulk_create(job_rows(range(known, jobs_in_all)))
    made = list(Job.objects.order_by("pk"))[known:]
    Visit.objects.bulk_create(visit_rows(made, people))
    planned = Visit.objects.values("job")
    Job.objects.filter(pk__in=planned).update(state=JobState.ASSIGNED)


def job_rows(numbers: range) -> Iterator[Job]:
    first, pack = timezone.localdate() + timedelta(days=1), make.pack()
    for number in numbers:
        day, window = first + timedelta(days=number % DAYS), POSITIONS[number // DAYS % len(POSITIONS)][1]
        address = SiteAddress((f"{number} Mill Lane",), "Leeds", f"LS{number % AREAS + 1} {number % 9}AB")
        premises = dataclasses.replace(
            pack.premises,
            uprn=f"{10**11 + number}",
            address=address,
            flags=FLAGS[number % len(FLAGS)],
            latitude=53.7 + number % 97 / 500,
            longitude=-1.7 + number % 89 / 500,
        )
        columns = jobs.columns_of(
            dataclasses.replace(
                pack,
                seller_job_id=f"S-{number:08}",
                premises=premises,
                window_start=make.at(window[0], day=day),
                window_end=make.at(window[1], day=day),
                duration_minutes=MINUTES,
            )
        )
        yield Job(**columns)


def visit_rows(made: list[Job], people: list[Engineer]) -> Iterator[Visit]:
    """Each engineer's day is filled position by position."""
    next_free: dict[Any, int] = {}
    for number, job in enumerate(made):
        day = timezone.localtime(job.window_start).date()
        is_morning = timezone.localtime(job.window_start).hour < 12
        planned = next_free.get((day, is_morning), 0)
        positions = [start for start, window in POSITIONS if (window == MORNING) == is_morning]
        if number % WAITING_EVERY == 0 or planned >= len(people) * len(positions):
            continue
        next_free[day, is_morning] = planned + 1
        start = make.at(positions[planned // len(people)], day=day)
        yield Visit(
            job=job,
            engineer=people[planned % len(people)],
            planned_start=start,
            planned_end=start + timedelta(minutes=MINUTES),
        )


def median_milliseconds(work: Callable[[], object]) -> float:
    durations = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        durations.append((time.perf_counter() - started) * 1000)
    return round(statistics.median(durations), 1)


def measure(person: User) -> dict[str, Any]:
    client = Client()
    client.force_login(person, "engineers.permissions.RoleBackend")
    page = client.get(PATH)
    if page.status_code != 200:
        raise RuntimeError(f"{PATH} answered {page.status_code}")
    with CaptureQueriesContext(connection) as queries:
        client.get(PATH)
    counted = len(queries)  # the next request empties the log
    return {
        "milliseconds": median_milliseconds(lambda: client.get(PATH)),
        "counting": median_milliseconds(lambda: read_capacity(tomorrow())),
        "queries": counted,
        "short": len(read_capacity(tomorrow()).figures.unfitted),
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
