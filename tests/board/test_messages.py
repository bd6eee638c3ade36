"""Stuck messages: seen, understood, corrected, sent again."""

import json
import re

import pytest
from django.utils import timezone

from board.messages import job_messages
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
    message.state, message.held_reason, message.claims = OutboundState.HELD, "400 badPhone", 1
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
    message.state, message.failures, message.next_attempt_at = OutboundState.READY, 5, make.at("10:00")
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


def stop(message: OutboundMessage, reason: str) -> object:
    return signed_in().post(f"/board/messages/{message.message_id}/stop/", {"reason": reason})


def test_message_that_can_never_be_accepted_is_stopped_on_its_page() -> None:
    message = held()
    url = f"/board/messages/{message.message_id}/"
    assert "Stop sending" in signed_in().get(url).content.decode()

    answer = stop(message, "The seller ended the job")

    assert answer.headers["Location"] == url
    message.refresh_from_db()
    assert message.state == OutboundState.STOPPED
    page = signed_in().get(url)
    facts = {fact.label: fact.value for fact in page.context["page"].facts}
    assert facts["Reason for stopping"] == "The seller ended the job"
    assert (page.context["page"].state, page.context["page"].can_stop) == ("Sending stopped", False)
    listed = signed_in().get("/board/messages/?status=stopped").context["page"].lines
    assert [line.pk for line in listed] == [message.pk]


def test_stop_without_a_reason_says_so_and_changes_nothing() -> None:
    message = held()

    answer = stop(message, " ")

    assert (answer.status_code, answer.content.decode().count("Enter a reason for stopping.")) == (400, 1)
    message.refresh_from_db()
    assert message.state == OutboundState.HELD


def failing(*, attempts: int) -> OutboundMessage:
    message = held()
    for _ in range(attempts - 1):
        tried(message, status=500)
    DeliveryAttempt.objects.update(response="x" * 10_000)
    return message


def test_pages_show_the_newest_attempts_of_a_message_and_count_all() -> None:
    message = failing(attempts=30)
    client = signed_in()

    stuck = client.get("/board/messages/stuck/")
    page = client.get(f"/board/messages/{message.message_id}/")
    listed = client.get("/board/messages/").context["page"].lines
    job = client.get(f"/board/jobs/{message.job.provider_job_id}/")

    for answer in (stuck, page, job):
        assert answer.content.decode().count("The newest 20 of 30 attempts.") == 1
    assert "x" * 10_000 not in stuck.content.decode() + job.content.decode()
    assert [line.attempts for line in listed if line.pk == message.pk] == ["30"]
    displayed = page.context["page"].attempts
    assert (len(displayed), displayed[-1].line.outcome) == (20, "response 500")


def test_stuck_messages_are_read_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_messages, "MOST_STUCK", 2)
    messages = [held() for _ in range(3)]
    client = signed_in()

    first, second = (client.get(f"/board/messages/stuck/?page={page}").context["page"] for page in (1, 2))

    assert [line.message_id for line in first.lines + second.lines] == [
        str(message.message_id) for message in messages
    ]
    assert (first.earlier, first.later, second.earlier, second.later) == (0, 2, 1, 0)


@pytest.mark.parametrize("number", [0, 2, 3])
def test_page_after_the_last_stuck_message_is_the_last_one(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(job_messages, "MOST_STUCK", 2)
    messages = [held() for _ in range(number)]

    answer = signed_in().get("/board/messages/stuck/?page=9")

    listed = [line.message_id for line in answer.context["page"].lines]
    last = messages[2:] or messages
    assert listed == [str(message.message_id) for message in last]
    assert ("No stuck messages" in answer.content.decode()) == (not messages)
