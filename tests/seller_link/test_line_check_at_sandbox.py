"""The line of a job, asked of the sandbox seller: what its network knows is what our side reads."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from demo.environment import wait_until
from tests.servers import system
from tests.servers.system import System

HAS_OWN_SYSTEM = True
pytestmark = pytest.mark.timeout(300)
CHECK = """
import json
from dispatch.job_events import SYSTEM
from dispatch.models import Job
from seller_link.line_check import LineCheckUnavailable, check_line
try:
    check = check_line(Job.objects.get(seller_job_id={seller_job_id!r}), by=SYSTEM)
    names = ("code", "is_down", "ont_state", "port_state", "nodes")
    print(json.dumps({{name: getattr(check, name) for name in names}}))
except LineCheckUnavailable as problem:
    print(json.dumps({{"reason": problem.reason, "detail": problem.detail}}))
"""
SERVICE_OF = """
from dispatch.models import Job
job = Job.objects.filter(seller_job_id={seller_job_id!r}).first()
print(job.service_identifier if job else "")
"""
FOREIGN = """
from dispatch.models import Job
Job.objects.filter(seller_job_id={seller_job_id!r}).update(service_identifier="SVC-OF-NOBODY")
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    folder = tmp_path_factory.mktemp("line-check")
    with system.running(folder, LINE_CHECK_CACHE_SECONDS="0") as started:
        yield started


def new_job(running: System) -> tuple[str, str]:
    """A job that both sides know: the seller's number of it, and its service."""
    made = running.send_packs(count=1, day=timezone.localdate() + timedelta(days=2))
    seller_job_id = str(made["jobs"][0]["sellerJobId"])

    def service() -> str:
        return running.shell.run(SERVICE_OF.format(seller_job_id=seller_job_id)).strip()

    assert wait_until(lambda: bool(service()), seconds=30)
    return seller_job_id, service()


def checked(running: System, seller_job_id: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(running.shell.run(CHECK.format(seller_job_id=seller_job_id)))
    return found


def test_our_side_reads_what_the_network_reports(running: System) -> None:
    job, service = new_job(running)
    running.seller(f"/api/lines/{service}/congestion", {"node": "PON", "percent": 97})
    down = checked(running, job)
    running.seller(f"/api/lines/{service}/testing", {"can_be_tested": False})
    untested = checked(running, job)

    # nothing has been provisioned there yet
    assert (down["code"], down["is_down"], down["ont_state"]) == ("CFH001", True, "down")
    assert [node["name"] for node in down["nodes"] if node["path"] == "local"] == [
        "ENNI",
        "Interconnect",
        "PON",
    ]
    assert {node["colour"] for node in down["nodes"] if node["name"] == "PON"} == {"red"}
    assert (untested["code"], untested["is_down"], untested["nodes"]) == ("STF001", False, [])


def test_service_of_nobody_is_refused(running: System) -> None:
    job, _service = new_job(running)
    running.shell.run(FOREIGN.format(seller_job_id=job))

    found = checked(running, job)

    assert found["reason"] == "refused"
    assert found["detail"].startswith("400 ")
