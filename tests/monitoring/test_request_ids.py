"""The id of a request: taken from the proxy, on every answer, and in the tasks that the request queues."""

from collections.abc import Callable

import pytest
from django.test import Client

from dispatch.states import JobState
from monitoring import request_ids, task_queue
from seller_link.models import OutboundMessage
from tests import make

pytestmark = pytest.mark.django_db
PROXY_ID = "5f0c0ffee5f0c0ffee5f0c0ffee5f0c0"


def test_answer_has_the_id_of_the_proxy(client: Client) -> None:
    assert client.get("/login/", headers={"X-Request-ID": PROXY_ID})["X-Request-ID"] == PROXY_ID


@pytest.mark.parametrize("text", ["", "short", "x" * 65, 'id", "level": "none', "a\tb c d e f g"])
def test_id_that_cannot_stand_in_a_log_is_replaced(client: Client, text: str) -> None:
    answered = client.get("/login/", headers={"X-Request-ID": text})["X-Request-ID"]

    assert answered != text
    assert request_ids.FORMAT.fullmatch(answered)


def test_message_without_a_request_has_none() -> None:
    make.job(at_state=JobState.EN_ROUTE)

    assert set(OutboundMessage.objects.values_list("request_id", flat=True)) == {""}


def test_task_runs_under_the_id_of_the_request_that_queued_it() -> None:
    seen: list[str] = []

    def work(number: int) -> None:
        seen.append(f"{number} {request_ids.current_request_id()}")

    recorded: Callable[..., None] = task_queue.task(work)
    recorded(1, request_id=PROXY_ID)
    recorded(2)

    assert seen == [f"1 {PROXY_ID}", "2 "]
    assert request_ids.current_request_id() == ""
