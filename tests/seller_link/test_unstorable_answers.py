"""Answers with characters that no database keeps, and deliveries that cannot be written down: one message is concerned,
no other job waits and every page opens.
"""

import pytest
from django.db import connection

from dispatch.states import JobState
from engineers.input_values import parse_foreign_json
from monitoring import alarms
from monitoring.alarms import text_of
from seller_link import message_log, outbox_queue, relay
from seller_link.circuit_breaker import CircuitBreaker
from seller_link.client import SellerClient
from seller_link.relay import DeliveryResult
from tests import make
from tests.board.office import signed_in
from tests.servers import seller

pytestmark = pytest.mark.django_db(transaction=True)
REPLACED = "\N{REPLACEMENT CHARACTER}"


def deliver_all() -> list[DeliveryResult]:
    client, circuits = SellerClient(), CircuitBreaker()
    deliveries = [
        relay.deliver(claimed, client=client, circuit_breaker=circuits)
        for claimed in outbox_queue.claim_due(9)
    ]
    client.close()
    return deliveries


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud83d"], ids=["NUL", "half a pair"])
def test_refusal_with_such_a_character_blocks_no_other_job_and_no_page(
    endpoint: seller.Endpoint, escape: str
) -> None:
    detail = f'{{"field": "/engineer/name", "code": "invalidValue", "message": "Bad name {escape}."}}'
    fault = f'{{"fault": {{"faultcode": "invalidMessage", "detail": [{detail}]}}}}'
    endpoint.behaviours = [seller.reply("422 Wrong", fault.encode()), seller.accept]
    held, other = (make.job(at_state=JobState.ASSIGNED) for _ in range(2))

    relay.settle(deliver_all())

    assert [job.outbound_messages.get().state for job in (held, other)] == ["held", "sent"]
    (alarm,) = alarms.open_alarms()
    assert f"/engineer/name: Bad name {REPLACED}" in str(text_of(alarm))
    client, message = signed_in(), held.outbound_messages.get()
    for path in ("", "messages/stuck/", f"messages/{message.message_id}/", f"jobs/{held}/", "alarms/"):
        assert client.get(f"/board/{path}").status_code == 200, path


@pytest.mark.parametrize("text", ["\0", "\ud83d"], ids=["NUL", "half a pair"])
def test_delivery_that_cannot_be_written_down_is_tried_later_and_blocks_no_other(
    endpoint: seller.Endpoint, text: str
) -> None:
    wrong, other = (make.job(at_state=JobState.ASSIGNED) for _ in range(2))
    deliveries = deliver_all()
    deliveries[0].attempts[0]["response"] = text

    relay.settle(deliveries)

    is_storable = text == "\0" and connection.vendor == "sqlite"
    row = wrong.outbound_messages.get()
    assert (row.state, row.failures) == (("sent", 0) if is_storable else ("ready", 1))
    assert other.outbound_messages.get().state == "sent"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ('"\\u0000 and \\ud83d"', f"{REPLACED} and {REPLACED}"),
        ('{"\\udc00": ["\\u0000", {"a": "\\ud83d\\ude00"}]}', {REPLACED: [REPLACED, {"a": "😀"}]}),
        (b'{"a": 1.5, "b": null, "c": "\\\\u0000"}', {"a": 1.5, "b": None, "c": "\\u0000"}),
    ],
    ids=["text", "members", "escaped backslash"],
)
def test_json_from_outside_is_read_without_them(raw: str | bytes, value: object) -> None:
    assert parse_foreign_json(raw) == value


@pytest.mark.parametrize(
    ("raw", "why"),
    [("[" * 99_999, "nested"), ("{", "Expecting"), (b"\xff", "decode"), ("9" * 5000, "digits")],
    ids=["depth", "half", "no UTF-8", "long number"],
)
def test_json_from_outside_that_cannot_be_read_is_a_value_error(raw: str | bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_foreign_json(raw)


def test_refused_body_that_is_only_a_text_stays_hidden() -> None:
    assert message_log.mask_personal_data('"Mrs Ali \\ud83d"') == message_log.HIDDEN
