"""What all workers of a run need and only read or copy: made by the first that asks, while the others wait for it."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

VARIABLE = "TEST_SHARED_FOLDER"


@contextmanager
def shared_folder() -> Iterator[Path]:
    """The folder of this process and all that it starts, gone at the end; an outer run's own stays."""
    if VARIABLE in os.environ:
        yield Path(os.environ[VARIABLE])
        return
    with tempfile.TemporaryDirectory(prefix="fibre-dispatch-shared-") as folder:
        os.environ[VARIABLE] = folder
        try:
            yield Path(folder)
        finally:
            del os.environ[VARIABLE]


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder that `make` fills. Where it fails, the next one that asks tries again."""
    folder = Path(os.environ.get(VARIABLE) or _own_folder().name)
    made, unfinished = folder / name, folder / f"{name}-unfinished"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(made)
    return made


@cache
def _own_folder() -> tempfile.TemporaryDirectory[str]:
    """Outside a run of tests: of a measurement, for instance."""
    return tempfile.TemporaryDirectory(prefix="fibre-dispatch-shared-")
