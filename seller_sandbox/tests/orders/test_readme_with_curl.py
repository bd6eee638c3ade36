"""The plain install of README.md, pasted into bash: the real curl against real processes."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from seller_sandbox.network.models import Service
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.running_sandbox import RunningSandbox, running_sandbox

pytestmark = pytest.mark.django_db(transaction=True)
README = Path(__file__).resolve().parents[2] / "README.md"
# less than a test may take
SECONDS = 100


@pytest.fixture
def sandbox(folder: Path, transactional_db: None) -> Iterator[RunningSandbox]:
    with running_sandbox(folder) as running:
        yield running


def commands() -> str:
    """All blocks of the section, in their order."""
    section = README.read_text().split("## A plain install with curl")[1].split("\n## ")[0]
    return "\n".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL))


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_commands_of_the_readme_install_a_service(sandbox: RunningSandbox) -> None:
    premises = {
        "CERTS": str(sandbox.folder),
        "SELLER": sandbox.endpoint,
        "CONSOLE": sandbox.console,
        "BUYER": sandbox.notifications,
        "UPRN": samples.uprn(1),
    }

    done = subprocess.run(
        ["timeout", str(SECONDS), "bash", "-eu", "-c", commands()],
        env={**os.environ, **premises},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    order = Order.objects.get()
    assert order.state == OrderState.COMPLETED
    assert samples.kinds(order) == ["pending", "acknowledged", "committed", "enniReserved", "completed"]
    assert Service.objects.get(location=order.location, ended_at=None).ont.fsan == "CXNK12AB34CD"
    assert '"service": {' in done.stdout
