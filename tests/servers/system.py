"""The whole system as a person meets it: every process of `make demo`, in a folder and on ports of its own."""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from demo.environment import DemoEnvironment, wait_until
from demo.ports import free_ports
from demo.process_manager import ProcessManager, ProcessSpec
from tests.made_once import made_once
from tests.servers import shell
from tests.servers.shell import Shell

SHIPPED = "tests.servers.shipped"
ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass
class System:
    """A running demo; `seller` speaks to the sandbox's control interface, `shell` runs code on our data."""

    demo: DemoEnvironment
    supervisor: ProcessManager
    shell: Shell

    @property
    def url(self) -> str:
        return self.demo.board_url

    def seller(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """GET, or POST when there is a body, on the sandbox's console."""
        request = urllib.request.Request(
            f"{self.demo.console_url}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "X-Sandbox-Control": "1"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def send_packs(self, *, count: int, day: date, **more: Any) -> Any:
        return self.seller("/api/jobs", {"count": count, "day": day.isoformat(), **more})

    def seller_job(self, seller_job_id: str) -> Any:
        return self.seller(f"/api/jobs/{seller_job_id}")


@dataclass(frozen=True)
class Furnished(DemoEnvironment):
    """A demo whose processes on our side have further settings."""

    settings: dict[str, str] = field(default_factory=dict)

    def our_environment(self) -> dict[str, str]:
        return {**super().our_environment(), **self.settings}


@contextmanager
def running(
    folder: Path, *, shipped: bool = False, database_url: str = "", **settings: str
) -> Iterator[System]:
    """Start everything, wait until all ports answer, end everything.

    `shipped`: static files as production serves them, for whom their weight or speed matters. `settings`: environment
    variables of docs/operating.md besides the demo's. `database_url`: an empty database, else SQLite in `folder`.
    """
    demo = Furnished(
        folder=folder, ports=free_ports(), apart=True, database_url=database_url, settings=settings
    )
    dressed = _shipped if shipped else _as_it_is
    if database_url:
        _furnish(demo)
    else:
        shutil.copytree(fresh_folder(), folder, dirs_exist_ok=True)
    if shipped:
        _once(dressed(demo.manage("collectstatic", "--noinput", "--verbosity", "0")))
    supervisor = ProcessManager(folder=ROOT, logs=folder / "logs", say=_to_stderr)
    supervisor.start([dressed(_talkative(child)) for child in demo.children()])
    try:
        with shell.running(demo.our_environment(), folder / "logs" / "shell.log") as our_shell:
            if not wait_until(lambda: not demo.not_listening(), seconds=180):
                raise AssertionError(f"not answering: {demo.not_listening()}; logs in {folder / 'logs'}")
            yield System(demo, supervisor, our_shell)
    finally:
        supervisor.stop()


def fresh_folder() -> Path:
    """What a system on SQLite begins with, made once: secrets, certificates, both databases, the demo's people. To be
    copied."""
    return made_once(
        "fresh-system",
        lambda folder: _furnish(DemoEnvironment(folder=folder, ports=free_ports(), apart=True)),
    )


def _furnish(demo: DemoEnvironment) -> None:
    demo.prepare()
    for child in (
        demo.manage("migrate", "--verbosity", "0"),
        demo.manage("demo_people", "--password-file", str(demo.password_file)),
        demo.manage_sandbox("migrate", "--verbosity", "0"),
    ):
        _once(child)


def _once(child: ProcessSpec) -> None:
    subprocess.run(child.command, cwd=ROOT, env={**os.environ, **child.environment}, check=True)


def _as_it_is(child: ProcessSpec) -> ProcessSpec:
    return child


def _shipped(child: ProcessSpec) -> ProcessSpec:
    """The sandbox seller has settings of its own."""
    if child.environment["DJANGO_SETTINGS_MODULE"] != "config.settings":
        return child
    return replace(child, environment={**child.environment, "DJANGO_SETTINGS_MODULE": SHIPPED})


def _talkative(child: ProcessSpec) -> ProcessSpec:
    """Tests look into the logs, whatever level the tests themselves keep."""
    return replace(child, environment={**child.environment, "LOG_LEVEL": "INFO"})


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{line}\n")
