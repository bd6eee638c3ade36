"""`python -m tests.bench.booking_races ROUNDS`: two dispatchers press at the same moment, again and again.

In turn for the same job with two engineers, and for the same hour of one engineer with two jobs. Prints JSON:
`double_bookings`, and `unexplained` refusals that do not say what stands in the way. A process of its own.
"""

import json
import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402
from django.test import Client  # noqa: E402

from dispatch.models import Job, Visit  # noqa: E402
from engineers.models import Engineer  # noqa: E402
from tests import make  # noqa: E402
from tests.board.office import press, signed_in, version_of  # noqa: E402

REFUSED = 409
# of each kind of race: the loser reads who was first, or which visit is there
REASONS = ("assigned this job to", "already has a visit")


@dataclass(frozen=True)
class Drop:
    """What one of the two does."""

    job: Job
    engineer: Engineer
    version: str


def race(clients: Sequence[Client], drops: Sequence[Drop], *, day: int) -> list[tuple[int, str]]:
    """Both at once; status and text of each answer."""
    answers: list[tuple[int, str]] = []
    gate = threading.Barrier(len(drops))
    starts_at = make.at("08:30", day=make.DAY + timedelta(days=day)).isoformat()

    def press_button(client: Client, drop: Drop) -> None:
        gate.wait()
        fields = {"engineer": drop.engineer.staff_number, "starts_at": starts_at, "version": drop.version}
        answer = press(client, drop.job, "assign", **fields)
        answers.append((answer.status_code, answer.content.decode()))
        connections.close_all()

    threads = [threading.Thread(target=press_button, args=pair) for pair in zip(clients, drops, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def run(rounds: int) -> dict[str, int]:
    clients, people = [signed_in(), signed_in()], [make.engineer(name="Bea Okafor"), make.engineer()]
    double, unexplained = 0, 0
    for number in range(rounds):
        is_same_job = number % 2 == 0
        jobs = [make.job(day=make.DAY + timedelta(days=number)) for _ in range(1 if is_same_job else 2)]
        drops = [
            Drop(jobs[0], people[0], version_of(jobs[0])),
            Drop(jobs[-1], people[1 if is_same_job else 0], version_of(jobs[-1])),
        ]
        answers = race(clients, drops, day=number)
        booked = Visit.objects.active().filter(job__in=jobs).count()
        refusals = [text for status, text in answers if status == REFUSED]
        double += booked != 1
        unexplained += len(refusals) != 1 or REASONS[number % 2] not in refusals[0]
    return {"double_bookings": double, "unexplained": unexplained}


def main() -> None:
    call_command("migrate", verbosity=0)
    sys.stdout.write(json.dumps(run(int(sys.argv[1]))) + "\n")


if __name__ == "__main__":
    main()
