"""A row or table that stays locked (PostgreSQL): who waits for it gives up within the limit, and nobody else waits."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from django.db import connection, transaction
from django.db.backends.signals import connection_created
from pytest_django import Settings

from config import connections
from dispatch import job_events
from dispatch.models import Job
from dispatch.states import JobState
from operations import table_rows
from seller_link.inbox import InboundRequest, InboundResponse
from seller_link.server import asgi
from seller_link.server.request_queue import RequestQueue
from seller_link.wire.v1.refusals import Refusal
from tests import make
from tests.conventions.sources import ROOT
from tests.phone.phone import POSITION, Phone, entry
from tests.seller_link.inbox import PEER
from tests.seller_link.wire import message, raw

pytestmark = [
    pytest.mark.postgresql,
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has a limit of its own"),
    pytest.mark.django_db(transaction=True),
]
SECONDS = 10


def value_of(name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW {name}")
        value: str = cursor.fetchone()[0]
    return value


def test_every_connection_has_the_limits_and_a_backup_may_pause() -> None:
    assert (value_of("lock_timeout"), value_of("idle_in_transaction_session_timeout")) == ("10s", "1min")

    with table_rows.one_moment():
        assert value_of("idle_in_transaction_session_timeout") == "0"
    assert value_of("idle_in_transaction_session_timeout") == "1min"


def test_options_of_the_address_come_after_ours() -> None:
    database = {"ENGINE": "django.db.backends.postgresql", "OPTIONS": {"options": "-c lock_timeout=5s"}}

    made = connections.with_options(database, connection_seconds=60, prepare_after=5)

    assert made["OPTIONS"]["options"] == f"{connections.LOCK_LIMITS} -c lock_timeout=5s"


@contextmanager
def lock_limit(value: str) -> Iterator[None]:
    """Of this thread's connection."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{value}'")
    yield
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")


@contextmanager
def locked_elsewhere(job: Job) -> Iterator[None]:
    """By another connection."""

    def hold() -> None:
        with transaction.atomic():
            job_events.lock_job(job)
            is_locked.set()
            may_end.wait(SECONDS)
        connection.close()

    is_locked, may_end = threading.Event(), threading.Event()
    thread = threading.Thread(target=hold)
    thread.start()
    assert is_locked.wait(SECONDS)
    yield
    may_end.set()
    thread.join(SECONDS)


def test_tap_for_a_locked_job_may_be_sent_again() -> None:
    phone = Phone(make.engineer())
    job = make.job(at_state=JobState.ASSIGNED, to=phone.engineer)
    tap = entry("en_route", job, {"position": POSITION})

    with locked_elsewhere(job), lock_limit("300ms"):
        answer = phone.post({"messages": [tap]})

    assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")
    assert phone.send(tap)[0]["outcome"] == "applied"


@pytest.fixture
def queue(settings: Settings) -> Iterator[RequestQueue]:
    """As in a seller server; its threads' connections end with each call."""

    def work(requests: Sequence[InboundRequest]) -> list[InboundResponse]:
        try:
            return asgi._work(requests)
        finally:
            connection.close()

    settings.SELLER_SERVER_WAIT_SECONDS = 3
    connection_created.connect(asgi.limit_lock_waits)
    yield RequestQueue(work)
    connection_created.disconnect(asgi.limit_lock_waits)


def test_locked_job_keeps_no_other_job_from_the_seller_link(queue: RequestQueue) -> None:
    job = make.job()

    async def say(operation: str, **changes: object) -> int:
        try:
            body = raw(message(operation, **changes))
            return (await queue.submit(InboundRequest(operation, body, PEER))).status
        except Refusal as refusal:
            return refusal.status

    async def say_all() -> list[int]:
        about_it = [say("cancelJob", providerJobId=job.provider_job_id) for _ in range(2)]
        return await asyncio.gather(*about_it, say("createJob", sellerJobId="SJ-other"))

    with transaction.atomic():
        job_events.lock_job(job)
        statuses = asyncio.run(say_all())

    assert statuses == [503, 503, 200]


def test_locked_job_does_not_deny_what_its_batch_has_stored() -> None:
    job = make.job()
    batch = [
        InboundRequest("createJob", raw(message("createJob", sellerJobId="SJ-other")), PEER),
        InboundRequest("cancelJob", raw(message("cancelJob", providerJobId=job.provider_job_id)), PEER),
    ]

    with locked_elsewhere(job), lock_limit("300ms"):
        answers = asgi._work(batch)

    assert [answer.status for answer in answers] == [200, 503]
    assert Job.objects.filter(seller_job_id="SJ-other").exists()


def test_command_that_waits_for_a_lock_says_what_to_do() -> None:
    parts = urlsplit(os.environ["DATABASE_URL"])
    name = connection.settings_dict["NAME"]
    url = parts._replace(path=f"/{name}", query="options=-c%20lock_timeout%3D200ms").geturl()

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE django_migrations IN ACCESS EXCLUSIVE MODE")
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), "migrate"],
            cwd=ROOT,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": url},
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr.startswith("Not finished: canceling statement due to lock timeout")
    assert done.stderr.endswith("Run the same command again when it is over.\n")
