"""The running system keeps the contract on both sides of the wire: our server, and the sandbox seller."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from demo.rehearsal import runner
from tests.background import worker_process
from tests.servers import system as systems
from tests.servers.system import ROOT, System

# django_db: the step on PostgreSQL takes it for that, though only the system's processes open the database
pytestmark = [pytest.mark.timeout(600), pytest.mark.slow, pytest.mark.django_db]
MAKE_JOBS = """
from dispatch.states import JobState
from tests import make
for state in (JobState.ON_SITE, JobState.CLOSED):
    print(make.job(at_state=state, to=make.engineer(username=f"conformance-{state}")).provider_job_id)
"""


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """On the database of this run, with a seller that refuses what a real operator would refuse."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SANDBOX_STRICT", "yes")
        with (
            empty_database() as url,
            systems.running(tmp_path_factory.mktemp("system"), database_url=url) as running,
        ):
            yield running


@contextmanager
def empty_database() -> Iterator[str]:
    """The URL of a PostgreSQL database of its own, where the tests run on one; else none, and SQLite serves."""
    if connection.vendor != "postgresql":
        yield ""
        return
    name = f"/rehearse_conformance_{os.getpid()}"
    url = urlsplit(worker_process.database_url())._replace(path=name).geturl()
    runner.recreate_database(url)
    try:
        yield url
    finally:
        runner.drop_database(url)


def conformance(system: System, endpoint: str, *, acting: str, more: list[str]) -> str:
    output, certs = StringIO(), system.demo.certs
    identity = [f"--cert={certs / acting}.pem", f"--key={certs / acting}.key", f"--ca={certs / 'ca'}.pem"]
    try:
        call_command("conformance", f"--endpoint={endpoint}", *identity, *more, stdout=output)
    except CommandError as failed:
        raise AssertionError(output.getvalue()) from failed
    return output.getvalue().splitlines()[-1]


def open_job(system: System) -> list[str]:
    """An installation that both sides know, and when its window begins."""
    (sent,) = system.send_packs(count=1, day=timezone.localdate(), types=["installation"])["jobs"]
    for _look in range(100):
        known = system.seller_job(sent["sellerJobId"])
        if known["providerJobId"]:
            return [f"--job={known['providerJobId']}", f"--planned-start={known['window']['start']}"]
        time.sleep(0.2)
    raise AssertionError("the pack did not arrive")


def jobs_of_people(system: System) -> list[str]:
    """A job with its engineer on site and a closed one, which no message of a seller's makes."""
    made = system.demo.manage("shell", "--no-imports", "--command", MAKE_JOBS)
    environment = {**os.environ, **made.environment}
    done = subprocess.run(made.command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    started, closed = done.stdout.split()
    return [f"--started-job={started}", f"--closed-job={closed}"]


def test_partner_s_server_keeps_every_case(system: System) -> None:
    endpoint = f"https://127.0.0.1:{system.demo.ports.seller_server}/seller"
    more = jobs_of_people(system)

    assert conformance(system, endpoint, acting="seller", more=more) == "137 pass, 0 fail, 0 skipped"


@pytest.mark.parametrize("name", ["sandbox_a", "sandbox_b"])
def test_sandbox_seller_keeps_every_case(system: System, name: str) -> None:
    endpoint = f"https://127.0.0.1:{getattr(system.demo.ports, name)}"
    more = ["--side=seller", *open_job(system)]

    assert conformance(system, endpoint, acting="partner", more=more) == "60 pass, 0 fail, 0 skipped"
