"""The first minute of a demonstration: data made, processes started, every port answering."""

import os
import subprocess

from django.core.management.base import CommandError

from demo.environment import BASE_DIR, DemoEnvironment, describe, wait_until
from demo.process_manager import ProcessManager, ProcessSpec

SERVING_WITHIN_SECONDS = 45


def make_data(demo: DemoEnvironment) -> None:
    """Both databases at their newest, the demo's people in ours. Raises CommandError with what went wrong."""
    _run(demo.manage("migrate", "--verbosity", "0"))
    _run(demo.manage("demo_people", "--password-file", str(demo.password_file)))
    if demo.with_sandbox:
        _run(demo.manage_sandbox("migrate", "--verbosity", "0"))


def wait_until_serving(demo: DemoEnvironment, supervisor: ProcessManager) -> None:
    """Raises CommandError with the ports that stay silent."""

    def is_serving() -> bool:
        supervisor.look()
        return supervisor.stopping or not demo.not_listening()

    if not wait_until(is_serving, seconds=SERVING_WITHIN_SECONDS):
        silent = describe(demo.not_listening(), demo.ports)
        raise CommandError(f"Not answering: port {silent}. The logs are in {supervisor.logs}")


def _run(child: ProcessSpec) -> None:
    done = subprocess.run(  # noqa: S603  # our own commands
        child.command,
        cwd=BASE_DIR,
        env={**os.environ, **child.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandError(f"{child.name} failed:\n{done.stderr.strip() or done.stdout.strip()}")
