"""`python -m tests.bench.board_day ENGINEERS JOBS`: grows a busy day in DATABASE_URL and prints how to open its board.

JSON: `cookie` of a signed-in dispatcher, `job` and `engineer` of a visit that can be moved. Django is chosen from the
environment, so this is a process of its own.
"""

import json
import os
import sys
from collections.abc import Mapping

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.test import Client  # noqa: E402

from dispatch import jobs, visits  # noqa: E402
from dispatch.models import Visit  # noqa: E402
from engineers.models import User  # noqa: E402
from tests import make  # noqa: E402

MORNING, AFTERNOON = ("08:00", "13:00"), ("13:00", "18:00")
# an engineer's visits of an hour: start and window; the last hour stays free
POSITIONS = (
    ("08:00", MORNING),
    ("09:15", MORNING),
    ("10:30", MORNING),
    ("11:45", MORNING),
    ("13:00", AFTERNOON),
    ("14:15", AFTERNOON),
    ("15:30", AFTERNOON),
)
MINUTES = 60
WAITING_EVERY = 15
FLAGS = ((), ("MDU",), ("CHP", "WSD"), ("DAN",))


@transaction.atomic
def grow(*, engineers: int, jobs_in_all: int) -> None:
    """By the real verbs; one job in fifteen, and those for which nobody is free, wait for a dispatcher."""
    people = [make.engineer(name=f"Engineer Number{number:03}") for number in range(engineers)]
    by, assigned = make.office(), 0
    for number in range(jobs_in_all):
        position = assigned // engineers
        start, window = POSITIONS[min(position, len(POSITIONS) - 1)]
        pack = make.pack(
            uprn=f"{10**11 + number}",
            window=window,
            duration_minutes=MINUTES,
            flags=FLAGS[number % len(FLAGS)],
        )
        job = jobs.create_job(pack=pack).job
        if number % WAITING_EVERY and position < len(POSITIONS):
            visits.assign(job=job, engineer=people[assigned % engineers], starts_at=make.at(start), by=by)
            assigned += 1


def cookie_of(user: User) -> Mapping[str, str]:
    client = Client()
    client.force_login(user, "engineers.permissions.RoleBackend")
    name = settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value}


def main() -> None:
    engineers, jobs_in_all = map(int, sys.argv[1:])
    call_command("migrate", verbosity=0)
    person = make.dispatcher()
    grow(engineers=engineers, jobs_in_all=jobs_in_all)
    last = Visit.objects.order_by("-planned_start", "pk").first()
    assert last
    found = {
        "cookie": cookie_of(person),
        "job": last.job.provider_job_id,
        "engineer": last.engineer.staff_number,
        "day": make.DAY.isoformat(),
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
