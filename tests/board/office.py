"""A dispatcher at the board: a client that is signed in, and short ways to press its buttons."""

from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from dispatch import visits
from dispatch.models import Job
from dispatch.plan_changes.plan_versions import plan_version
from engineers.models import Engineer
from tests import make

JSON = {"Accept": "application/json"}


def signed_in() -> Client:
    client = Client()
    client.force_login(make.dispatcher())
    # the first request of a session also writes when it was last used
    client.get("/board/version")
    return client


def look_for(*texts: str) -> Client:
    """Of a dispatcher who has searched for each, in the search and in the list of engineers."""
    client = signed_in()
    for text in texts:
        for path in ("search", "search/suggestions", "people/"):
            assert client.get(f"/board/{path}", {"q": text}).status_code == 200
    return client


def version_of(job: Job) -> str:
    """The plan as a board shows it that was loaded just now."""
    return plan_version(visits.current_visit(job))


def press(client: Client, job: Job, action: str, **fields: Any) -> HttpResponse:
    """As the board's script does it; `version` is the present one unless another was seen."""
    form = {"version": version_of(job), **fields}
    return client.post(f"/board/jobs/{job.provider_job_id}/{action}/", form, headers=JSON)


def submit(client: Client, job: Job, action: str, **fields: Any) -> HttpResponse:
    """As a form without script does it."""
    form = {"version": version_of(job), **fields}
    return client.post(f"/board/jobs/{job.provider_job_id}/{action}/", form)


def assign(client: Client, job: Job, engineer: Engineer, clock: str = "08:30") -> HttpResponse:
    starts_at = make.at(clock).isoformat()
    return press(client, job, "assign", engineer=engineer.staff_number, starts_at=starts_at)


def lately() -> dict[str, str]:
    """From yesterday to tomorrow, as the fields of a form have it."""
    day, now = timedelta(days=1), timezone.localtime()
    return {"from_at": f"{now - day:%Y-%m-%dT%H:%M}", "to_at": f"{now + day:%Y-%m-%dT%H:%M}"}
