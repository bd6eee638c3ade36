"""A system of its own for one scenario: a database, certificates, our processes, and a seller that lies."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from demo.environment import BASE_DIR, DemoEnvironment, wait_until
from demo.ports import free_ports, is_listening
from demo.process_manager import ProcessSpec
from tests.faults.databases import Database
from tests.faults.processes import Keeper, KeptProcess
from tests.faults.seller import Endpoint, Record

DEADLINE_SECONDS = "1.5"
LEASE_SECONDS = "4"
START_SECONDS = 60


@dataclass
class FaultSystem:
    """What a scenario works with. `short` is the form for every CI run; `messages` and `minutes` scale it (0: not)."""

    demo: DemoEnvironment
    database: Database
    short: bool
    chance: Random
    messages: int = 0
    minutes: float = 0
    keeper: Keeper = field(default_factory=Keeper)
    record: Record = field(default_factory=Record)
    endpoints: list[Endpoint] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """The demo's, with waits so short that a fault and its end fit into a run."""
        return {
            **self.demo.our_environment(),
            "DATABASE_URL": self.database.url,
            "LOG_LEVEL": "INFO",
            "SELLER_DEADLINE_SECONDS": DEADLINE_SECONDS,
            "RELAY_LEASE_SECONDS": LEASE_SECONDS,
            "RELAY_BACKOFF_CAP_SECONDS": "2",
        }

    @property
    def whole_environment(self) -> dict[str, str]:
        return {**os.environ, **self.environment}

    def start(self, *arguments: str, name: str = "", **more: str) -> KeptProcess:
        """`manage.py relay` and the like, kept running."""
        made = self.demo.manage(*arguments)
        environment = {**self.environment, **more}
        return self.keeper.add(
            ProcessSpec(name or made.name, made.command, environment), logs=self.demo.folder / "logs"
        )

    def start_web(self) -> KeptProcess:
        web = next(child for child in self.demo.our_children() if child.name == "people")
        server = self.keeper.add(replace(web, environment=self.environment), logs=self.demo.folder / "logs")
        self.wait_for_port(self.demo.ports.people)
        return server

    def start_seller_server(self) -> KeptProcess:
        server = self.start("seller_server", "--port", str(self.demo.ports.seller_server))
        self.wait_for_port(self.demo.ports.seller_server)
        return server

    def wait_for_port(self, port: int) -> None:
        if not wait_until(lambda: is_listening(port), seconds=START_SECONDS):
            raise RuntimeError(f"nobody listens on {port}; logs in {self.demo.folder / 'logs'}")

    def manage(self, *arguments: str) -> None:
        """A command to its end."""
        command = self.demo.manage(*arguments).command
        subprocess.run(command, cwd=BASE_DIR, env=self.whole_environment, check=True)

    def few(self, short: int, long: int) -> int:
        return short if self.short else long


def until(condition: Callable[[], bool], *, what: str, seconds: float = 120) -> None:
    """Wait for it, or say what never came."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"within {seconds:g} s it did not come to this: {what}")
        time.sleep(0.1)


def prepare(folder: str) -> None:
    """Certificates, secrets and folders, as for a demo."""
    DemoEnvironment(folder=Path(folder), ports=free_ports(), with_sandbox=False, apart=True).prepare()


@contextmanager
def opened(*, folder: Path, database: Database, seed: int, **form: Any) -> Iterator[FaultSystem]:
    """Prepared and migrated, with both of the seller's endpoints up; all ends with it. `form`: see FaultSystem."""
    demo = DemoEnvironment(folder=folder, ports=free_ports(), with_sandbox=False, apart=True)
    system = FaultSystem(demo, database, chance=Random(seed), **form)
    # in a process of its own: making certificates reads Django's settings, which name their files
    prepare = "import sys; from tests.faults.fault_system import prepare; prepare(sys.argv[1])"
    subprocess.run([sys.executable, "-c", prepare, str(folder)], cwd=BASE_DIR, check=True)
    os.environ.update(system.environment)
    system.manage("migrate", "--verbosity", "0")
    for port in (demo.ports.sandbox_a, demo.ports.sandbox_b):
        endpoint = Endpoint(port=port, certs=demo.certs, record=system.record)
        endpoint.up()
        system.endpoints.append(endpoint)
    system.keeper.watch()
    try:
        yield system
    finally:
        system.keeper.stop()
        for endpoint in system.endpoints:
            endpoint.down()
