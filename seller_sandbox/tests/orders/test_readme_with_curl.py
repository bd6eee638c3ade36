"""The walk of README.md, pasted into bash as it stands: the real curl against the processes that it starts."""

import os
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from seller_sandbox.tests.environment import free_port
from seller_sandbox.tests.processes import REPOSITORY

README = Path(__file__).resolve().parents[2] / "README.md"
PORTS = ("CONSOLE_PORT", "ENDPOINT_PORT", "PARTNER_PORT", "BUYER_PORT", "NOTIFICATIONS_PORT")
SECONDS = 280


def commands() -> str:
    """All blocks of the section, in their order."""
    section = README.read_text().split("## A plain install with curl")[1].split("\n## ")[0]
    return "\n".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL))


def run(text: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """In bash; nothing that it has started goes on, whatever happens."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("SANDBOX_")}
    with subprocess.Popen(
        ["bash", "-eu", "-c", text],
        cwd=REPOSITORY,
        env={**own, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as bash:
        try:
            output, _ = bash.communicate(timeout=SECONDS)
        finally:
            if bash.poll() is None or bash.returncode:
                # what it had started may have ended already
                with suppress(ProcessLookupError):
                    os.killpg(bash.pid, signal.SIGKILL)
    return subprocess.CompletedProcess([], bash.returncode, output)


@pytest.mark.timeout(300)
@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_commands_of_the_readme_install_a_service(tmp_path: Path) -> None:
    """Issue 13, Shown to work when."""
    ports = {name: str(free_port()) for name in PORTS}

    done = run(commands(), WALK=str(tmp_path), UPRN="1000101", **ports)

    assert done.returncode == 0, done.stdout[-4000:]
    kinds = re.findall(r'^"kind": "(\w+)"$', done.stdout, re.MULTILINE)
    assert kinds == ["pending", "acknowledged", "committed", "enniReserved", "completed"]
    assert '"service": {"serviceIdentifier": "FBR' in done.stdout
    assert "CXNK12AB34CD" in done.stdout
