"""A process is seen by its number, also where the shipped units hide it from /proc."""

import os
import shutil
import subprocess
import sys

import pytest

from monitoring.processes import is_running
from tests.background.worker_process import ROOT

# a proc file system as ProtectProc=invisible gives it, and a user who owns none of the tests' processes
HIDDEN = (
    'mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"'
)
LOOK = """
import sys
from pathlib import Path
from monitoring.processes import is_running
print(Path("/proc", sys.argv[1]).exists(), is_running(sys.argv[1]))
"""


def may_hide() -> bool:
    command = ["unshare", "-m", "sh", "-c", HIDDEN, "sh", sys.executable, "-c", ""]
    return (
        bool(shutil.which("unshare"))
        and subprocess.run(command, check=False, capture_output=True).returncode == 0
    )


def ended() -> str:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return str(process.pid)


def test_own_process_runs_and_one_that_ended_does_not() -> None:
    assert is_running(str(os.getpid()))
    assert not is_running(ended())


@pytest.mark.parametrize("pid", ["", "x", "9" * 30, "-" + "9" * 30])
def test_odd_number_is_no_process(pid: str) -> None:
    assert not is_running(pid)


@pytest.mark.skipif(not may_hide(), reason="this machine does not let the tests mount another /proc")
def test_process_that_proc_hides_runs() -> None:
    def look(pid: str) -> str:
        command = ["unshare", "-m", "sh", "-c", HIDDEN, "sh", sys.executable, "-B", "-c", LOOK, pid]
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    assert look(str(os.getpid())) == "False True"
    assert look(ended()) == "False False"
