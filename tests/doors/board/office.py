"""A dispatcher at the board: a client that is signed in, and short ways to press its buttons."""

from typing import Any

from django.http import HttpResponse
from django.test import Client

from dispatch.models import Job
from engineers.models import Engineer
from tests import make

JSON = {"Accept": "application/json"}


def signed_in() -> Client:
    client = Client()
    client.force_login(make.dispatcher())
    return client


def press(client: Client, job: Job, action: str, **fields: Any) -> HttpResponse:
    """As the board's script does it."""
    return client.post(f"/board/jobs/{job.provider_job_id}/{action}/", fields, headers=JSON)


def submit(client: Client, job: Job, action: str, **fields: Any) -> HttpResponse:
    """As a form without script does it."""
    return client.post(f"/board/jobs/{job.provider_job_id}/{action}/", fields)


def assign(client: Client, job: Job, engineer: Engineer, clock: str = "08:30") -> HttpResponse:
    starts_at = make.at(clock).isoformat()
    return press(client, job, "assign", engineer=engineer.staff_number, starts_at=starts_at)
