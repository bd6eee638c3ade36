"""`work` ends on SIGTERM, also when the signal falls into its own wait for the end."""

import subprocess
import sys

PROGRAM = """
import os, signal
from threading import Event
from seller_sandbox.jobs.management.commands import work
stop = Event()
work._set_on_signal(stop)
with stop._cond:
    os.kill(os.getpid(), signal.SIGTERM)
print("ended" if stop.wait(30) else "never told")
"""


def test_signal_in_the_middle_of_a_wait_ends_the_process() -> None:
    program = "import django; django.setup()" + PROGRAM
    done = subprocess.run(
        [sys.executable, "-B", "-c", program],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.stdout.strip() == "ended", done.stderr
