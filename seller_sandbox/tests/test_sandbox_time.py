"""All instants on messages are sandbox time, wherever the clock was moved to (order-decisions.md, D21)."""

import json
import re
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from seller_sandbox import clock
from seller_sandbox.endpoints.asgi import serve
from seller_sandbox.endpoints.exchange import JSON, Answer, Request
from seller_sandbox.jobs import dispatching, provisioning
from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.models import Job
from seller_sandbox.messages import message_log, worker
from seller_sandbox.messages.models import InboundMessage, MessageLogEntry, MessageThread, OutboundMessage
from seller_sandbox.tests import make
from seller_sandbox.tests.partner import Partner
from seller_sandbox.tests.test_control import get, post

pytestmark = pytest.mark.django_db(transaction=True)
DAY = 86_400
SOON = timedelta(seconds=20)


@pytest.fixture
def control() -> Client:
    return Client(headers={"X-Sandbox-Control": "1"}, enforce_csrf_checks=True)


def call(operation: str, body: dict[str, Any]) -> Answer:
    content = json.dumps(body).encode()
    return serve(Request("A", operation, "POST", JSON, content, "partner", "127.0.0.1"))[1]


def is_days_ahead(text: str | datetime, days: int) -> bool:
    moment = text if isinstance(text, datetime) else datetime.fromisoformat(text)
    return abs(moment - timezone.now() - timedelta(days=days)) < SOON


def later(body: dict[str, Any], *, days: int) -> dict[str, Any]:
    """The message of a partner whose clock was moved, too."""
    moved = {
        name: (datetime.fromisoformat(body[name]) + timedelta(days=days)).isoformat()
        for name in ("sentAt", "occurredAt", "closedAt")
        if name in body
    }
    return {**body, **moved}


# --- what we send, keep and show --------------------------------------------------------------------------------
def test_messages_of_ours_carry_sandbox_time(partner: Partner) -> None:
    clock.move(seconds=30 * DAY)
    job = send_batch(Batch(count=1, day=make.DAY, seed=1))[0]
    worker.work_once()
    provisioning.give_result(job=Job.objects.get(), result=1)
    worker.work_once()

    pack, result = (body for _, body in partner.received)
    assert is_days_ahead(pack["sentAt"], 30)
    assert is_days_ahead(result["sentAt"], 30)
    assert is_days_ahead(result["occurredAt"], 30)
    assert is_days_ahead(Job.objects.get(pk=job.pk).created_at, 30)
    assert all(is_days_ahead(entry.at, 30) for entry in MessageLogEntry.objects.all())
    assert all(is_days_ahead(message.settled_at, 30) for message in OutboundMessage.objects.all())


def test_result_that_falls_due_in_a_long_step_has_its_own_time(partner: Partner) -> None:
    job = make.job(plan=[4, 2])
    for body in [*make.arrival(job), make.scanned(job)]:
        assert call("notifyJob", body).status == 200

    clock.move(seconds=30 * DAY)
    while worker.work_once():
        pass

    first, second = (body for _, body in partner.received)
    assert [first["result"]["id"], second["result"]["id"]] == [4, 2]
    times = [datetime.fromisoformat(body["occurredAt"]) for body in (first, second)]
    assert times[1] - times[0] == timedelta(minutes=5)
    assert times[0] - timezone.now() < SOON


def test_arrivals_are_kept_at_sandbox_time() -> None:
    clock.move(seconds=2 * DAY)
    job = make.job()
    call("notifyJob", make.assigned(job))

    assert is_days_ahead(InboundMessage.objects.get().received_at, 2)


def test_cancellation_is_kept_at_sandbox_time(partner: Partner) -> None:
    clock.move(seconds=2 * DAY)
    dispatching.cancel(make.job())
    worker.work_once()

    assert is_days_ahead(Job.objects.get().cancelled_at, 2)


# --- what a partner may send when the clock was moved ---------------------------------------------------------------
@pytest.mark.parametrize("partner_days", [0, 30], ids=["stays on the real clock", "follows"])
def test_strict_seller_takes_a_partner_that_follows_the_clock_and_one_that_does_not(
    partner_days: int,
) -> None:
    clock.move(seconds=30 * DAY)
    job = make.job()

    for body in [*make.arrival(job), make.scanned(job)]:
        assert call("notifyJob", later(body, days=partner_days)).status == 200
    engineer = {"id": "e-1", "name": "Sam Field"}
    assert call("closeJob", later(make.closed(job, engineer=engineer), days=partner_days)).status == 200


@pytest.mark.parametrize(("days", "code"), [(31, "fromTheFuture"), (-2, "backwards")])
def test_times_outside_both_clocks_are_refused(days: int, code: str) -> None:
    clock.move(seconds=30 * DAY)
    job = make.job()

    assert call("notifyJob", later(make.assigned(job), days=days)).status == 422
    assert code in {breach["code"] for breach in InboundMessage.objects.get().breaches}


