"""The evidence storage chosen by EVIDENCE_STORAGE_URL, one place: a folder, or an S3-compatible bucket.

A bucket's class is in bucket_storage.py, so that a process with a folder does not load boto3. Folders and files are
for the service's user only, whatever the umask of whoever started it.
"""

from __future__ import annotations

import math
import os
import random
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.core.files import File
from django.core.files.storage import FileSystemStorage

FOLDER, FILE = 0o700, 0o600
OTHERS = 0o077


def make_folder(path: Path) -> None:
    """With every parent that is missing; what is there stays as it is."""
    try:
        path.mkdir(mode=FOLDER, exist_ok=True)
    except FileNotFoundError:
        make_folder(path.parent)
        path.mkdir(mode=FOLDER, exist_ok=True)


def make_file(path: Path) -> None:
    """An empty one, if there is none. Never opens it: whoever closes a file gives up all locks of this process on it,
    those of SQLite too."""
    with suppress(OSError):
        os.mknod(path, stat.S_IFREG | FILE)


def make_private(path: Path) -> None:
    """For a file of an earlier version; nothing happens when there is none or when it is not ours."""
    with suppress(OSError):
        if path.stat().st_mode & OTHERS:
            path.chmod(FILE)


def sync_to_disk(path: Path) -> None:
    """Return when a file's content, or a folder's names, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


S3_OPTIONS = {"endpoint", "region", "addressing", "direct"}
# a folder of the storage, and how its files are called
INCOMING, UNFINISHED = ".incoming", ".incoming-"
REMEDY = "write file:///full/path or s3://bucket?endpoint=https://host&region=name"


class DurableFileStorage(FileSystemStorage):
    """Says "saved" only when the bytes are on the disk: Django's own storage never syncs (measured by trace).

    A file that is there is replaced by a rename: a reader finds the old one or the new one, never none. Until then it
    lies in INCOMING, where a process that is killed leaves it.
    """

    def __init__(self, location: str) -> None:
        super().__init__(location=location, allow_overwrite=True)

    def _save(self, name: str, content: File[Any]) -> str:
        final = Path(self.path(name))
        make_folder(final.parent)
        incoming = Path(self.path(INCOMING))
        make_folder(incoming)
        handle, temporary = tempfile.mkstemp(dir=incoming, prefix=UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).rename(final)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        sync_to_disk(final.parent)
        return name

    def delete_unfinished(self, before: datetime, *, folder: str = "", seconds: float = math.inf) -> None:
        """What killed processes left below `folder` (all of the storage) and wrote before that moment; an earlier
        version left it beside the files. In any order, INCOMING first: where `seconds` are not enough for a large
        storage, the next calls find the rest."""
        end = time.monotonic() + seconds
        for path in _files_below(self.path(folder)):
            if time.monotonic() > end:
                break
            with suppress(FileNotFoundError):
                if path.name.startswith(UNFINISHED) and path.stat().st_mtime < before.timestamp():
                    path.unlink()


def _files_below(folder: str) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort(key=lambda name: (name != INCOMING, random.random()))  # noqa: S311  # of folders
        yield from (Path(parent, name) for name in names)


def storages_setting(evidence_url: str, *, has_manifest: bool) -> dict[str, dict[str, Any]]:
    """Django's STORAGES. With a manifest static files are compressed ahead and named by their content."""
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    compressed = "whitenoise.storage.CompressedManifestStaticFilesStorage"
    return {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": compressed if has_manifest else plain},
        "evidence": evidence_storage(evidence_url),
    }


def evidence_storage(url: str) -> dict[str, Any]:
    """The STORAGES entry for a URL; a wrong one stops the start and names the setting."""
    parts = urlsplit(url)
    if parts.scheme == "file" and len(parts.path) > 1 and not parts.netloc:
        return {"BACKEND": "config.storage.DurableFileStorage", "OPTIONS": {"location": unquote(parts.path)}}
    if parts.scheme == "s3" and parts.netloc and parts.path in {"", "/"}:
        return {"BACKEND": "config.bucket_storage.Bucket", "OPTIONS": _s3(parts.netloc, parts.query)}
    raise ImproperlyConfigured(f"EVIDENCE_STORAGE_URL: {url!r} is not understood; {REMEDY}")


def _s3(bucket: str, query: str) -> dict[str, Any]:
    """Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as boto3 reads them."""
    options = dict(parse_qsl(query))
    unknown = sorted(set(options) - S3_OPTIONS)
    if unknown:
        raise ImproperlyConfigured(f"EVIDENCE_STORAGE_URL: unknown option {', '.join(unknown)}; {REMEDY}")
    if options.get("direct", "no") not in {"yes", "no"}:
        raise ImproperlyConfigured(f"EVIDENCE_STORAGE_URL: direct is yes or no, not {options['direct']}")
    return {
        "bucket_name": bucket,
        "endpoint_url": options.get("endpoint"),
        "region_name": options.get("region"),
        "takes_puts": options.get("direct") == "yes",
        "addressing_style": options.get("addressing", "path" if options.get("endpoint") else "auto"),
        "signature_version": "s3v4",
        "default_acl": None,
        "file_overwrite": True,
        "querystring_expire": 300,
        "object_parameters": {"ContentDisposition": "attachment"},
    }


def direct_origins(url: str) -> list[str]:
    """Where a phone's page puts photos itself (`direct=yes`), for the content security policy."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    if parts.scheme != "s3" or options.get("direct") != "yes":
        return []
    bucket, endpoint = parts.netloc, urlsplit(options.get("endpoint", ""))
    if not endpoint.netloc:
        regional = [f"https://{bucket}.s3.{options['region']}.amazonaws.com"] if options.get("region") else []
        return [f"https://{bucket}.s3.amazonaws.com", *regional]
    host = endpoint.netloc if options.get("addressing", "path") == "path" else f"{bucket}.{endpoint.netloc}"
    return [f"{endpoint.scheme}://{host}"]
