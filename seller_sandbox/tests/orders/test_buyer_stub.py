"""Notifications to buyers over real mutual TLS: the same promises as to the partner (order, retry, replay)."""

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from seller_sandbox.messages import worker
from seller_sandbox.messages.models import MessageLogEntry, OutboundState
from seller_sandbox.orders import seller_actions
from seller_sandbox.tests import buyer_stub_process
from seller_sandbox.tests.buyer_stub_process import JSON, Stub, kinds
from seller_sandbox.tests.orders import samples

pytestmark = pytest.mark.django_db(transaction=True)


def send_all() -> None:
    buyer_stub_process.send_all("order")


def test_notifications_arrive_in_order_at_the_path_of_their_buyer(stub: Stub) -> None:
    order = samples.placed()
    samples.placed(who="BUYERB", uprn="none")

    send_all()

    mine = stub.received("?buyer=buyer-a")
    assert kinds(mine) == samples.kinds(order)
    assert {row["seller_order_reference"] for row in mine} == {order.seller_order_reference}
    assert kinds(stub.received("?buyer=buyer-b")) == ["pending", "rejected"]
    assert len(stub.received("?since=3")) == len(stub.received()) - 3
    assert [json.loads(line) for line in stub.file.read_text().splitlines()][-1] == stub.received()[-1]


@pytest.mark.parametrize("mode", ["fail", "drop", "lost", "half", "wrong", "slow"])
def test_after_trouble_the_same_notification_is_sent_again(stub: Stub, mode: str) -> None:
    """Issue 13, 5."""
    order = samples.placed()
    stub.post("faults", {"buyer": "buyer-a", "mode": mode, "seconds": 2, "times": 1})

    worker.work_once()
    first = order.thread.outbound.get(seq=1)
    assert first.state == OutboundState.WAITING
    send_all()

    received = stub.received()
    assert kinds([row for row in received if not row["is_repeat"]]) == samples.kinds(order)
    repeats = [row["xml"] for row in received if row["message_id"] == str(first.message_id)]
    assert repeats == [first.body] * (2 if mode in {"lost", "half", "slow"} else 1)
    assert MessageLogEntry.objects.filter(outbound=first).count() == 2


def test_a_refusal_holds_the_later_notifications_of_its_order(stub: Stub) -> None:
    """The promises of our own link: in order, also when a person has to send one again (issue section 5)."""
    order = samples.placed()
    other = samples.placed(who="BUYERB", uprn="none")
    stub.post("faults", {"mode": "fault", "status": 400, "times": 1})

    send_all()

    assert order.thread.outbound.get(seq=1).state == OutboundState.REFUSED
    assert kinds(stub.received()) == samples.kinds(other)
    assert seller_actions.send_refused_again(reference=order.seller_order_reference) == 1
    send_all()
    assert kinds(stub.received("?buyer=buyer-a")) == samples.kinds(order)


def test_a_repeated_notification_is_the_same_message(stub: Stub) -> None:
    """Issue 13, 5."""
    order = samples.placed()
    send_all()

    seller_actions.repeat_notification(reference=order.seller_order_reference)
    send_all()

    last, again = stub.received()[-2:]
    assert (again["message_id"], again["xml"], again["is_repeat"]) == (last["message_id"], last["xml"], True)


def test_a_buyer_in_trouble_holds_up_no_other(stub: Stub) -> None:
    """Issue 13, 5."""
    stub.post("faults", {"buyer": "buyer-a", "mode": "fail"})
    samples.placed()
    other = samples.placed(who="BUYERB", uprn="none")

    for _ in range(6):
        worker.work_once()

    assert kinds(stub.received()) == samples.kinds(other)


@pytest.mark.parametrize(
    "body",
    [
        *({}, {"mode": "odd"}, {"mode": "fail", "colour": 1}, [], "fail"),
        *({"mode": "fail", "status": status} for status in (200, 999, "503", True, None)),
        *({"mode": "slow", "seconds": seconds} for seconds in (-1, 601, "2")),
        *({"mode": "fail", "times": times} for times in (0, -1, 1.5, "1")),
    ],
)
def test_a_fault_that_cannot_be_read_is_explained(stub: Stub, body: Any) -> None:
    """Issue 13, 5."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        stub.post("faults", body)

    assert refused.value.code == 400
    assert "modes are normal, fail" in json.load(refused.value)["error"]


def test_requests_of_other_pages_and_unknown_paths_are_refused(stub: Stub) -> None:
    """Issue 13, 5."""
    for path, content_type, status in (
        ("faults", "text/plain", 403),
        ("nothing", JSON, 404),
    ):
        with pytest.raises(urllib.error.HTTPError) as refused:
            stub.post(path, {"mode": "fail"}, content_type=content_type)
        assert refused.value.code == status
    with pytest.raises(urllib.error.HTTPError):
        stub.received("?since=x")


def test_callers_without_a_certificate_get_nothing(stub: Stub) -> None:
    """Authentication 1."""
    with pytest.raises(OSError):
        urllib.request.urlopen(f"https://127.0.0.1:{stub.port}/buyer-a", data=b"<x/>", timeout=5)

    assert stub.received() == []