# --- the clock on pages, in the control interface, on the command line ----------------------------------------------
@pytest.mark.parametrize("path", ["/", "/messages", "/jobs/{job}", "/jobs/none"])
def test_moved_clock_is_on_every_page(path: str) -> None:
    job = make.job()
    clock.move(seconds=2 * DAY + 3600)

    html = Client().get(path.format(job=job.seller_job_id)).content.decode()

    assert re.search(rf"Sandbox clock <a[^>]*>[^<]* {clock.now():%Y}", html)
    assert "2 d 1 h ahead" in html


def test_moved_clock_is_on_the_page_of_an_expired_form() -> None:
    clock.move(seconds=300)

    response = Client(enforce_csrf_checks=True).post("/do/clock", {"advance_seconds": "60"})

    assert response.status_code == 403
    assert "5 min ahead" in response.content.decode()


def test_clock_can_be_read_and_moved(control: Client) -> None:
    assert get(control, "clock")["offset_seconds"] == 0

    answer = post(control, "clock", {"advance_seconds": DAY})
    assert answer.body["offset_seconds"] == DAY
    assert is_days_ahead(answer.body["now"], 1)
    target = clock.now() + timedelta(days=3)
    assert is_days_ahead(post(control, "clock", {"set_to": target.isoformat()}).body["now"], 4)
    assert clock.now() >= target


@pytest.mark.parametrize(
    ("order", "mistake"),
    [
        ({}, "advance_seconds or set_to is missing; give one of the two"),
        (
            {"advance_seconds": 1, "set_to": "2030-01-01T00:00:00Z"},
            "advance_seconds and set_to are both there; give only one",
        ),
        ({"set_to": "2020-01-01T00:00:00Z"}, "set_to: must lie ahead of the sandbox clock, by 366 days"),
        ({"set_to": "2150-01-01T00:00:00Z"}, "set_to: must lie ahead of the sandbox clock, by 366 days"),
        ({"set_to": "2999-01-01T00:00:00Z"}, "set_to: must be an instant from 1900-01-01 to 2198-12-31"),
        ({"set_to": "2026-12-24"}, "set_to: "),
        ({"advance_seconds": -1}, "advance_seconds: must be a whole number from 0 to 31622400"),
    ],
)
def test_wrong_step_is_explained(control: Client, order: dict[str, Any], mistake: str) -> None:
    refused = post(control, "clock", order)

    assert refused.status == 400
    assert refused.body["mistakes"][0].startswith(mistake)
    assert clock.offset() == timedelta()


def test_clock_is_moved_from_the_command_line() -> None:
    output = StringIO()

    call_command("move_clock", "--days", "2", stdout=output)

    assert is_days_ahead(output.getvalue().strip(), 2)
    with pytest.raises(CommandError, match="set_to: must lie ahead"):
        call_command("move_clock", "--to", "2020-01-01T00:00:00Z")


# --- whose messages a record shows ----------------------------------------------------------------------------------
def test_partners_record_has_no_message_of_a_buyer(control: Client) -> None:
    job = make.job()
    call("notifyJob", make.assigned(job))
    buyers = MessageThread.objects.create(kind="order", reference="SO-1", recipient="B-1")
    asked = InboundMessage(endpoint="A", operation="order", caller="buyer", role="buyer", thread=buyers)
    message_log.record_arrival(asked, Answer(200, b"<response/>", "text/xml"))

    def operations(query: str) -> list[str]:
        return [line["operation"] for line in get(control, f"message-log{query}")["lines"]]

    assert operations("") == operations("?with=partner") == ["notifyJob"]
    assert operations("?with=buyers") == ["order"]
    assert operations("?with=all") == ["notifyJob", "order"]
    assert control.get("/api/message-log?with=nobody").status_code == 400
    [line] = get(control, "message-log?with=buyers")["lines"]
    assert (line["thread"]["reference"], line["sellerJobId"]) == ("SO-1", None)
    assert line["answer"] == {"status": 200, "body": "<response/>"}
    assert "SO-1" in Client().get("/messages").content.decode()


def test_failing_due_action_is_in_the_summary(control: Client) -> None:
    post(control, "jobs", {"count": 1})
    job = Job.objects.get()
    provisioning.schedule_scan(job=job, scan_id="00000000-0000-4000-8000-000000000000", fsan="X")
    Job.objects.update(seller_job_id="another")

    clock.move(seconds=10)

    actions = get(control, "summary")["due_actions"]
    # what failed is put off: whoever waits for the worker does not wait for it
    assert actions["due"] == 0
    [failing] = actions["failing"]
    assert (failing["name"], failing["subject"], failing["attempts"]) == (
        "jobs.finish_try",
        job.seller_job_id,
        1,
    )
    assert failing["error"].startswith("DoesNotExist")
