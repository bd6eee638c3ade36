"""The question at the end of every scenario finds what must not be: lost, strange, in another order, changed."""

from copy import deepcopy

import pytest

from dispatch.states import JobState
from seller_link.models import OutboundMessage
from tests import make
from tests.faults import questions
from tests.faults.seller import Record

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent() -> list[OutboundMessage]:
    make.job(at_state=JobState.ON_SITE)
    return list(OutboundMessage.objects.select_related("job").order_by("seq"))


def record_of(*messages: OutboundMessage) -> Record:
    return Record([deepcopy(message.body) for message in messages])


def test_same_messages_in_the_same_order_are_no_difference_also_when_one_came_twice(
    sent: list[OutboundMessage],
) -> None:
    assert questions.outbound(record_of(sent[0], *sent)) == []


def test_lost_message_is_found_whatever_we_believe_of_it(sent: list[OutboundMessage]) -> None:
    (found,) = questions.outbound(record_of(*sent[:-1]))

    assert found.endswith(f"onSite {sent[-1].message_id} is missing at the seller")


def test_message_that_we_never_had_is_found(sent: list[OutboundMessage]) -> None:
    record = record_of(*sent)
    record.acted.append({**sent[0].body, "messageId": "6f0d5b1e-6f5e-4a57-9a55-5b1f5f0d9999"})

    (found,) = questions.outbound(record)

    assert found.endswith("6f0d5b1e-6f5e-4a57-9a55-5b1f5f0d9999 is missing here")


def test_other_order_is_found(sent: list[OutboundMessage]) -> None:
    (found,) = questions.outbound(record_of(sent[1], sent[0], *sent[2:]))

    assert "the order differs from position 1" in found


def test_other_body_is_found(sent: list[OutboundMessage]) -> None:
    record = record_of(*sent)
    record.acted[0]["plannedStart"] = "2026-11-23T08:00:00+00:00"

    (found,) = questions.outbound(record)

    assert found.endswith("differs in content")
