"""`python -m tests.load.people ENGINEERS DISPATCHERS JOBS HIRED IN_OFFICE`: grows a day in DATABASE_URL to so many
people and prints who of the new ones is signed in.

HIRED engineers and IN_OFFICE dispatchers are there from an earlier call. Each new engineer has JOBS installations one
after the other from now on. JSON: `engineers` and `dispatchers`, a cookie of
each, and `jobs`, our id → the seller's. Django is chosen from the environment, so this is a process of its own.
"""

import json
import os
import secrets
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import time, timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from dispatch import jobs, visits  # noqa: E402
from dispatch.models import Job  # noqa: E402
from engineers import staff  # noqa: E402
from engineers.models import Area, Engineer, Role, Skill, User  # noqa: E402
from engineers.staff import Position, ShiftPattern  # noqa: E402
from tests import make  # noqa: E402

AREAS = 12
MINUTES_APART = 75
MINUTES = 60
ALWAYS = (ShiftPattern(tuple(range(7)), time(0), time(23, 59)),)
REASON = "Agreed with the seller by telephone"


def cookies_of(user: User) -> dict[str, str]:
    """As a browser that has signed in, and has had a page with a form token."""
    client = Client()
    client.force_login(user, "engineers.permissions.RoleBackend")
    name = settings.SESSION_COOKIE_NAME
    return {name: client.cookies[name].value, settings.CSRF_COOKIE_NAME: secrets.token_hex(16)}


def hire(number: int) -> Engineer:
    return staff.hire_engineer(
        username=f"load{number}",
        password=None,
        name=f"Engineer Number{number:04}",
        staff_number=f"L{number:04}",
        phone="07700 900123",
        home=Position(latitude=_latitude(number), longitude=-1.6, accuracy_metres=8),
        skill_codes=make.ALL_SKILLS,
        shifts=ALWAYS,
        areas=[Area.objects.get(name=f"Area {number % AREAS:02}")],
    )


def _latitude(number: int) -> float:
    """Of the engineer's home; each of the jobs is a kilometre further north."""
    return 53.7 + 0.002 * (number % 100)


def give_jobs(engineer: Engineer, *, number: int, count: int) -> Iterator[Job]:
    """The first begins in a few minutes, whatever the hour."""
    first = timezone.now() + timedelta(minutes=10)
    by = make.office()
    for position in range(count):
        starts_at = (first + timedelta(minutes=MINUTES_APART * position)).replace(second=0, microsecond=0)
        pack = make.pack(uprn=f"{10**11 + number * 100 + position}", duration_minutes=MINUTES)
        pack = replace(
            pack,
            premises=replace(pack.premises, latitude=_latitude(number) + 0.01 * position),
            buyer_order_reference=f"B-{number:04}-{position}",
            window_start=starts_at - timedelta(hours=1),
            window_end=starts_at + timedelta(hours=4),
        )
        job = jobs.create_job(pack=pack).job
        visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=by, override_reason=REASON)
        yield job


def main() -> None:
    engineers, dispatchers, jobs_each, already_hired, in_office = map(int, sys.argv[1:])
    for code in make.ALL_SKILLS:
        Skill.objects.get_or_create(code=code, defaults={"name": code})
    for number in range(AREAS):
        Area.objects.get_or_create(name=f"Area {number:02}", defaults={"postcodes": f"LD{number}"})
    hired, seller_ids = [], dict[str, str]()
    for number in range(already_hired, engineers):
        with transaction.atomic():
            hired.append(hire(number))
            made = give_jobs(hired[-1], number=number, count=jobs_each)
            seller_ids.update({job.provider_job_id: job.seller_job_id for job in made})
    office = [
        staff.hire_office(username=f"office{number}", password=None, name="Load Office", role=Role.DISPATCHER)
        for number in range(in_office, dispatchers)
    ]
    found = {
        "engineers": [cookies_of(engineer.user) for engineer in hired],
        "dispatchers": [cookies_of(user) for user in office],
        "jobs": seller_ids,
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
