"""Files that somebody asked for: whole or not there, and for their owner only."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

OWNER_ONLY = 0o600


@contextmanager
def whole_file(path: Path, *, replaces: bool = False) -> Iterator[IO[bytes]]:
    """To be written to: for its owner only, and there under its name when all is written; nothing is left of it
    otherwise. Raises FileExistsError unless it `replaces` what is there, and OSError where it cannot be written."""
    if not replaces and os.path.lexists(path):
        raise FileExistsError(path)
    unfinished = path.with_name(f"{path.name}.unfinished")
    descriptor = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC, OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
