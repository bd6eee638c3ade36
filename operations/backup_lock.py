"""One backup at a time in a folder: another one's retention would delete photos that this one is about to name."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.utils import timezone

from config.storage import FILE, make_folder

LOCK = ".lock"


class NotLocked(Exception):
    """The message says which process makes a backup, or why the folder cannot be written."""


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """For a backup and its retention. The kernel gives the lock up when the process ends, however it ends.

    Raises NotLocked.
    """
    try:
        make_folder(folder)
        file = os.fdopen(os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, FILE), "r+")
    except OSError as problem:
        raise NotLocked(str(problem)) from problem
    with file:
        _lock(file, folder)
        yield


def _lock(file: IO[str], folder: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as problem:
        holder = file.read().strip() or "another process"
        raise NotLocked(f"{holder} makes one in {folder}. Wait until it has ended.") from problem
    except OSError as problem:
        raise NotLocked(f"{folder / LOCK} cannot be locked: {problem.strerror}.") from problem
    file.truncate()
    file.write(f"process {os.getpid()} on {socket.gethostname()}, since {timezone.now():%d %b %H:%M} UTC,")
    file.flush()
