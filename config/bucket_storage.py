"""The evidence in an S3-compatible bucket: few requests at a time, none of them long."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from http import HTTPStatus
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection
from django.core.files import File
from django.core.files.base import ContentFile
from storages.backends.s3 import S3Storage

from monitoring.backoff import BackingOff, Backoff

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

    @cached_property
    def connection(self) -> Any:
        """One for all threads, which may share its client: django-storages makes one for each, and each takes 18 MB."""
        return super().connection

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

    def list_written_before(self, moment: datetime, *, folder: str) -> Iterator[str]:
        """Names in the folder that were last written before that moment; one request for each thousand."""
        wanted = {"Bucket": self.bucket_name, "Prefix": f"{folder}/"}
        while wanted:
            with self.limits.held():
                page = self.connection.meta.client.list_objects_v2(**wanted)
            yield from (row["Key"] for row in page.get("Contents", []) if row["LastModified"] < moment)
            token = page.get("NextContinuationToken")
            wanted = {**wanted, "ContinuationToken": token} if token else {}


def _status(problem: ClientError) -> int:
    return int(problem.response["ResponseMetadata"]["HTTPStatusCode"])


MAX_CONCURRENT = 2
WAIT_SECONDS = 1


class BucketUnavailable(BotoCoreError):  # type: ignore[misc]  # botocore has no types
    """Not asked: it did not answer a moment ago, or enough requests of this process wait for it."""

    fmt = "The evidence bucket does not answer"


class BucketLimits:
    """At most MAX_CONCURRENT requests; after one without an answer a single one at a time tries again
    (monitoring.backoff)."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._slots = threading.BoundedSemaphore(MAX_CONCURRENT)
        self._rest = Backoff(clock=clock)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Round one request. Raises BucketUnavailable."""
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
