"""The acceptance program of the repository (tests/acceptance/orders), run as a tester runs it, on real processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from seller_sandbox.tests.orders.running_sandbox import running_sandbox
from seller_sandbox.tests.processes import REPOSITORY

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]


def test_every_situation_passes(folder: Path, transactional_db: None) -> None:
    with running_sandbox(folder, copies=20) as sandbox:
        addresses = ("--endpoint", sandbox.endpoint, "--control", sandbox.console)
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.acceptance.orders",
                *addresses,
                "--certs",
                str(sandbox.folder),
            ],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )

    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert done.stdout.rstrip().endswith(" passed, 0 failed")
