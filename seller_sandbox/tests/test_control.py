"""The control interface: what rehearsals and fault scripts ask of the sandbox over plain JSON."""

import json
import time
import urllib.request
from typing import Any

import pytest
from django.test import Client

from seller_sandbox.endpoints import switches
from seller_sandbox.jobs import provisioning
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages import worker
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.tests import make
from seller_sandbox.tests.environment import free_port
from seller_sandbox.tests.partner import Partner
from seller_sandbox.tests.processes import Caller, Response, start, wait_for_port

pytestmark = pytest.mark.django_db
CONTROL = {"X-Sandbox-Control": "1"}


@pytest.fixture
def control() -> Client:
    return Client(headers=CONTROL, enforce_csrf_checks=True)


def post(control: Client, path: str, order: Any) -> Response:
    response = control.post(f"/api/{path}", data=json.dumps(order), content_type="application/json")
    return Response(response.status_code, response.json())


def get(control: Client, path: str) -> Any:
    response = control.get(f"/api/{path}")
    assert response.status_code == 200
    return response.json()


def test_a_batch_is_made_and_listed(control: Client) -> None:
    order = {
        "count": 3,
        "day": "2026-11-23",
        "types": ["civils"],
        "seed": 7,
        "provisioning_plans": [[4, 2], [1]],
    }

    made = post(control, "jobs", order)

    assert made.status == 201
    assert made.body["jobs"] == get(control, "jobs")["jobs"]
    first = made.body["jobs"][0]
    assert first["jobType"] == "civils"
    assert first["state"] == "queued"
    assert first["provisioning_plan"] == [4, 2]
    assert first["window"]["start"].startswith("2026-11-23T")
    assert OutboundMessage.objects.waiting().count() == 3


@pytest.mark.parametrize(
    ("order", "mistake"),
    [
        ({"count": 0}, "count: must be a whole number from 1 to 500"),
        ({"count": True}, "count: must be a whole number from 1 to 500"),
        ({"day": "soon"}, "day: must be a day like 2026-11-23"),
        ({"day": 20261123}, "day: must be a day like 2026-11-23"),
        ({"day": "9999-12-31"}, "day: must be a day from 1900-01-01 to 2198-12-31"),
        (
            {"window": {"start": "9999-12-31T08:00:00Z", "end": "9999-12-31T13:00:00Z"}},
            "window: must be an instant from 1900-01-01 to 2198-12-31",
        ),
        ({"types": "civils"}, "types: must be a list"),
        ({"types": ["repair"]}, "types: must be one of installation, revisit, external, civils"),
        ({"provisioning_plans": [[8]]}, "provisioning_plans: a provisioning result is a number from 1 to 7"),
        ({"provisioning_plans": [[[]]]}, "provisioning_plans: unhashable type: 'list'"),
        ({"by_hand": 1}, "by_hand: must be true or false"),
        ([], "the body is not a JSON object"),
    ],
)
def test_an_invalid_control_request_is_explained(control: Client, order: Any, mistake: str) -> None:
    refused = post(control, "jobs", order)

    assert (refused.status, refused.body["mistakes"]) == (400, [mistake])
    assert Job.objects.count() == 0


def test_an_unknown_member_is_named(control: Client) -> None:
    refused = post(control, "clock", {"seconds": 5})

    assert refused.body["mistakes"] == ["seconds is unknown; known are advance_seconds, set_to"]


@pytest.mark.parametrize("path", ["orders?buyer=foo", "buyers/foo"])
def test_without_buyers_the_answer_says_what_to_do(control: Client, path: str) -> None:
    assert "load the network" in control.get(f"/api/{path}").json()["error"]


@pytest.mark.parametrize("headers", [{}, {"X-Sandbox-Control": "0"}])
def test_orders_need_the_control_header(headers: dict[str, str]) -> None:
    client = Client(headers=headers, enforce_csrf_checks=True)

    assert post(client, "jobs", {"count": 1}).status == 403
    assert Job.objects.count() == 0


def test_orders_need_json(control: Client) -> None:
    assert control.post("/api/jobs", data="{}", content_type="text/plain").status_code == 403


def test_a_job_shows_its_pack_and_messages(caller: Caller, control: Client, lenient: None) -> None:
    job = make.job()
    body = make.on_the_way(job)
    caller.post("notifyJob", body)

    report = get(control, f"jobs/{job.seller_job_id}")

    assert report["pack"] == job.pack
    assert report["breaches"] == 1
    assert report["breach_list"] == [
        {
            "code": "eventOrder",
            "field": "/event",
            "message": "enRoute came before engineerAssigned",
            "entry": report["messages"][0]["id"],
        }
    ]
    assert report["messages"][0]["messageId"] == body["messageId"]
    assert report["messages"][0]["answer"]["status"] == 200


def test_an_unknown_job_is_not_found(control: Client) -> None:
    for path, text in (("jobs/SJ-none", "no job SJ-none"), ("nothing/here", "no /api/nothing/here")):
        answer = control.get(f"/api/{path}")
        assert (answer.status_code, text in answer.json()["error"]) == (404, True)


