"""A bucket that hangs or is not there: uploads are answered "try again", and the pages go on."""

import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from botocore.exceptions import EndpointConnectionError
from django.conf import settings as configured

from closures.photos import evidence
from config import bucket_storage
from config.bucket_storage import Bucket, BucketLimits, BucketUnavailable
from config.storage import evidence_storage
from demo.rehearsal.app_client import JPEG, HttpSession, SessionResponse
from dispatch.states import JobState
from monitoring.alarms import open_alarms
from monitoring.backoff import BACKOFF_SECONDS
from monitoring.models import AlarmKind
from tests import make
from tests.background.worker_process import eventually
from tests.config.test_web import Web, serving
from tests.phone.phone import Phone
from tests.phone.test_uploads import announce
from tests.servers import object_store

RAW = make.jpeg()
UPLOADS = 10
KEYS = {"AWS_ACCESS_KEY_ID": object_store.KEY_ID, "AWS_SECRET_ACCESS_KEY": object_store.SECRET}


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """At an address where nobody listens."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"s3://{object_store.BUCKET}?endpoint=http://127.0.0.1:{probe.getsockname()[1]}"
        yield Bucket(**evidence_storage(url)["OPTIONS"])


def test_bucket_that_was_away_is_not_asked_for_a_while(bucket: Bucket) -> None:
    seconds = 0.0
    bucket.limits = BucketLimits(clock=lambda: seconds)
    with pytest.raises(EndpointConnectionError):
        bucket.size_there("a.jpg")
    with pytest.raises(BucketUnavailable):
        bucket.open("a.jpg")

    seconds = BACKOFF_SECONDS
    with pytest.raises(EndpointConnectionError):
        bucket.delete("a.jpg")


def test_enough_requests_wait_for_the_bucket(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_storage, "WAIT_SECONDS", 0)

    with bucket.limits.held(), bucket.limits.held(), pytest.raises(BucketUnavailable):
        bucket.size_there("a.jpg")


def test_limits_are_the_bucket_s_own(bucket: Bucket) -> None:
    config = bucket.connection.meta.client.meta.config

    assert (config.connect_timeout, config.read_timeout, config.retries["total_max_attempts"]) == (2, 5, 2)
    assert (config.signature_version, config.s3["addressing_style"]) == ("s3v4", "path")


class Visitor:
    """An engineer's phone that speaks to the web processes."""

    def __init__(self, web: Web, phone: Phone) -> None:
        self.base = f"http://127.0.0.1:{web.port}"
        session = phone.client.cookies[configured.SESSION_COOKIE_NAME].value
        self.cookies = {configured.SESSION_COOKIE_NAME: session, configured.CSRF_COOKIE_NAME: "a" * 32}

    def fetch(self, method: str, path: str, body: bytes = b"") -> SessionResponse:
        return HttpSession(self.base, cookies=dict(self.cookies)).fetch(method, path, body=body, headers=JPEG)

    def put(self, photo_id: str) -> SessionResponse:
        return self.fetch("PUT", f"/phone/photos/{photo_id}", RAW)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_pages_keep_working_while_the_bucket_is_frozen(tmp_path: Path) -> None:
    phone = Phone(make.engineer())
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    stored, *ids = [announce(phone, job) for _ in range(UPLOADS + 1)]
    folder = tmp_path / "kept"
    folder.mkdir()
    with (
        object_store.started("moto", folder) as (url, process),
        serving(tmp_path, EVIDENCE_STORAGE_URL=url, **KEYS) as web,
    ):
        visitor = Visitor(web, phone)
        assert visitor.put(stored).status == 200
        process.send_signal(signal.SIGSTOP)
        link = f"/evidence/{evidence.sign(job.photos.get(pk=stored))}"
        with ThreadPoolExecutor(UPLOADS + 1) as pool:
            doing = [pool.submit(visitor.put, id) for id in ids]
            doing += [pool.submit(visitor.fetch, "GET", link)]
            pages = set()
            while not all(id.done() for id in doing):
                pages |= {visitor.fetch("GET", path).status for path in ("/healthz", "/phone/day.json")}
                time.sleep(0.5)
        answers = [id.result() for id in doing]
        alarms = [alarm.kind for alarm in open_alarms()]
        process.send_signal(signal.SIGCONT)
        back = eventually(lambda: visitor.put(ids[0]).status == 200)

    assert pages == {200}
    assert [answer.status for answer in answers] == [503] * (UPLOADS + 1)
    assert all(answer.headers["retry-after"] for answer in answers)
    assert (alarms, back) == ([AlarmKind.EVIDENCE_UNAVAILABLE], True)
    assert not open_alarms().exists()
    assert {str(id.pk) for id in job.photos.stored()} >= {stored, ids[0]}
