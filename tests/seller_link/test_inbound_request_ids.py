"""The id of a message of the seller's: on its log lines, and on what it causes."""

from typing import Any

import pytest

from dispatch.models import Job
from monitoring import request_ids
from seller_link import inbox
from seller_link.inbound_handlers import OPERATIONS, Operation
from seller_link.inbox import InboundRequest
from seller_link.models import InboundMessage
from tests.seller_link.inbox import PEER
from tests.seller_link.wire import message, raw

pytestmark = pytest.mark.django_db(transaction=True)


def test_each_message_of_a_batch_has_its_own_id(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread stores the batch."""
    caplog.set_level("INFO", logger="seller_link.inbox")
    bodies: list[Any] = [
        {},
        message("createJob"),
        message("createJob", sellerJobId="SJ-2"),
        message("createJob", jobType="x"),
    ]
    requests = [
        InboundRequest("createJob", raw(body), PEER, {request_ids.NAME: f"request-{number}"})
        for number, body in enumerate(bodies)
    ]
    applied: list[str] = []
    usual = OPERATIONS["createJob"]

    def apply(*parts: Any) -> Job:
        applied.append(request_ids.current_request_id())
        return usual.apply(*parts)

    monkeypatch.setitem(OPERATIONS, "createJob", Operation(usual.parse, apply))
    answers = inbox.receive(requests)

    assert [answer.status for answer in answers] == [422, 200, 200, 422]
    assert (applied, request_ids.current_request_id()) == (["request-1", "request-2"], "")
    lines = [record.msg for record in caplog.records if record.name == "seller_link.inbox"]
    assert [line["request_id"] for line in lines] == ["request-0", "request-3"]  # type: ignore[index]
    assert InboundMessage.objects.count() == 4
