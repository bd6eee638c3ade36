"""The evidence storage chosen by EVIDENCE_STORAGE_URL, one place: a folder, or an S3-compatible bucket.

Folders and files are for the service's user only, whatever the umask of whoever started it.
"""

from __future__ import annotations

import base64
import os
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection
from django.core.exceptions import ImproperlyConfigured
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage
from storages.backends.s3 import S3Storage

from monitoring.backoff import BackingOff, Backoff

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


S3_OPTIONS = {"endpoint", "region", "addressing", "direct"}
REMEDY = "write file:///full/path or s3://bucket?endpoint=https://host&region=name"


class DurableFileStorage(FileSystemStorage):
    """Says "saved" only when the bytes are on the disk: Django's own storage never syncs (measured by trace).

    A file that is there is replaced by a rename: a reader finds the old one or the new one, never none.
    """

    def __init__(self, location: str) -> None:
        super().__init__(location=location, allow_overwrite=True)

    def _save(self, name: str, content: File[Any]) -> str:
        final = Path(self.path(name))
        make_folder(final.parent)
        handle, temporary = tempfile.mkstemp(dir=final.parent, prefix=".incoming-")
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
        _sync_folder(final.parent)
        return name


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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
        return {"BACKEND": "config.storage.Bucket", "OPTIONS": _s3(parts.netloc, parts.query)}
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


# what comes is looked at before it is anything
WITHOUT_CHECKSUM = "application/octet-stream"
# a bucket that does not answer costs a thread 12 seconds; boto3's own limits are 60 seconds, five times
LIMITS = Config(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 2, "mode": "standard"})


class Bucket(S3Storage):  # type: ignore[misc]  # django-storages has no types
    """`takes_puts`: phones reach the bucket, and its CORS rules let our pages put (docs/operating.md)."""

    client_config: Config

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.client_config = self.client_config.merge(LIMITS)
        self.limits = BucketLimits()

    def get_default_settings(self) -> dict[str, Any]:
        return {**super().get_default_settings(), "takes_puts": False}

    @property
    def address(self) -> str:
        """`https://{endpoint}/{bucket}`, also where the bucket is reached by a host name of its own."""
        region = f".{self.region_name}" if self.region_name else ""
        endpoint = self.endpoint_url or f"https://s3{region}.amazonaws.com"
        return f"{endpoint.rstrip('/')}/{self.bucket_name}"

    def _open(self, name: str, mode: str = "rb") -> ContentFile[bytes]:
        """Fetched whole with one GET: django-storages asks for the head now and for the content when it is read,
        and between the two the object may go.
        """
        if mode != "rb":
            raise ValueError(f"{name}: objects are opened to read them")
        with self.limits.held():
            try:
                answer = self.connection.meta.client.get_object(Bucket=self.bucket_name, Key=name)
            except ClientError as problem:
                if _status(problem) == HTTPStatus.NOT_FOUND:
                    raise FileNotFoundError(name) from problem
                raise
            return ContentFile(answer["Body"].read(), name=name)

    def _save(self, name: str, content: File[bytes]) -> str:
        """One PUT in this thread, whole or not at all: django-storages hands it to threads of its own."""
        parameters = self._get_write_parameters(name, content)
        with self.limits.held():
            self.connection.meta.client.put_object(
                Bucket=self.bucket_name, Key=name, Body=content.read(), **parameters
            )
        return name

    def delete(self, name: str) -> None:
        with self.limits.held():
            super().delete(name)

    def exists(self, name: str) -> bool:
        return self.size_there(name) is not None

    def signed_put(self, name: str, *, size: int, sha256: str, seconds: int) -> tuple[str, dict[str, str]]:
        """Address and headers for a PUT of exactly these bytes; a browser adds the length by itself."""
        checksum = base64.b64encode(bytes.fromhex(sha256)).decode()
        wanted = {"ContentType": WITHOUT_CHECKSUM, "ContentLength": size, "ChecksumSHA256": checksum}
        url = self.connection.meta.client.generate_presigned_url(
            "put_object", Params={"Bucket": self.bucket_name, "Key": name, **wanted}, ExpiresIn=seconds
        )
        return url, {"content-type": WITHOUT_CHECKSUM, "x-amz-checksum-sha256": checksum}

    def size_there(self, name: str) -> int | None:
        """How large the object is; None when there is none."""
        with self.limits.held():
            try:
                head = self.connection.meta.client.head_object(Bucket=self.bucket_name, Key=name)
            except ClientError as problem:
                if _status(problem) == HTTPStatus.NOT_FOUND:
                    return None
                raise
        return int(head["ContentLength"])


def _status(problem: ClientError) -> int:
    return int(problem.response["ResponseMetadata"]["HTTPStatusCode"])


MAX_CONCURRENT = 2
WAIT_SECONDS = 1


class BucketUnavailable(BotoCoreError):  # type: ignore[misc]  # botocore has no types
    """Not asked: it did not answer a moment ago, or enough requests of this process wait for it."""

    fmt = "The evidence bucket does not answer"


class BucketLimits:
    """At most AT_ONCE requests; after one without an answer a single one at a time tries again (monitoring.backoff)."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._slots = threading.BoundedSemaphore(MAX_CONCURRENT)
        self._rest = Backoff(clock=clock)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Round one request. Raises BucketAway."""
        try:
            self._rest.refuse()
        except BackingOff as problem:
            raise BucketUnavailable from problem
        if not self._slots.acquire(timeout=WAIT_SECONDS):
            raise BucketUnavailable
        try:
            with self._rest.watching(HTTPClientError, NoConnection):
                yield
        finally:
            self._slots.release()
