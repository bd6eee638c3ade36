"""One fact after the other in the database in DATABASE_URL; prints when each was committed, as JSON.

`python -m tests.bench.facts --count N`: message id -> time.monotonic, which all processes of a machine share,
before the COMMIT and after its answer.
"""

import argparse
import json
import os
import random
import sys
import time
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import transaction  # noqa: E402

from dispatch import visits  # noqa: E402
from dispatch.models import Job  # noqa: E402
from engineers.models import Engineer  # noqa: E402
from tests import make  # noqa: E402

# never in step with anything that looks at fixed times
SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.05, 0.25


def measured(count: int) -> dict[str, tuple[float, float]]:
    """A job for each fact, all there before the first; each on a day of its own, so that one engineer does them."""
    jobs = [make.job(day=make.DAY + timedelta(days=number)) for number in range(count)]
    engineer = make.engineer()
    return dict(_assigned(job, engineer) for job in jobs)


def _assigned(job: Job, engineer: Engineer) -> tuple[str, tuple[float, float]]:
    time.sleep(random.uniform(SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS))
    with transaction.atomic():
        visits.assign(job=job, engineer=engineer, starts_at=job.window_start, by=make.office())
        message_id = str(job.outbound_messages.get().message_id)
        before = time.monotonic()
    return message_id, (before, time.monotonic())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, required=True)
    sys.stdout.write(json.dumps(measured(parser.parse_args().count)))
