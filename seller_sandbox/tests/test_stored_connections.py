"""Messages to one recipient share a connection; a closed or dead one is replaced, and nothing takes effect twice."""

from collections.abc import Iterator
from typing import Any

import pytest

from seller_sandbox import clock
from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages import client, worker
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.tests import make
from seller_sandbox.tests.partner import Partner, PartnerHandler, accept, accept_and_hang_up, drop, send_half

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_connection_of_another_test() -> Iterator[None]:
    client.close_idle()
    yield
    client.close_idle()


def send_packs(count: int) -> list[OutboundMessage]:
    send_batch(Batch(count=count, day=make.DAY))
    while worker.work_once():
        clock.advance(seconds=61)
    return list(OutboundMessage.objects.order_by("id"))


def test_messages_share_a_connection(partner: Partner) -> None:
    sent = send_packs(3)

    assert [message.attempts for message in sent] == [1, 1, 1]
    assert len(partner.ports) == 3
    assert len(set(partner.ports)) == 1


def accept_and_announce(handler: PartnerHandler, body: dict[str, Any]) -> None:
    echoed = {name: body[name] for name in ("messageId", "correlationId")}
    handler.answer(200, {**echoed, "providerJobId": f"PJ-{body['messageId'][:8]}"}, Connection="close")


@pytest.mark.parametrize("end", [accept_and_announce, accept_and_hang_up])
def test_closed_connection_is_replaced_before_it_is_used(partner: Partner, end: object) -> None:
    partner.script[:] = [end, accept]

    sent = send_packs(2)

    assert [message.attempts for message in sent] == [1, 1]
    assert len(set(partner.ports)) == 2


@pytest.mark.parametrize("trouble", [drop, send_half])
def test_connection_that_dies_under_a_message_is_replaced(partner: Partner, trouble: object) -> None:
    """Nobody knows whether the message has arrived: it comes again with its id, and its job is one job."""
    partner.script[:] = [accept, trouble, accept]

    sent = send_packs(2)

    assert [message.attempts for message in sent] == [1, 2]
    assert {message.state for message in sent} == {OutboundState.DELIVERED}
    assert partner.message_ids == [str(sent[0].message_id), *[str(sent[1].message_id)] * 2]
    assert len(set(partner.ports)) == 2
    assert set(Job.objects.values_list("state", flat=True)) == {JobState.ACCEPTED}


def test_idle_connection_is_not_used_again(partner: Partner, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipient may be closing it at this very moment."""
    monkeypatch.setattr(client, "IDLE_SECONDS", 0.0)

    sent = send_packs(2)

    assert [message.attempts for message in sent] == [1, 1]
    assert len(set(partner.ports)) == 2
