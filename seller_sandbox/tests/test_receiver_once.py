"""notifyJob and closeJob over real mutual TLS: each message counts once, and the message log has every arrival."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import pytest

from seller_sandbox.endpoints.asgi import serve
from seller_sandbox.endpoints.exchange import JSON, Request
from seller_sandbox.jobs.models import Job
from seller_sandbox.messages.models import InboundMessage, MessageLogEntry
from seller_sandbox.tests import make
from seller_sandbox.tests.processes import Caller, fault_of

pytestmark = pytest.mark.locks


def bring_on_site(caller: Caller) -> Job:
    job = make.job()
    for body in make.arrival(job):
        assert caller.post("notifyJob", body).status == 200
    return job


def test_a_repeated_message_gets_the_stored_answer_and_no_second_effect(caller: Caller) -> None:
    job = bring_on_site(caller)
    body = make.scanned(job, correlationId=str(uuid4()))

    first = caller.post("notifyJob", body)
    again = caller.post("notifyJob", dict(reversed(body.items())))

    stored = list(InboundMessage.objects.filter(event="ontScanned"))
    assert (again.status, again.body) == (first.status, first.body)
    assert [message.holds_id for message in stored] == [True, False]
    assert stored[1].duplicate_of == stored[0]
    assert job.tries.count() == 1


@pytest.mark.parametrize("operation", ["notifyJob", "closeJob"])
def test_another_message_with_the_same_id_is_refused(caller: Caller, operation: str) -> None:
    job = make.job()
    body = make.assigned(job)
    caller.post("notifyJob", body)
    other = make.assigned(job) if operation == "notifyJob" else make.closed(job)

    response = caller.post(operation, {**other, "messageId": body["messageId"]})

    assert fault_of(response) == (409, "messageIdReused")


def test_a_refused_message_does_not_hold_its_id(caller: Caller) -> None:
    body = make.assigned(make.job())

    refused = caller.post("notifyJob", {**body, "occurredAt": "soon"})
    corrected = caller.post("notifyJob", body)

    assert [refused.status, corrected.status] == [422, 200]


@pytest.mark.django_db
def test_an_id_is_held_for_its_caller_only(settings) -> None:
    settings.ALLOWED_SUBJECTS = frozenset({"partner", "partner-b"})
    job = make.job()
    body = make.assigned(job)
    content = json.dumps(body).encode()
    call = Request("A", "notifyJob", "POST", JSON, content, "partner", "127.0.0.1")
    other = json.dumps(
        {**body, "plannedStart": body["plannedEnd"], "plannedEnd": body["plannedEnd"]}
    ).encode()

    statuses = [
        serve(replace(call, subject=subject))[1].status for subject in ("partner", "partner-b", "partner")
    ]
    reused = serve(replace(call, body=other))[1]

    assert statuses == [200, 200, 200]
    assert reused.body["fault"]["faultcode"] == "messageIdReused"
    assert InboundMessage.objects.filter(holds_id=True).count() == 2


@pytest.mark.parametrize("operation", ["notifyJob", "closeJob"])
def test_the_same_message_many_times_at_once_is_taken_once(caller: Caller, operation: str) -> None:
    job = make.job() if operation == "closeJob" else bring_on_site(caller)
    body = make.closed(job) if operation == "closeJob" else make.scanned(job)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: caller.post(operation, body), range(16)))

    assert {json.dumps(answer.body) for answer in answers} == {json.dumps(answers[0].body)}
    assert [answer.status for answer in answers] == [200] * 16
    stored = InboundMessage.objects.filter(message_id=body["messageId"])
    assert stored.filter(holds_id=True).count() == 1
    assert stored.filter(duplicate_of=None).count() == 1
    assert job.tries.count() == (operation == "notifyJob")


def test_the_message_log_has_every_arrival(caller: Caller) -> None:
    job = make.job()
    body = make.assigned(job)
    caller.post("notifyJob", body)
    caller.post("notifyJob", body)
    caller.post("notifyJob", {**body, "event": "?"})
    caller.send("POST", "closeJob", b"nothing")

    entries = MessageLogEntry.objects.select_related("inbound")
    assert [(entry.inbound.answer_status, entry.is_breach) for entry in entries] == [
        (200, False),
        (200, False),
        (422, True),
        (400, True),
    ]
