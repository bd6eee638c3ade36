"""Processes of this machine: whether one runs, ending with the parent, and ending all that came from one."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int, *, by: signal.Signals = signal.SIGTERM) -> Callable[[], None] | None:
    """For a child between fork and exec: it gets this signal when we die, even by SIGKILL (Linux; else None)."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def bind() -> None:
        prctl(PR_SET_PDEATHSIG, by, 0, 0, 0)
        if os.getppid() != parent:  # we died in between
            os._exit(1)

    return bind


def is_running(pid: str) -> bool:
    try:
        # no signal is sent, it is only looked whether one could be
        os.kill(int(pid), 0)
    except PermissionError:
        # it is another user's, or of another user namespace (PrivateUsers of the units)
        return True
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    return True


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """A child that began a session of its own, and all that came from it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


def call_on_stop_signal(stop: Callable[[], object]) -> None:
    """`stop` is called on SIGTERM or SIGINT, in a thread of its own: it may take locks.

    A handler runs in the middle of what the main thread does. An Event that it sets may be the one whose lock the main
    thread is just holding, and the process would never end.
    """
    received: SimpleQueue[int] = SimpleQueue()

    def wait_and_stop() -> None:
        while received.get():
            stop()

    Thread(target=wait_and_stop, name="stop signals", daemon=True).start()
    for number in (signal.SIGTERM, signal.SIGINT):
        # the one queue that a handler may put into
        signal.signal(number, lambda received_number, _frame: received.put(received_number))
