"""The acceptance program of the repository (tests/acceptance/orders), run as a tester runs it, on real processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from seller_sandbox.jobs import codes
from seller_sandbox.tests.orders.running_sandbox import running_sandbox
from seller_sandbox.tests.processes import REPOSITORY
from tests.acceptance.orders.closure_situations import CODES

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(1000)]
CLOSURE_CODES = json.loads((codes.DATA / "closure_codes.json").read_text())["closure_codes"]


def test_each_closure_code_is_closed_over_the_wire() -> None:
    """34 of the job interface, OTHER, and one that is not in its table. Issue 13, 4 (closure table)."""
    assert CODES - {"NOT-IN-THE-TABLE"} == {*CLOSURE_CODES, "OTHER"}


def test_every_situation_passes(folder: Path, transactional_db: None) -> None:
    """Issue 13, 5a."""
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
            timeout=900,
            check=False,
        )

    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert done.stdout.rstrip().endswith(" passed, 0 failed")


def test_endpoint_without_tls_is_refused() -> None:
    """Transport and message rules 1."""
    command = [sys.executable, "-m", "tests.acceptance.orders", "--endpoint", "http://127.0.0.1:9443"]

    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)

    assert (done.returncode, "--endpoint must begin with https://" in done.stderr) == (2, True)