def test_cancelling_queues_a_message(control: Client) -> None:
    job = make.job()

    answer = post(control, f"jobs/{job.seller_job_id}/cancel", {"code": "MOVED", "message": "Moved away"})

    message = OutboundMessage.objects.waiting().get()
    assert (answer.status, answer.body) == (202, {"messageId": str(message.message_id)})
    assert message.members == {"reason": {"code": "MOVED", "message": "Moved away"}}


def test_cancelling_a_refused_pack_is_not_possible(control: Client) -> None:
    job = make.job()
    Job.objects.update(state=JobState.REFUSED)

    assert post(control, f"jobs/{job.seller_job_id}/cancel", {}).status == 409


def test_provisioning_by_hand(control: Client) -> None:
    job = make.job()

    assert post(control, f"jobs/{job.seller_job_id}/provision", {"result": 7}).status == 202
    assert post(control, f"jobs/{job.seller_job_id}/provision", {}).status == 400
    assert OutboundMessage.objects.waiting().get().members["result"]["id"] == 7


def test_sending_refused_messages_again(control: Client) -> None:
    job = make.job()
    OutboundMessage.objects.update(state=OutboundState.REFUSED)

    assert post(control, f"jobs/{job.seller_job_id}/send-again", {}).body == {"queued": 1}


def test_repeating_needs_a_delivered_message(control: Client) -> None:
    job = make.job()

    assert post(control, f"jobs/{job.seller_job_id}/repeat", {"operation": "cancelJob"}).status == 409
    assert post(control, f"jobs/{job.seller_job_id}/repeat", {}).status == 202


def test_switching_an_endpoint(control: Client) -> None:
    order = {"mode": "fail", "status": 500, "retry_after": 3, "times": 2}

    answer = post(control, "endpoints/B", order)

    assert answer.body == {
        "endpoint": "B",
        "mode": "fail",
        "seconds": 15,
        "status": 500,
        "retry_after": 3,
        "times_left": 2,
        "per_minute": 60,
        "until": None,
    }
    assert switches.current("B").mode == "fail"
    assert post(control, "endpoints/B", {"mode": "limit", "per_minute": 0}).body["per_minute"] == 0
    assert post(control, "endpoints/C", {"mode": "drop"}).status == 404
    assert post(control, "endpoints/A", {"mode": "broken"}).status == 400


def test_setting_the_rule_for_scans(control: Client) -> None:
    answer = post(
        control, "provisioning-rule", {"mode": "by_hand", "seconds": 0, "plan_cycle": [[4, 2], [1]]}
    )

    assert answer.body == get(control, "provisioning-rule")
    assert provisioning.rule().plan_cycle == [[4, 2], [1]]


def test_the_message_log_continues_after_an_entry(caller: Caller, control: Client, partner: Partner) -> None:
    post(control, "jobs", {"count": 1})
    worker.work_once()
    job = Job.objects.get()
    caller.post("notifyJob", make.assigned(job))

    sent, received = get(control, "message-log")["lines"]
    later = get(control, f"message-log?since={sent['id']}")

    assert (sent["direction"], received["direction"]) == ("out", "in")
    assert sent["body"]["sellerJobId"] == received["sellerJobId"] == job.seller_job_id
    assert received["endpoint"] == "A"
    assert later == {"lines": [received], "more": False}
    assert control.get("/api/message-log?since=x").status_code == 400


def test_the_summary_counts(caller: Caller, control: Client) -> None:
    job = make.job()
    body = make.assigned(job)
    for message in (body, body, {**body, "event": "?"}):
        caller.post("notifyJob", message)

    summary = get(control, "summary")

    assert summary["jobs"] == {"assigned": 1}
    assert summary["received"] == {"accepted": 1, "duplicates": 1, "refused": 1, "unserved": 0}
    assert summary["breaches"] == 1
    assert summary["queue"] == {"waiting": 0, "retrying": 0, "refused": 0, "provisioning_waiting": 0}
    assert summary["worker_seen_seconds_ago"] is None


def test_the_queue_can_be_tried_now(control: Client) -> None:
    post(control, "jobs", {"count": 2, "delay": 3600})

    assert post(control, "queue/retry", {}).body == {"queued": 2}


@pytest.mark.parametrize("jobs", [1, 3])
def test_lists_take_a_fixed_number_of_queries(control: Client, django_assert_num_queries, jobs: int) -> None:
    for seed in range(jobs):
        make.job(seed=seed)

    with django_assert_num_queries(1):
        control.get("/api/jobs")
    with django_assert_num_queries(23):
        control.get("/")


def test_the_console_serves_on_the_loopback_address(folder, transactional_db) -> None:
    port = free_port()
    process = start("serve_console", "--port", str(port), log=folder / "console.log")
    wait_for_port(port, process)
    try:
        base = f"http://127.0.0.1:{port}"
        with urllib.request.urlopen(f"{base}/healthz") as answer:
            healthy = json.load(answer)
        with urllib.request.urlopen(f"{base}/static/sandbox/console.css") as answer:
            style = answer.read()
        time.sleep(0.1)
    finally:
        stopped = process.stop()

    assert healthy == {"status": "ok", "jobs": 0}
    assert b"--ink" in style or b"var(--ink)" in style
    assert "Warning" not in process.log.read_text()
    assert stopped in {0, -15}
