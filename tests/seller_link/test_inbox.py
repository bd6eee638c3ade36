"""Store each message, apply it once, keep the answer."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections, transaction

from demo.environment import wait_until
from dispatch import job_events
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from seller_link import inbox
from seller_link.inbound_handlers import OPERATIONS, Operation
from seller_link.inbox import InboundRequest, InboundResponse
from seller_link.models import InboundMessage
from tests import make
from tests.seller_link.inbox import PEER, faultcode, say, say_all
from tests.seller_link.wire import message, raw
from tests.together import is_somebody_waiting_for_us

pytestmark = pytest.mark.django_db(transaction=True)


def request_for(body: object, **more: Any) -> InboundRequest:
    return InboundRequest("createJob", raw(body), PEER, **more)


def test_create_job_answers_with_our_id() -> None:
    body = message("createJob")

    answer = say("createJob", body)

    job = Job.objects.get()
    assert answer == InboundResponse(
        200,
        {
            "messageId": body["messageId"],
            "correlationId": body["correlationId"],
            "providerJobId": job.provider_job_id,
        },
    )
    assert (job.state, job.uprn, job.contact_name) == (JobState.UNASSIGNED, "100012345678", "Pat Tester")
    assert list(job.events.values_list("kind", flat=True)) == [EventKind.RECEIVED]


def test_same_message_twice_has_one_effect_and_one_answer() -> None:
    body = message("createJob")

    first, again = say("createJob", body), say("createJob", body)

    assert first == again
    assert (Job.objects.count(), InboundMessage.objects.count()) == (1, 1)


def test_same_message_with_members_in_another_order_is_the_same() -> None:
    body = message("createJob")

    first, again = say("createJob", body), say("createJob", dict(reversed(body.items())))

    assert first == again


def test_message_id_with_another_body_is_refused() -> None:
    body = message("createJob")
    say("createJob", body)

    answer = say("createJob", {**body, "sellerJobId": "SJ-2"})

    assert faultcode(answer) == (409, "messageIdReused")
    assert Job.objects.count() == 1


def test_message_id_of_another_operation_is_refused() -> None:
    body = message("createJob")
    job_id = say("createJob", body).body["providerJobId"]

    answer = say("cancelJob", message("cancelJob", messageId=body["messageId"], providerJobId=job_id))

    assert faultcode(answer) == (409, "messageIdReused")
    assert Job.objects.get().state == JobState.UNASSIGNED


def test_refused_message_does_not_hold_its_id() -> None:
    wrong = message("createJob", jobType="repair")

    refused = say("createJob", wrong)
    corrected = say("createJob", {**wrong, "jobType": "revisit"})

    assert (refused.status, corrected.status) == (422, 200)
    assert list(InboundMessage.objects.values_list("outcome", "raw_message_id")) == [
        ("refused", wrong["messageId"]),
        ("accepted", wrong["messageId"]),
    ]


def test_same_seller_job_with_same_content_is_the_same_job() -> None:
    first = say("createJob", message("createJob"))
    again = say("createJob", message("createJob", sentAt="2026-11-20T10:00:00+00:00"))

    assert first.body["providerJobId"] == again.body["providerJobId"]
    assert Job.objects.count() == 1


def test_same_seller_job_with_other_content_is_refused() -> None:
    say("createJob", message("createJob"))

    answer = say("createJob", message("createJob", site__notes="Other"))

    assert faultcode(answer) == (409, "duplicateJob")


def test_unknown_members_are_kept_with_the_message() -> None:
    say("createJob", message("createJob", somethingNew={"kept": True}))

    assert '"somethingNew": {"kept": true}' in InboundMessage.objects.get().body


def test_unreadable_body_is_refused_and_kept() -> None:
    answer = inbox.receive([InboundRequest("createJob", b'{"messageId": "m-1", "a": "\\u0000\x00"', PEER)])[0]

    stored = InboundMessage.objects.get()
    assert faultcode(answer) == (400, "invalidBody")
    assert (stored.outcome, stored.raw_message_id, stored.response_status) == ("refused", "m-1", 400)


def test_create_without_coordinates_waits_for_a_location() -> None:
    body = message("createJob")
    del body["property"]["latitude"], body["property"]["longitude"]

    say("createJob", body)

    assert Job.objects.get().needs_location


def test_default_length_comes_from_the_job_type() -> None:
    body = message("createJob", jobType="civils")
    del body["expectedDurationMinutes"]

    say("createJob", body)

    assert Job.objects.get().duration_minutes == 150


@pytest.mark.parametrize("state", [JobState.UNASSIGNED, JobState.ASSIGNED, JobState.EN_ROUTE])
def test_cancel_is_accepted_until_on_site(state: JobState) -> None:
    job = make.job(at_state=state)

    answer = say("cancelJob", message("cancelJob", providerJobId=job.provider_job_id))

    job.refresh_from_db()
    assert (answer.status, job.state) == (200, JobState.CANCELLED)
    assert job.events.last().facts == {"reason_code": "300", "reason": "Customer changed their mind"}


def test_cancel_of_a_cancelled_job_is_accepted_again() -> None:
    job = make.job(at_state=JobState.CANCELLED)

    answer = say("cancelJob", message("cancelJob", providerJobId=job.provider_job_id))

    assert answer.status == 200
    assert job.events.filter(kind=EventKind.CANCELLED).count() == 1


def test_cancel_on_site_is_refused() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    answer = say("cancelJob", message("cancelJob", providerJobId=job.provider_job_id))

    assert faultcode(answer) == (409, "installationStarted")


def test_cancel_of_a_closed_job_is_refused() -> None:
    job = make.job(at_state=JobState.CLOSED)

    answer = say("cancelJob", message("cancelJob", providerJobId=job.provider_job_id))

    assert faultcode(answer) == (409, "jobClosed")


@pytest.mark.parametrize("operation", ["cancelJob", "notifyJob"])
def test_unknown_job_is_named(operation: str) -> None:
    answer = say(operation, message(operation, providerJobId="J-NONE-0000"))

    assert faultcode(answer) == (404, "jobNotFound")
    assert answer.body["fault"]["detail"][0]["field"] == "/providerJobId"


def test_job_ids_that_contradict_each_other_are_refused() -> None:
    job, other = make.job(), make.job()

    answer = say(
        "cancelJob", message("cancelJob", providerJobId=job.provider_job_id, sellerJobId=other.seller_job_id)
    )

    assert answer.body["fault"]["detail"][0]["field"] == "/sellerJobId"
    assert Job.objects.filter(state=JobState.UNASSIGNED).count() == 2


def test_provisioning_result_reaches_the_scan() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    scan = make.scan(job)

    answer = say(
        "notifyJob", message("notifyJob", providerJobId=job.provider_job_id, scanId=str(scan.scan_id))
    )

    result = scan.results.get()
    assert answer.status == 200
    assert (result.result_id, result.success, result.details) == (1, True, "ONT Successfully Provisioned")
    assert job.events.last().kind == EventKind.ONT_PROVISIONED


@pytest.mark.parametrize("state", [JobState.CLOSED, JobState.CANCELLED])
def test_provisioning_result_for_a_finished_job_is_a_late_fact(state: JobState) -> None:
    job = make.job(at_state=state)

    answer = say("notifyJob", message("notifyJob", providerJobId=job.provider_job_id))

    job.refresh_from_db()
    assert (answer.status, job.state) == (200, state)
    assert job.events.last().kind == EventKind.REPORTED_LATE
    assert job.events.last().facts["result_id"] == 1


def test_result_for_a_scan_we_never_sent_is_kept_without_a_guess() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)

    say(
        "notifyJob",
        message(
            "notifyJob", providerJobId=job.provider_job_id, scanId="6f0d5b1e-6f5e-4a57-9a55-5b1f5f0d0099"
        ),
    )

    assert job.results.get().scan is None


def ten_at_once(body_of: Callable[[], dict[str, Any]]) -> list[InboundResponse]:
    """What the seller is answered to ten createJob, each in a connection of its own."""
    answers: list[InboundResponse] = []

    def speak() -> None:
        answers.append(say("createJob", body_of()))
        connections.close_all()

    threads = [threading.Thread(target=speak) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_ten_twins_at_once_have_one_effect() -> None:
    body = message("createJob")
    answers = ten_at_once(lambda: body)

    assert [answer.status for answer in answers] == [200] * 10
    assert len({answer.body["providerJobId"] for answer in answers}) == 1
    assert (Job.objects.count(), InboundMessage.objects.count()) == (1, 1)


def test_ten_messages_for_one_seller_job_make_one_job() -> None:
    answers = ten_at_once(lambda: message("createJob"))

    assert [answer.status for answer in answers] == [200] * 10
    assert Job.objects.count() == 1


def test_failing_effect_leaves_no_trace_of_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash between effect and answer: both or neither."""

    def crash(*_args: object, **_facts: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr("seller_link.inbox.incoming.answer", crash)
    answer = say("createJob", message("createJob"))

    assert faultcode(answer) == (503, "tryAgain")
    assert (Job.objects.count(), InboundMessage.objects.count()) == (0, 0)


def test_several_share_a_commit_and_each_gets_its_own_answer() -> None:
    first, twin, other = message("createJob"), message("createJob"), message("createJob", sellerJobId="SJ-2")
    outcomes = [
        first,
        {"a": 1},
        first,
        {**twin, "sellerJobId": first["sellerJobId"], "jobType": "revisit"},
        other,
    ]

    answers = inbox.receive([request_for(body) for body in outcomes])

    assert [answer.status for answer in answers] == [200, 422, 200, 409, 200]
    assert answers[2] == answers[0]
    assert Job.objects.count() == 2
    assert InboundMessage.objects.filter(outcome="accepted").count() == 2


def test_one_that_cannot_be_stored_does_not_spoil_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_envelope: object, _content: object) -> Job:
        raise ValueError

    sound, spoiler = message("createJob"), message("createJob", sellerJobId="SJ-2")
    parse = OPERATIONS["cancelJob"].parse
    monkeypatch.setitem(OPERATIONS, "cancelJob", Operation(parse, broken))
    cancel = InboundRequest("cancelJob", raw(message("cancelJob", sellerJobId="SJ-2")), PEER)

    answers = inbox.receive([request_for(sound), cancel, request_for(spoiler)])

    assert [answer.status for answer in answers] == [200, 503, 200]
    assert set(Job.objects.values_list("seller_job_id", flat=True)) == {sound["sellerJobId"], "SJ-2"}


