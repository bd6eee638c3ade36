"""Files that somebody asked for: whole or not there, and for their owner only."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def whole_file(path: Path, *, replaces: bool = False) -> Iterator[IO[bytes]]:
    """To be written to: for its owner only, and there under its name when all is written; nothing is left of it
    otherwise. Raises FileExistsError unless it `replaces` what is there, and OSError where it cannot be written."""
    if not replaces and os.path.lexists(path):
        raise FileExistsError(path)
    # a name of its own, new and for the owner only: in a folder that many share, a fixed one may be somebody's
    descriptor, name = tempfile.mkstemp(suffix=".unfinished", prefix=f"{path.name[:20]}.", dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
