"""The message log: every message found by what somebody knows of it, and one message with all that happened to it."""

import json
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import AuditEntry, Role
from seller_link import message_log
from seller_link.message_log import Cursor, MessageFilter
from seller_link.models import (
    DeliveryAttempt,
    InboundMessage,
    InboundOutcome,
    OutboundMessage,
    OutboundState,
)
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
ENDPOINT = "https://127.0.0.1:9443"


def inbound(job: Job | None, **fields: object) -> InboundMessage:
    """A job pack of the seller's, with a name in it."""
    message_id = make.uuid.uuid4()
    body = {
        "messageId": str(message_id),
        "sentAt": "2026-11-23T07:00:00Z",
        "siteContact": {"name": "Pat Tester"},
    }
    return InboundMessage.objects.create(
        **{
            "message_id": message_id,
            "raw_message_id": str(message_id),
            "operation": "createJob",
            "body": json.dumps(body),
            "received_at": timezone.now(),
            "outcome": InboundOutcome.ACCEPTED,
            "response_status": 200,
            "job": job,
            **fields,
        }
    )


def tried(message: OutboundMessage, **fields: object) -> DeliveryAttempt:
    return DeliveryAttempt.objects.create(
        **{
            "message": message,
            "endpoint": ENDPOINT,
            "started_at": timezone.now(),
            "milliseconds": 12,
            "status": 200,
            **fields,
        }
    )


def on_site() -> tuple[Job, list[OutboundMessage]]:
    job = make.job(at_state=JobState.ON_SITE)
    return job, list(job.outbound_messages.all())


def found(**asked: str) -> list[str]:
    page = signed_in().get(f"/board/messages/?{urlencode(asked)}").context["page"]
    return [line.url for line in page.lines]


def url(message: OutboundMessage | InboundMessage) -> str:
    if isinstance(message, OutboundMessage):
        return f"/board/messages/{message.message_id}/"
    return f"/board/messages/in/{message.pk}/"


def supervisor() -> Client:
    client = Client()
    client.force_login(make.dispatcher(role=Role.SUPERVISOR))
    return client


def test_both_directions_are_in_one_list_newest_first() -> None:
    job, ours = on_site()
    theirs = inbound(job)

    assert found() == [url(theirs), *(url(message) for message in reversed(ours))]


def test_each_filter_finds_its_messages() -> None:
    job, (first, second, third) = on_site()
    theirs = inbound(job)
    other = make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.filter(pk=first.pk).update(state=OutboundState.SENT)
    OutboundMessage.objects.filter(pk=second.pk).update(state=OutboundState.HELD)
    tried(first)
    tried(second, status=400)
    tried(third, status=None, error="late", started_at=timezone.now() - timedelta(days=2))
    waiting = OutboundMessage.objects.get(job=other)

    assert found(status="delivered") == [url(first)]
    assert found(status="held") == [url(second)]
    assert found(status="failed") == [url(second)]
    assert found(status="waiting") == [url(waiting), url(third)]
    assert found(status="accepted") == found(direction="in") == [url(theirs)]
    assert found(status="refused") == []
    assert found(operation="createJob") == [url(theirs)]
    assert found(endpoint="https://127.0.0.1:9444") == []
    assert found(endpoint=ENDPOINT) == [url(third), url(second), url(first)]
    assert found(job=other.provider_job_id) == [url(waiting)]
    assert found(order=other.seller_order_reference.lower()) == [url(waiting)]
    assert found(text=str(theirs.message_id)) == [url(theirs)]
    assert found(text=other.seller_job_id) == [url(waiting)]
    assert found(text="nobody") == found(to_at="2020-01-01T00:00") == []
    assert len(found(from_at="2020-01-01T00:00")) == 5


@pytest.mark.parametrize("written", ["6F0D5B1E-6F5E-4A57-9A55-5B1F5F0D0021", "one", "m-1"])
def test_refused_message_is_found_by_the_id_that_it_had(written: str) -> None:
    refused = {"message_id": None, "outcome": InboundOutcome.REFUSED, "response_status": 422}
    refused_message = inbound(None, **refused, raw_message_id=written)
    inbound(None, **refused, raw_message_id="another")
    inbound(make.job())

    assert found(text=written) == [url(refused_message)]
    assert found(text=written.lower(), status="refused") == [url(refused_message)]
    assert found(text=written, direction="out") == []


def test_corrected_message_is_found_with_the_refused_one_before_it() -> None:
    accepted = inbound(make.job())
    refused = inbound(
        None, message_id=None, raw_message_id=accepted.raw_message_id, outcome=InboundOutcome.REFUSED
    )

    assert found(text=accepted.raw_message_id) == [url(refused), url(accepted)]


def test_pages_follow_each_other_without_a_gap_or_a_double_even_at_one_moment() -> None:
    job, ours = on_site()
    theirs = [inbound(job), inbound(job)]
    moment = timezone.now()
    OutboundMessage.objects.update(created_at=moment)
    InboundMessage.objects.update(received_at=moment)
    read, after = [], None

    while True:
        page = message_log.page(MessageFilter(), after=after, size=2)
        read += [entry.message for entry in page.entries]
        if page.following is None:
            break
        after = Cursor.read(str(page.following))

    assert read == [*reversed(ours), *reversed(theirs)]


