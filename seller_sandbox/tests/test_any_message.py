"""Whatever stands in a message, it is accepted or refused by the profile; 503 is for storage in trouble alone."""

import json
from typing import Any

import pytest

from seller_sandbox.endpoints.asgi import serve
from seller_sandbox.endpoints.exchange import Request
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.tests import make

pytestmark = pytest.mark.django_db(transaction=True)
ODD = (
    None,
    True,
    7,
    -0.5,
    10**400,
    "",
    "x",
    "9999-12-31T23:59:59-23:59",
    [],
    [[]],
    {},
    {"id": None},
    "\U0001f9f0",
)
MADE = {
    "engineerAssigned": ("notifyJob", make.assigned),
    "enRoute": ("notifyJob", make.on_the_way),
    "ontScanned": ("notifyJob", make.scanned),
    "closure": ("closeJob", make.closed),
}


def status_of(operation: str, body: dict[str, Any]) -> int:
    Job.objects.update(state=JobState.ACCEPTED)
    content = json.dumps(body).encode()
    request = Request("A", operation, "POST", "application/json", content, "partner", "127.0.0.1")
    return serve(request)[1].status


def variants(job: Job, kind: str) -> list[dict[str, Any]]:
    """The message with each member of any message left odd in turn, its own or one that does not belong there."""
    names = {name for _, maker in MADE.values() for name in maker(job)} | {
        "correlationId",
        "sellerJobId",
        "result",
    }
    maker = MADE[kind][1]
    return [{**maker(job), name: odd} for name in sorted(names) for odd in ODD]


@pytest.mark.parametrize("kind", MADE)
def test_odd_members_are_accepted_or_refused(kind: str, lenient: None) -> None:
    job = make.job()
    operation = MADE[kind][0]

    found = {status_of(operation, body) for body in variants(job, kind)}

    assert found == {200, 404, 422}


@pytest.mark.parametrize("kind", MADE)
def test_a_strict_seller_refuses_odd_members(kind: str) -> None:
    job = make.job()
    operation = MADE[kind][0]

    found = {status_of(operation, body) for body in variants(job, kind)}

    assert {404, 422} <= found <= {200, 404, 409, 422}
