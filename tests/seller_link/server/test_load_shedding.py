"""Too much to do: who cannot be served in time receives 503 with Retry-After, nothing has changed, and nobody hangs."""

import http.client
import ssl
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from pytest_django import Settings

from dispatch.models import Job
from seller_link.models import InboundMessage, InboundOutcome
from seller_link.server import asgi
from seller_link.server.request_queue import WORKER_THREADS
from tests.seller_link.wire import message, raw
from tests.servers.seller_server import Caller

pytestmark = pytest.mark.django_db(transaction=True)
CREATE = "/seller/createJob"
ADVICE = (503, "tryAgain", "5")


@contextmanager
def somebody_else_writing() -> Iterator[None]:
    """Nothing can be stored in the meantime."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("LOCK TABLE dispatch_job, seller_link_inboundmessage IN ACCESS EXCLUSIVE MODE")
        yield


def send_body(seller: Caller, body: bytes) -> tuple[int, str, str | None]:
    status, answer, headers = seller.call(CREATE, body)
    return status, answer.get("fault", {}).get("faultcode", ""), headers["Retry-After"]


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(500):
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def accepted() -> int:
    return InboundMessage.objects.filter(outcome=InboundOutcome.ACCEPTED).count()


def test_message_that_waits_too_long_is_undone_and_may_come_again(seller: Caller, settings: Settings) -> None:
    settings.SELLER_SERVER_WAIT_SECONDS = 0.3
    body = raw(message("createJob"))
    with somebody_else_writing():
        answer = send_body(seller, body)
    settings.SELLER_SERVER_WAIT_SECONDS = 10

    assert answer == ADVICE
    assert send_body(seller, body)[0] == 200
    assert (Job.objects.count(), accepted()) == (1, 1)


def test_message_that_was_given_up_never_has_an_effect(seller: Caller, settings: Settings) -> None:
    settings.SELLER_SERVER_WAIT_SECONDS = 0.3
    given_up = [raw(message("createJob", sellerJobId=f"SJ-{number}")) for number in range(WORKER_THREADS + 3)]
    with somebody_else_writing(), ThreadPoolExecutor(len(given_up)) as callers:
        answers_given = list(callers.map(lambda body: send_body(seller, body), given_up))
    settings.SELLER_SERVER_WAIT_SECONDS = 10

    # behind them in the queue: when this is done, they are
    assert send_body(seller, raw(message("createJob", sellerJobId="SJ-last")))[0] == 200
    assert answers_given == [ADVICE] * len(given_up)
    assert list(Job.objects.values_list("seller_job_id", flat=True)) == ["SJ-last"]


def test_caller_in_front_of_a_full_queue_is_sent_away_at_once(seller: Caller, settings: Settings) -> None:
    settings.SELLER_SERVER_QUEUE, settings.SELLER_SERVER_WAIT_SECONDS = 0, 60
    inside = [raw(message("createJob", sellerJobId=f"SJ-{number}")) for number in range(WORKER_THREADS)]
    with ThreadPoolExecutor(WORKER_THREADS) as callers:
        with somebody_else_writing():
            served = [callers.submit(send_body, seller, body) for body in inside]
            until(lambda: asgi.queue._claimed == WORKER_THREADS)

            answer = send_body(seller, raw(message("createJob", sellerJobId="SJ-outside")))

            # the others are still waiting
            assert not any(call.done() for call in served)

        assert [call.result()[0] for call in served] == [200] * WORKER_THREADS

    assert answer == ADVICE
    assert set(Job.objects.values_list("seller_job_id", flat=True)) == {
        f"SJ-{n}" for n in range(WORKER_THREADS)
    }


def test_in_a_rush_everybody_gets_an_answer_and_it_is_true(seller: Caller, settings: Settings) -> None:
    settings.SELLER_SERVER_QUEUE = 2
    names = [f"SJ-{number}" for number in range(60)]

    def speak(name: str) -> tuple[str, tuple[int, str, str | None]]:
        return name, send_body(seller, raw(message("createJob", sellerJobId=name)))

    with ThreadPoolExecutor(30) as callers:
        answers_by_name = dict(callers.map(speak, names))

    assert {answer for answer in answers_by_name.values() if answer[0] != 200} <= {ADVICE}
    answered = {name for name, answer in answers_by_name.items() if answer[0] == 200}
    assert set(Job.objects.values_list("seller_job_id", flat=True)) == answered
    assert accepted() == len(answered) > 0


@contextmanager
def commits_that_hang(*, seconds: float) -> Iterator[None]:
    """Like a disk that stalls: each COMMIT with a new message takes so long."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN PERFORM pg_sleep({seconds}); RETURN NULL; END $$; "
            "CREATE CONSTRAINT TRIGGER hanging AFTER INSERT ON seller_link_inboundmessage "
            "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hang()"
        )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION hang() CASCADE")


@pytest.mark.postgresql
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has nothing that runs at a commit")
def test_line_is_cut_when_a_commit_hangs_and_the_message_counts_once(
    seller: Caller, settings: Settings
) -> None:
    settings.SELLER_SERVER_WAIT_SECONDS = 0.3
    body = raw(message("createJob"))
    with (
        commits_that_hang(seconds=3),
        pytest.raises((ConnectionError, http.client.HTTPException, ssl.SSLError)),
    ):
        send_body(seller, body)
    until(lambda: accepted() == 1)
    settings.SELLER_SERVER_WAIT_SECONDS = 10

    assert send_body(seller, body)[0] == 200
    assert (Job.objects.count(), accepted()) == (1, 1)
