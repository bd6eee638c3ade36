"""The object store that the seller shares with its partner: what lies behind an object_path.

Files on disk are read from `SANDBOX_EVIDENCE_FOLDER` when their object_path begins with `SANDBOX_EVIDENCE_PREFIX`;
anything else is asked for by a plain GET, which a private bucket refuses.
"""

from pathlib import Path
from urllib.parse import unquote

from django.conf import settings

from seller_sandbox.jobs.evidence_rules import Fetched
from seller_sandbox.jobs.fetching import MAX_FILE_BYTES, fetch


def read(object_path: str) -> Fetched:
    """The stored bytes, or the status with which they were refused."""
    prefix = settings.EVIDENCE_PREFIX
    if not prefix or not object_path.startswith(prefix):
        return fetch(object_path)
    return _read_file(unquote(object_path.removeprefix(prefix)))


def _read_file(key: str) -> Fetched:
    folder: Path = settings.EVIDENCE_FOLDER
    path = (folder / key.lstrip("/")).resolve()
    if not path.is_relative_to(folder) or not path.is_file():
        return Fetched(status=404)
    if path.stat().st_size > MAX_FILE_BYTES:
        return Fetched(status=413)
    return Fetched(status=200, content=path.read_bytes())
