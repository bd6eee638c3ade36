"""A process ends on SIGTERM, also when the signal falls into a wait for the very event that ends it."""

import subprocess
import sys

from tests.background.worker_process import ROOT

# the lock of the event is held for a moment by each wait: here while the signal is handled, for certain
PROGRAM = """
import os, signal
from threading import Event
from monitoring.processes import call_on_stop_signal
stop = Event()
call_on_stop_signal(stop.set)
with stop._cond:
    os.kill(os.getpid(), signal.SIGTERM)
print("ended" if stop.wait(30) else "never told")
"""


def test_signal_in_the_middle_of_a_wait_ends_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.stdout.strip() == "ended", done.stderr
