"""Stuck messages: seen, understood, corrected, sent again."""

import json
import re

import pytest
from django.utils import timezone

from dispatch.states import JobState
from engineers.models import AuditEntry
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundState
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db


def held() -> OutboundMessage:
    """A message that the seller refused."""
    make.job(at_state=JobState.ASSIGNED)
    message = OutboundMessage.objects.last()
    message.state, message.held_reason, message.attempts = OutboundState.HELD, "400 badPhone", 1
    message.save()
    tried(message, status=400)
    return message


def tried(message: OutboundMessage, *, status: int | None = None, error: str = "") -> None:
    DeliveryAttempt.objects.create(
        message=message,
        endpoint="https://127.0.0.1:9443",
        started_at=timezone.now(),
        milliseconds=12,
        status=status,
        error=error,
    )


def replay(message: OutboundMessage, **fields: str) -> object:
    return signed_in().post(f"/board/messages/{message.message_id}/replay/", fields)


def test_held_message_is_counted_on_every_page_and_explained() -> None:
    message = held()
    client = signed_in()

    board, page = client.get("/board/"), client.get("/board/messages/stuck/")

    assert board.content.decode().count("1 stuck") == 1
    line = page.context["page"].lines[0]
    assert (line.message_id, line.title) == (str(message.message_id), "Engineer assigned")
    assert line.reason == "Rejected by the seller: 400 badPhone"
    assert [attempt.outcome for attempt in line.attempts] == ["response 400"]


def test_failing_message_says_when_it_is_tried_again() -> None:
    message = held()
    message.state, message.failures, message.next_try_at = OutboundState.READY, 5, make.at("10:00")
    message.save()
    tried(message, error="connection refused")

    line = signed_in().get("/board/messages/stuck/").context["page"].lines[0]

    assert line.reason == "Not delivered: connection refused. Next retry: Mon 23 Nov 10:00."


def test_page_without_trouble_has_a_text() -> None:
    make.job(at_state=JobState.ASSIGNED)

    page = signed_in().get("/board/messages/stuck/").content.decode()

    assert page.count("No stuck messages") == 1
    assert page.count("stuck</span>") == 0


def test_replay_sends_it_again_and_keeps_a_record() -> None:
    message = held()

    answer = replay(message)

    message.refresh_from_db()
    assert answer.headers["Location"] == "/board/messages/stuck/"
    assert (message.state, message.held_reason) == (OutboundState.READY, "")
    assert AuditEntry.objects.first().action == "replayed"


def test_replay_with_a_corrected_body_keeps_the_first() -> None:
    message = held()
    first = message.body

    corrected = {**first, "engineer": {**first["engineer"], "name": "Erin"}}
    replay(message, body=json.dumps(corrected), reason="The name was wrong")

    message.refresh_from_db()
    assert message.body["engineer"]["name"] == "Erin"
    assert message.body_before == first


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('{"a": 1', "The message is not valid JSON"),
        ("[1, 2]", "The message must be a single JSON object"),
    ],
)
def test_correction_that_is_no_message_stays_on_the_page(body: str, says: str) -> None:
    message = held()

    answer = replay(message, body=body)

    page = answer.context["page"]
    message.refresh_from_db()
    assert (answer.status_code, page.draft) == (400, body)
    assert [problem.split(":")[0] for problem in page.problems] == [says]
    assert message.state == OutboundState.HELD


def test_reason_for_a_correction_that_is_too_long_is_refused_at_its_field() -> None:
    message = held()
    body = json.dumps(message.body)

    answer = replay(message, body=body, reason="x" * 501)

    page = answer.content.decode()
    message.refresh_from_db()
    assert (answer.status_code, message.state, answer.context["page"].draft) == (
        400,
        OutboundState.HELD,
        body,
    )
    behind_label = page.partition("Reason for the correction</label>")[2]
    assert "The reason can have at most 500 characters. This one has 501." in behind_label
    (field,) = re.findall(r'<input type="text" id="reason"[^>]*>', behind_label)
    assert (f'value="{"x" * 501}"' in field, 'aria-invalid="true"' in field) == (True, True)
    assert "maxlength" not in field


def test_replay_of_a_delivered_message_changes_nothing() -> None:
    message = held()
    message.state = OutboundState.SENT
    message.save()

    replay(message)

    message.refresh_from_db()
    assert message.state == OutboundState.SENT


@pytest.mark.parametrize("rows", [1, 3])
def test_page_costs_the_same_for_one_row_and_for_three(rows: int, django_assert_num_queries: object) -> None:
    client = signed_in()
    for _ in range(rows):
        held()

    with django_assert_num_queries(7):
        page = client.get("/board/messages/stuck/").context["page"]

    assert len(page.lines) == rows


def test_replay_is_for_the_office_only() -> None:
    message, client = held(), signed_in()
    client.force_login(make.engineer().user)

    answer = client.post(f"/board/messages/{message.message_id}/replay/")

    message.refresh_from_db()
    assert (answer.status_code, message.state) == (403, OutboundState.HELD)
