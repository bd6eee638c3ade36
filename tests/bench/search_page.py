"""`python -m tests.bench.search_page JOBS`: fills a database with so many jobs and measures the search field.

A process of its own, since its database is chosen from the environment before Django starts.
"""

import dataclasses
import json
import random
import statistics
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from dispatch import fast_insert, jobs  # noqa: E402
from dispatch.job_pack import SiteAddress, SiteContact  # noqa: E402
from dispatch.models import Job, JobSearchText, job_keywords  # noqa: E402
from engineers.models import User  # noqa: E402
from tests import make  # noqa: E402

ROUNDS = 9
A_DAY = 300
BATCH = 2_000
STREETS = (
    "Mill Lane",
    "Chapel Row",
    "Selby Field Lane",
    "St Hilda's Mount",
    "Low Carr Lane",
    "Canal Wharf Road",
)
FIRST, LAST = (
    ("Aisha", "Ben", "Zoë", "Kwame", "Marek", "Priya"),
    ("Ashworth", "O'Hara", "Sutcliffe", "Kowalska", "Lumb"),
)


def job_rows(count: int) -> Iterator[Job]:
    """As many as `count`, `A_DAY` to a day, the last days still to come; everything that is searched differs."""
    chance, pack = random.Random(11), make.pack()
    first_day = timezone.localdate() - timedelta(days=count // A_DAY - 10)
    for number in range(count):
        ending = "".join(chance.choices("ABDEFGHJLN", k=2))
        address = SiteAddress(
            (f"{chance.randrange(1, 200)} {chance.choice(STREETS)}",),
            "Leeds",
            f"LS{chance.randrange(1, 30)} {number % 9}{ending}",
        )
        day = first_day + timedelta(days=number // A_DAY)
        changed = dataclasses.replace(
            pack,
            seller_job_id=f"S-{chance.randrange(16**12):012x}",
            buyer_order_reference=f"B-{number:07}",
            seller_order_reference=f"O-{chance.randrange(10**8):08}",
            premises=dataclasses.replace(pack.premises, uprn=f"{10**11 + number}", address=address),
            contact=SiteContact(
                f"{chance.choice(FIRST)} {chance.choice(LAST)}", f"07700 {chance.randrange(10**6):06}"
            ),
            ont=dataclasses.replace(
                pack.ont,
                fsan=f"CXNK{chance.randrange(16**8):08X}",
                serial_number=f"26{chance.randrange(10**10):010}",
            ),
            window_start=make.at("08:00", day=day),
            window_end=make.at("13:00", day=day),
        )
        yield Job(pk=number + 1, **jobs.columns_of(changed) | {"provider_job_id": job_number(number)})


def job_number(number: int) -> str:
    """As scattered as the product's; of 200,000 random ones two are the same in one run of fifty."""
    scattered = number * 618_033_988_749 % 2**40
    characters = "".join(jobs.READABLE[scattered >> 5 * digit & 31] for digit in range(8))
    return f"J-{characters[:4]}-{characters[4:]}"


@transaction.atomic
def grow(count: int) -> Job:
    """The job in the middle, which is long over."""
    rows: list[Job] = []
    middle = None
    for number, job in enumerate(job_rows(count)):
        middle = job if number == count // 2 else middle
        rows.append(job)
        if len(rows) == BATCH or number == count - 1:
            Job.objects.bulk_create(rows, batch_size=400)
            fast_insert.insert_all(
                JobSearchText, [{"job_id": row.pk, "keywords": job_keywords(row)} for row in rows]
            )
            rows = []
    assert middle is not None
    return middle


def texts(job: Job) -> dict[str, str]:
    """What is typed, by what it is."""
    return {
        "two letters that all have": "le",
        "two letters that none has": "zx",
        "town and house": "leeds 12",
        "postcode": job.postcode,
        "postcode without blank": job.postcode.replace(" ", "").lower(),
        "street": "selby field",
        "name": "kowalska",
        "name and postcode": f"{job.contact_name} {job.postcode}",
        "telephone": f"+44 {job.contact_phone[1:]}",
        "UPRN": job.uprn,
        "order": job.seller_order_reference,
        "FSAN": job.ont_fsan,
        "serial number": job.ont_serial_number,
        "part of a job number": str(job)[3:6],
        "alternatives": f"{job.uprn}, ashworth, zzzz",
    }


def measure(person: User, job: Job) -> dict[str, Any]:
    """The median of each text, in milliseconds of the whole request."""
    client = Client()
    client.force_login(person, "engineers.permissions.RoleBackend")
    medians: dict[str, float] = {}
    longest = 0.0
    for name, text in texts(job).items():
        durations = []
        for _ in range(ROUNDS):
            started = time.perf_counter()
            answer = client.get("/board/search/suggestions", {"q": text})
            durations.append((time.perf_counter() - started) * 1000)
            if answer.status_code != 200:
                raise RuntimeError(f"{text} answered {answer.status_code}")
        medians[name] = round(statistics.median(durations), 1)
        longest = max(longest, *durations)
    slowest = max(medians, key=lambda name: medians[name])
    return {
        "slowest": slowest,
        "milliseconds": medians[slowest],
        "longest": round(longest, 1),
        "all": medians,
    }


def main() -> None:
    call_command("migrate", verbosity=0)
    person = make.dispatcher()
    for _ in range(60):
        make.engineer()
    job = grow(int(sys.argv[1]))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    sys.stdout.write(json.dumps(measure(person, job)) + "\n")


if __name__ == "__main__":
    main()