def test_one_that_was_given_up_is_undone_among_others() -> None:
    sound, late = message("createJob"), message("createJob", sellerJobId="SJ-2")

    answers = inbox.receive([request_for(late, may_commit=lambda: False), request_for(sound)])

    assert [answer.status for answer in answers] == [503, 200]
    assert Job.objects.get().seller_job_id == sound["sellerJobId"]


def test_two_batches_with_the_same_new_jobs_never_wait_for_each_other() -> None:
    """On PostgreSQL each would hold what the other needs next; the database would end one of them after a second."""
    bodies = [message("createJob", sellerJobId=f"SJ-{number}") for number in range(12)]
    answers: list[list[InboundResponse]] = []

    def speak(some: list[dict[str, Any]]) -> None:
        answers.append(inbox.receive([request_for(body) for body in some]))
        connections.close_all()

    threads = [threading.Thread(target=speak, args=[some]) for some in (bodies, bodies[::-1]) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [[answer.status for answer in some] for some in answers] == [[200] * 12] * 6
    assert (Job.objects.count(), InboundMessage.objects.count()) == (12, 12)


def test_refused_message_is_listed_at_the_job_that_it_names() -> None:
    say("createJob", pack := message("createJob"))
    job = Job.objects.get()
    say("createJob", {**message("createJob"), "sellerJobId": pack["sellerJobId"], "jobType": "revisit"})
    say("cancelJob", {**message("cancelJob", providerJobId=job.provider_job_id), "sentAt": "yesterday"})
    say("cancelJob", message("cancelJob", providerJobId="nobody", sellerJobId="nobody"))

    rows = job.inbound_messages.values_list("operation", "response_status")
    assert list(rows) == [("createJob", 200), ("createJob", 409), ("cancelJob", 422)]


@pytest.mark.postgresql
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other")
def test_repeats_that_share_a_commit_and_whoever_locks_their_jobs_wait_in_no_ring() -> None:
    """The job with the lower key has the higher number of the seller's."""
    ids = ("SJ-2", "SJ-1")
    for seller_job_id in ids:
        say("createJob", message("createJob", sellerJobId=seller_job_id))
    low, high = Job.objects.order_by("pk")

    def repeat() -> list[int]:
        try:
            answers = say_all("createJob", [message("createJob", sellerJobId=name) for name in ids])
        finally:
            connection.close()
        return [answer.status for answer in answers]

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            job_events.lock_job(low)
            repeating = other.submit(repeat)
            assert wait_until(is_somebody_waiting_for_us, seconds=10)
            job_events.lock_job(high)

        assert repeating.result() == [200, 200]
