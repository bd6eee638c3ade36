import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings

from seller_sandbox.jobs import strictness
from seller_sandbox.tests import environment
from seller_sandbox.tests.buyer_stub_process import Stub, start_stub
from seller_sandbox.tests.certificates import make_certificates
from seller_sandbox.tests.environment import free_port
from seller_sandbox.tests.partner import Partner, start_partner
from seller_sandbox.tests.processes import Caller, start, wait_for_port


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays to the end: to look for garbage among it again and again was a sixth of a run."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def folder() -> Path:
    make_certificates(environment.FOLDER)
    return environment.FOLDER


@pytest.fixture(scope="session")
def running_partner(folder: Path) -> Partner:
    return start_partner(folder, port=environment.PARTNER_PORT)


@pytest.fixture
def partner(running_partner: Partner) -> Partner:
    running_partner.reset()
    return running_partner


@pytest.fixture(scope="session")
def endpoint_port(folder: Path, django_db_setup: None) -> Iterator[int]:
    """Endpoint A as a process of its own, on the tests' database."""
    port = free_port()
    process = start("serve_endpoint", "--name", "A", "--port", str(port), log=folder / "endpoint.log")
    wait_for_port(port, process)
    yield port
    process.stop()


@pytest.fixture
def caller(folder: Path, endpoint_port: int, transactional_db: None) -> Caller:
    return Caller(folder, endpoint_port)


@pytest.fixture(scope="session")
def running_stub(folder: Path, django_db_setup: None) -> Iterator[Stub]:
    running = start_stub(folder)
    yield running
    running.process.stop()


@pytest.fixture
def stub(running_stub: Stub, transactional_db: None, settings: LazySettings) -> Stub:
    """Takes the notifications of all buyers."""
    settings.DEADLINE_SECONDS = 1
    running_stub.prepare()
    return running_stub


@pytest.fixture
def lenient(db: None) -> None:
    """The seller takes what breaks the contract and records the breach."""
    strictness.choose(is_strict=False)
