"""The console's pages and buttons, without script."""

import re

import pytest
from django.test import Client

from seller_sandbox import clock
from seller_sandbox.endpoints import switches
from seller_sandbox.jobs import provisioning
from seller_sandbox.jobs.models import Job
from seller_sandbox.messages import outbox, worker
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.tests import make
from seller_sandbox.tests.partner import Partner, refuse
from seller_sandbox.tests.processes import Caller

pytestmark = pytest.mark.django_db


def page(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def press(client: Client, path: str, **fields: str) -> str:
    response = client.post(f"/do/{path}", fields, follow=True)
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_an_empty_sandbox_says_what_to_do(client: Client) -> None:
    overview, messages = page(client, "/"), page(client, "/messages")

    assert "No job yet. Press “Send one pack”" in overview
    assert "the worker is not running. Start it with python -m seller_sandbox.manage work" in overview
    assert "No message yet. Send a pack from the jobs page" in messages


def test_a_filter_that_finds_nothing_says_so(client: Client) -> None:
    assert "No message matches. Take a filter away" in page(client, "/messages?job=nothing")


def test_the_overview_describes_a_job(client: Client, caller: Caller, lenient: None) -> None:
    job = make.job()
    caller.post("notifyJob", make.assigned(job))
    caller.post("closeJob", make.closed(job, closureCode="CON"))

    html = page(client, "/")

    assert job.seller_job_id in html
    assert job.provider_job_id in html
    assert f"Mon 23 Nov {job.starts_at:%H:%M}–{job.ends_at:%H:%M}" in html
    assert "CON Fault at Node" in html
    assert "closeJob received" in html
    assert "1 breach" in html


def test_the_job_page_shows_pack_messages_and_breaches(client: Client, caller: Caller) -> None:
    job = make.job()
    caller.post("notifyJob", make.on_the_way(job, coordinates=None))

    html = page(client, f"/jobs/{job.seller_job_id}")

    assert job.pack["siteContact"]["name"] in html
    assert job.pack["network"]["olt"] in html
    assert "From the partner, endpoint A" in html
    assert "Breach eventOrder at /event : enRoute came before engineerAssigned" in html
    assert "Remark at /coordinates" in html


def test_a_job_that_waits_says_what_happens(client: Client) -> None:
    press(client, "send", count="1")
    job = Job.objects.get()

    html = page(client, f"/jobs/{job.seller_job_id}")

    assert "Waiting to be sent: createJob" in html
    assert "Nothing has gone over the wire yet" in html
    assert "Results can be sent when the partner has accepted the pack" in html


def test_messages_are_filtered(client: Client, caller: Caller, partner: Partner) -> None:
    job = make.job()
    caller.post("notifyJob", make.assigned(job))
    caller.post("closeJob", make.closed(job, closureCode="CON"))
    provisioning.give_result(job=job, result=1)
    worker.work_once()

    def titles(query: str) -> list[str]:
        html = client.get(f"/messages?{query}").content.decode()
        return re.findall(r'<h3 id="message-\d+">([\w ]+) <span', html)

    assert titles("") == ["notifyJob ontProvisioned", "closeJob", "notifyJob engineerAssigned"]
    assert titles("operation=closeJob") == ["closeJob"]
    assert titles("direction=out") == ["notifyJob ontProvisioned"]
    assert titles("direction=in") == ["closeJob", "notifyJob engineerAssigned"]
    assert titles("breaches=1") == ["closeJob"]
    assert titles(f"job={job.provider_job_id}&operation=notifyJob&direction=in") == [
        "notifyJob engineerAssigned"
    ]


def test_sending_packs(client: Client) -> None:
    assert "1 pack is on the way" in press(client, "send", count="1")
    html = press(client, "send", count="4", day="2026-11-23", seed="3", types="revisit")

    assert "4 packs are on the way for Mon 23 Nov 2026." in html
    assert Job.objects.filter(job_type="revisit").count() >= 4


def test_a_wrong_form_changes_nothing_and_says_why(client: Client) -> None:
    html = press(client, "send", count="9999")

    assert "Nothing was changed. count: must be a whole number from 1 to 500" in html
    assert Job.objects.count() == 0


def test_moving_the_clock(client: Client) -> None:
    assert "The sandbox clock now shows" in press(client, "clock", advance_seconds="300")
    assert clock.offset().total_seconds() == 300
    assert "5 min ahead" in page(client, "/")


def test_switching_an_endpoint(client: Client) -> None:
    html = press(client, "endpoints/A", mode="slow", seconds="2.5", status="503", times="")

    assert "Endpoint A: Stores at once, answers late." in html
    assert "Now: Stores at once, answers late (2.5 s)" in html
    assert switches.current("A").seconds == 2.5


def test_setting_the_answers_to_scans(client: Client) -> None:
    press(client, "provisioning", mode="checked", result="3", seconds="10", plan_cycle="4,2; 1")

    rule = provisioning.rule()
    assert (rule.mode, rule.result, rule.seconds, rule.plan_cycle) == ("checked", 3, 10, [[4, 2], [1]])
    assert "Nothing was changed" in press(client, "provisioning", plan_cycle="4;x")


def test_the_buttons_of_a_job(client: Client) -> None:
    job = make.job()

    cancelled = press(client, f"jobs/{job.seller_job_id}/cancel")
    provisioned = press(client, f"jobs/{job.seller_job_id}/provision", result="4")
    repeated = press(client, f"jobs/{job.seller_job_id}/repeat")

    assert "The cancellation is on its way" in cancelled
    assert "Result 4 is on its way: Delay - Retrying in 5 minutes." in provisioned
    assert "once more, word for word" in repeated
    sent = OutboundMessage.objects.waiting().values_list("operation", flat=True)
    assert list(sent) == ["cancelJob", "notifyJob", "createJob"]


def test_a_refused_pack_can_be_sent_again(client: Client, partner: Partner) -> None:
    partner.script[:] = [refuse(422, "invalidMessage")]
    press(client, "send", count="1")
    worker.work_once()
    job = Job.objects.get()

    assert "Pack refused by the partner" in page(client, f"/jobs/{job.seller_job_id}")
    assert "1 message goes out again." in press(client, f"jobs/{job.seller_job_id}/send-again")
    assert OutboundMessage.objects.get().state == OutboundState.WAITING


def test_waiting_messages_can_be_tried_at_once(client: Client) -> None:
    outbox.enqueue(thread=make.job().thread, operation="cancelJob", members={}, delay=900)

    assert "1 message is tried at once." in press(client, "retry")


def test_a_form_without_its_token_changes_nothing() -> None:
    response = Client(enforce_csrf_checks=True).post("/do/send", {"count": "1"})

    assert response.status_code == 403
    assert b"The form had expired" in response.content
    assert Job.objects.count() == 0


@pytest.mark.parametrize("path", ["/", "/messages", "/healthz", "/jobs/none", "/api/summary"])
def test_no_page_allows_inline_code(client: Client, path: str) -> None:
    response = client.get(path)

    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(rb"<style|style=|<script(?![^>]*src=)| on\w+=", response.content)


def test_an_unknown_page_leads_back(client: Client) -> None:
    response = client.get("/jobs/none")

    assert response.status_code == 404
    assert b"All jobs that it knows are on the" in response.content


def test_what_comes_from_outside_is_escaped(client: Client, caller: Caller) -> None:
    job = make.job()
    caller.post("closeJob", make.closed(job, closureCode="<script>x</script>"))

    for path in ("/", f"/jobs/{job.seller_job_id}", "/messages"):
        assert b"<script>x" not in client.get(path).content


def test_another_host_name_is_refused(client: Client) -> None:
    assert client.get("/", headers={"host": "rebound.example"}).status_code == 400


@pytest.mark.parametrize(
    ("address", "back"),
    [("clock", "/"), ("jobs/S-1/cancel", "/jobs/S-1"), ("orders", "/"), ("premises/1/switch", "/network/1")],
)
def test_address_of_a_button_opened_by_hand_says_so_and_leads_back(
    client: Client, address: str, back: str
) -> None:
    answer = client.get(f"/do/{address}")

    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    html = answer.content.decode()
    assert "This address belongs to a button" in html
    assert f'<a href="{back}">Go back</a>' in html


@pytest.mark.parametrize("path", ["/jobs/none", "/do/clock"])
def test_page_of_an_error_is_not_fetched_again_and_again(client: Client, path: str) -> None:
    assert "refresh.js" not in client.get(path).content.decode()
    assert "refresh.js" in client.get("/").content.decode()
