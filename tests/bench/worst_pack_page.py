"""`python -m tests.bench.worst_pack_page ENGINEERS JOBS PACKS`: opens every page of every legal pack on a full day.

A process of its own, since its database is chosen from the environment before Django starts.
"""

import json
import statistics
import sys
import time
import uuid
from dataclasses import dataclass, field

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402
from hypothesis import HealthCheck, Phase, given, settings  # noqa: E402

from dispatch.models import Job, Visit  # noqa: E402
from dispatch.states import JobState  # noqa: E402
from engineers.models import Engineer, User  # noqa: E402
from tests import make  # noqa: E402
from tests.bench.board_page import grow  # noqa: E402
from tests.rolled_back import rolled_back  # noqa: E402
from tests.seller_link.inbox import say_all  # noqa: E402
from tests.seller_link.legal_packs import Body, packs  # noqa: E402

ROUNDS = 3
BACKEND = "engineers.permissions.RoleBackend"


@dataclass
class Measured:
    """Milliseconds and queries of each page that was opened, by its kind."""

    durations: list[tuple[float, str]] = field(default_factory=list)
    queries: int = 0

    def open(self, client: Client, page: str, path: str) -> None:
        # what is slow once may be the machine; what stays slow is the page
        fastest = min(self._once(client, path) for _ in range(ROUNDS))
        self.durations.append((fastest * 1000, page))

    def _once(self, client: Client, path: str) -> float:
        connection.queries_log.clear()
        with CaptureQueriesContext(connection) as queries:
            started = time.perf_counter()
            answer = client.get(path)
            seconds = time.perf_counter() - started
        self.queries = max(self.queries, len(queries))
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}")
        return seconds


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, BACKEND)
    client.get("/")
    return client


def with_engineer(job: Job, engineer: Engineer) -> None:
    """As if it had been assigned before anybody bounded the dates."""
    now = timezone.now()
    Visit.objects.create(job=job, engineer=engineer, planned_start=now, planned_end=now + make.minutes(60))
    Job.objects.filter(pk=job.pk).update(state=JobState.ASSIGNED)


def created_jobs(pack: Body) -> list[Job]:
    """Two jobs of one pack, made by the server for the seller. Raises RuntimeError when it refuses a legal pack."""
    twin = {**pack, "messageId": str(uuid.uuid4()), "sellerJobId": uuid.uuid4().hex}
    answers = say_all("createJob", [pack, twin])
    if {answer.status for answer in answers} != {200}:
        raise RuntimeError(f"refused: {[answer.body for answer in answers]}")
    return [Job.objects.get(provider_job_id=answer.body["providerJobId"]) for answer in answers]


def open_all(pack: Body, office: Client, phone: Client, engineer: Engineer, measured: Measured) -> None:
    with rolled_back():
        waiting, assigned = created_jobs(pack)
        with_engineer(assigned, engineer)
        measured.open(office, "the board", f"/board/?day={make.DAY}&job={waiting}")
        measured.open(phone, "day.json", "/phone/day.json")
        for job in (waiting, assigned):
            measured.open(office, "the job page", f"/board/jobs/{job}/")
            measured.open(office, "suggestions.json", f"/board/jobs/{job}/suggestions.json")
            measured.open(office, "the search", f"/board/search?q={job}")


def main() -> None:
    engineers, jobs_in_all, number = map(int, sys.argv[1:])
    call_command("migrate", verbosity=0)
    office = signed_in(make.dispatcher())
    grow(engineers=engineers, jobs_in_all=jobs_in_all)
    engineer = make.engineer()
    phone, measured = signed_in(engineer.user), Measured()
    measured.open(office, "the board", f"/board/?day={make.DAY}")
    measured.durations.clear()

    @settings(
        max_examples=number,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(pack=packs())
    def every_pack(pack: Body) -> None:
        open_all(pack, office, phone, engineer, measured)

    every_pack()
    milliseconds, page = max(measured.durations)
    report = {
        "milliseconds": round(milliseconds, 1),
        "page": page,
        "pages": len(measured.durations),
        "median": round(statistics.median(seconds for seconds, _page in measured.durations), 1),
        "queries": measured.queries,
    }
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