@pytest.mark.parametrize("rows", [1, 3])
def test_page_costs_the_same_for_one_row_and_for_three(rows: int, django_assert_num_queries: object) -> None:
    client = signed_in()
    for _ in range(rows):
        tried(make.job(at_state=JobState.ASSIGNED).outbound_messages.get())

    with django_assert_num_queries(8):
        assert len(client.get("/board/messages/").context["page"].lines) == rows


def test_filter_stays_in_the_address_of_the_next_page() -> None:
    for _ in range(message_log.PAGE_SIZE + 1):
        inbound(make.job() if not Job.objects.exists() else Job.objects.get())
    client = signed_in()

    first = client.get("/board/messages/?direction=in").context["page"]
    second = client.get(f"/board/messages/?{first.next_query}").context["page"]

    assert first.next_query.startswith("direction=in&after=")
    assert (len(first.lines), len(second.lines), second.next_query) == (message_log.PAGE_SIZE, 1, "")


def test_empty_list_says_why() -> None:
    client = signed_in()

    assert "The first one arrives" in client.get("/board/messages/").content.decode()
    assert "No messages found" in client.get("/board/messages/?job=X").content.decode()


@pytest.mark.parametrize("query", ["after=rubbish", "direction=up", "from_at=yesterday"])
def test_address_that_cannot_be_read_is_no_fault(query: str) -> None:
    assert signed_in().get(f"/board/messages/?{query}").status_code == 200


def test_message_shows_its_tries_and_three_times() -> None:
    _job, (first, *_) = on_site()
    tried(first, response='{"messageId": "x"}', milliseconds=77)

    page = signed_in().get(url(first)).context["page"]

    assert [fact.label for fact in page.times] == ["Occurred", "Recorded", "Acknowledged by the seller"]
    assert page.times[2].value == "not yet"
    assert [(attempt.line.endpoint, attempt.line.milliseconds) for attempt in page.attempts] == [
        (ENDPOINT, 77)
    ]
    assert json.loads(page.attempts[0].answer) == {"messageId": "x"}


def test_one_repeat_of_the_seller_is_one_time() -> None:
    job, _ = on_site()
    message = inbound(job, repeats=1, repeated_at=timezone.now())

    assert "1 time, last on" in signed_in().get(url(message)).content.decode()


def test_one_failed_attempt_is_one_attempt() -> None:
    _job, (first, *_) = on_site()
    first.failures = 1
    first.save()

    assert "1 failed attempt. It is retried automatically." in signed_in().get(url(first)).content.decode()


def test_repeats_of_the_seller_are_listed() -> None:
    job, _ = on_site()
    message = inbound(job, repeats=2, repeated_at=timezone.now())

    page = signed_in().get(url(message)).content.decode()

    assert "2 times, last on" in page
    assert signed_in().get("/board/messages/").content.decode().count("Received 3 times") == 1


def test_dispatcher_sees_no_personal_data_until_they_ask_and_asking_is_recorded() -> None:
    job, (first, *_) = on_site()
    theirs, client = inbound(job), signed_in()

    masked = client.get(url(first)).content.decode() + client.get(url(theirs)).content.decode()
    page = client.post(f"{url(first)}reveal/").content.decode()
    shown_theirs = client.post(f"{url(theirs)}reveal/").content.decode()

    assert "Erin Engineer" not in masked and "Pat Tester" not in masked
    assert "Erin Engineer" in page and "Pat Tester" in shown_theirs
    assert [entry.action for entry in AuditEntry.objects.all()].count("personal_data_shown") == 2


def test_message_with_an_endless_number_is_shown_and_recorded() -> None:
    job, _ = on_site()
    theirs = inbound(job, raw_message_id="9" * 500)

    assert signed_in().post(f"{url(theirs)}reveal/").status_code == 200
    # SQLite stores what PostgreSQL refuses
    AuditEntry.objects.get(action="personal_data_shown").clean_fields(exclude=["before", "after"])


def test_showing_takes_a_press_of_a_button() -> None:
    _job, (first, *_) = on_site()

    assert signed_in().get(f"{url(first)}reveal/").status_code == 405


def test_supervisor_sees_all_and_the_look_is_recorded() -> None:
    _job, (first, *_) = on_site()

    assert "Erin Engineer" in supervisor().get(url(first)).content.decode()
    assert AuditEntry.objects.filter(action="personal_data_shown").count() == 1


def test_body_that_is_no_json_is_hidden_whole() -> None:
    job, _ = on_site()
    message = inbound(
        job, body="Pat Tester, 12 Chapel Row", outcome=InboundOutcome.REFUSED, response_status=400
    )

    assert "Chapel Row" not in signed_in().get(url(message)).content.decode()
    assert "Chapel Row" in supervisor().get(url(message)).content.decode()


def test_wrong_correction_shows_nothing_that_was_hidden() -> None:
    _job, (first, *_) = on_site()
    OutboundMessage.objects.filter(pk=first.pk).update(state=OutboundState.HELD)

    answer = signed_in().post(f"{url(first)}replay/", {"body": "{", "why": "x"})

    assert answer.status_code == 400
    assert "Erin Engineer" not in answer.content.decode()
