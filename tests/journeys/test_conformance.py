"""The running system keeps the contract on both sides of the wire: our door, and the sandbox seller."""

import os
import subprocess
import time
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from tests.servers.system import ROOT, System

pytestmark = pytest.mark.timeout(600)
MAKE_JOBS = """
from dispatch.states import JobState
from tests import make
for state in (JobState.ON_SITE, JobState.CLOSED):
    print(make.job(at_state=state, to=make.engineer(username=f"conformance-{state}")).provider_job_id)
"""


def conformance(system: System, endpoint: str, *, acting: str, more: list[str]) -> str:
    said, certs = StringIO(), system.demo.certs
    identity = [f"--cert={certs / acting}.pem", f"--key={certs / acting}.key", f"--ca={certs / 'ca'}.pem"]
    try:
        call_command("conformance", f"--endpoint={endpoint}", *identity, *more, stdout=said)
    except CommandError as failed:
        raise AssertionError(said.getvalue()) from failed
    return said.getvalue().splitlines()[-1]


def open_job(system: System) -> str:
    """The providerJobId of a job that both sides know."""
    (sent,) = system.send_packs(count=1, day=timezone.localdate())["jobs"]
    for _look in range(100):
        known = system.seller_job(sent["sellerJobId"])["providerJobId"]
        if known:
            return str(known)
        time.sleep(0.2)
    raise AssertionError("the pack did not arrive")


def jobs_of_people(system: System) -> list[str]:
    """A job with its engineer on site and a closed one, which no message of a seller's makes."""
    made = system.demo.manage("shell", "--no-imports", "--command", MAKE_JOBS)
    environment = {**os.environ, **made.environment}
    done = subprocess.run(made.command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    started, closed = done.stdout.split()
    return [f"--started-job={started}", f"--closed-job={closed}"]


def test_partner_s_door_keeps_every_case(system: System) -> None:
    endpoint = f"https://127.0.0.1:{system.demo.ports.seller_door}/seller"
    more = jobs_of_people(system)

    assert conformance(system, endpoint, acting="seller", more=more) == "91 pass, 0 fail, 0 skipped"


@pytest.mark.parametrize("name", ["sandbox_a", "sandbox_b"])
def test_sandbox_seller_keeps_every_case(system: System, name: str) -> None:
    endpoint = f"https://127.0.0.1:{getattr(system.demo.ports, name)}"
    more = ["--side=seller", f"--job={open_job(system)}"]

    assert conformance(system, endpoint, acting="partner", more=more) == "49 pass, 0 fail, 0 skipped"
