"""An evidence storage of each kind: a folder, or a real S3 server on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers import object_store


@contextmanager
def running_storage(kind: str, folder: Path) -> Iterator[str]:
    """Its EVIDENCE_STORAGE_URL; `kind` is `disk` or one of `object_store.SERVERS`."""
    folder.mkdir()
    if kind == "disk":
        yield f"file://{folder}"
        return
    with object_store.running(kind, folder) as address:
        yield address
