"""A file system of a few megabytes that a test may fill, and what keeps this machine from having one."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.databases import small_disk_missing as missing

__all__ = ["fill", "missing", "mounted"]


@contextmanager
def mounted(folder: Path, *, megabytes: int) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    subprocess.run(mount, check=True, capture_output=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True)


def fill(folder: Path) -> Path:
    """A file that takes every free byte; remove it to free the space again."""
    balloon = folder / "balloon"
    with balloon.open("wb") as file:
        size = 1 << 20
        while size:
            try:
                os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), size)
            except OSError:
                size //= 2
    return balloon
