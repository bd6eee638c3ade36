"""The console names strictness, findings, odd cases and files, and shows every odd pack."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from seller_sandbox.console import text_formats
from seller_sandbox.endpoints import credentials, switches
from seller_sandbox.jobs import strictness
from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.models import EvidenceFile, Job
from seller_sandbox.jobs.packs.odd import ODD_PACKS
from seller_sandbox.messages import worker
from seller_sandbox.messages.models import InboundMessage, OutboundMessage
from seller_sandbox.tests import make
from seller_sandbox.tests.partner import Partner, answer_with
from seller_sandbox.tests.processes import Caller

pytestmark = pytest.mark.django_db


def page(client: Client, path: str) -> str:
    """The text of a page, without its tags."""
    response = client.get(path, follow=True)
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def press(client: Client, path: str, **form: str) -> str:
    response = client.post(f"/do/{path}", form, follow=True)
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_strictness_is_named_on_every_page_and_can_be_changed(client: Client) -> None:
    assert "Checks strict" in page(client, "/messages")
    assert "Now: Strict: a message that breaks the contract is refused" in page(client, "/")

    lenient = press(client, "strictness", positions_refused="yes")

    assert "Messages are taken; breaches are recorded." in lenient
    assert "Checks lenient" in page(client, "/messages")
    assert (strictness.current().is_strict, strictness.current().positions_refused) == (False, True)
    assert "Messages are checked strictly." in press(client, "strictness", is_strict="yes")


def test_a_refused_message_shows_its_findings(client: Client, caller: Caller) -> None:
    job = make.job()
    caller.post("notifyJob", make.on_the_way(job))

    html = page(client, f"/jobs/{job.seller_job_id}")

    assert "422 invalidMessage" in html
    assert "Breach eventOrder at /event : enRoute came before engineerAssigned" in html
    assert "Messages with findings 1" in html


@pytest.mark.parametrize("name", ODD_PACKS)
def test_every_odd_pack_is_shown(client: Client, name: str) -> None:
    press(client, "send", count="1", odd=name)
    job = Job.objects.get()

    assert f"Odd pack: {ODD_PACKS[name].description}." in page(client, f"/jobs/{job.seller_job_id}")
    assert job.seller_job_id in page(client, "/")
    assert client.get("/api/jobs").json()["jobs"][0]["oddity"] == name


def test_a_refusal_that_is_due_is_no_trouble(client: Client, partner: Partner) -> None:
    detail = [{"field": "/appointment/start", "code": "invalidValue", "message": "no"}]
    fault = {"faultcode": "invalidMessage", "faultmessage": "no", "detail": detail}
    partner.script[:] = [answer_with(422, {"fault": fault})]
    press(client, "send", count="1", odd="year_1")
    worker.work_once()

    html = page(client, f"/jobs/{Job.objects.get().seller_job_id}")

    assert "Refused as it should be." in html
    assert "Refused by the partner 0" in html
    assert "Messages with findings 0" in html


def test_long_addresses_and_windows_are_shown_in_short(client: Client) -> None:
    press(client, "send", count="1", odd="long_texts")
    press(client, "send", count="1", odd="month")

    html = page(client, "/")
    assert "Line 3 of the address" in html
    assert "Line 50 of the address" not in html
    start, end = Job.objects.filter(oddity="month").values_list("starts_at", "ends_at").get()
    assert f"{text_formats.hours(start, end)}" in html
    assert text_formats.day_of(end) in html


def test_an_odd_message_is_sent_by_a_button(client: Client) -> None:
    job = make.job()

    html = press(client, f"jobs/{job.seller_job_id}/odd", case="false_success")

    assert (
        "Queued: a result 1 without success. The partner should answer 422 invalidMessage /result/success."
        in html
    )
    assert OutboundMessage.objects.waiting().get().expected_field == "/result/success"
    assert "Nothing was changed" in press(client, f"jobs/{job.seller_job_id}/odd", case="pack_after_cancel")
    assert "Nothing was changed. case: must be one of" in press(
        client, f"jobs/{job.seller_job_id}/odd", case="x"
    )


def test_limits_are_set_by_buttons(client: Client) -> None:
    limited = press(client, "endpoints/A", mode="limit", per_minute="5")
    press(client, "endpoints/B", mode="maintenance", seconds="60")

    assert "Now: Takes so many messages a minute, then 429 (5 a minute)" in limited
    assert switches.take("B").status == 503
    switches.Switch.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert "Endpoint B Now: Answers normally" in page(client, "/")


def test_the_certificate_is_changed_by_a_button(client: Client, folder) -> None:
    assert "The next certificate is in force" in press(client, "certificate", uses_next="yes")
    assert credentials.uses_next()
    assert "Go back to the first certificate" in page(client, "/")


def test_a_missing_certificate_is_named(client: Client, settings, tmp_path) -> None:
    settings.NEXT_KEY = tmp_path / "none.key"

    assert "none.key is missing; give SANDBOX_NEXT_CERT" in press(client, "certificate", uses_next="yes")
    assert not credentials.uses_next()


def test_files_to_compare_are_counted_and_named(client: Client, caller: Caller) -> None:
    job = make.job()
    for body in make.arrival(job):
        caller.post("notifyJob", body)
    entries = make.answers("installation", "RNA/NA")
    response = caller.post("closeJob", make.completed(job, closureCode="RNA/NA", questions_answers=entries))
    assert response.status == 200

    file = EvidenceFile.objects.get(message=InboundMessage.objects.get(operation="closeJob"))
    assert f"{file.name}: to be fetched" in page(client, f"/jobs/{job.seller_job_id}")
    assert "Files to compare 1" in page(client, "/")
    assert client.get("/api/summary").json()["evidence"] == {"waiting": 1, "verified": 0, "differs": 0}


def test_the_control_interface_sets_the_same(client: Client) -> None:
    def post(path: str, order: dict[str, object]) -> object:
        headers = {"X-Sandbox-Control": "1"}
        return client.post(f"/api/{path}", order, content_type="application/json", headers=headers)

    assert post("checking", {"is_strict": False}).json() == {"is_strict": False, "positions_refused": False}
    assert post("certificate", {}).status_code == 400
    window = {"start": "2026-11-23T08:00:00Z", "end": "2026-11-23T08:30:00Z"}
    made = post("jobs", {"count": 2, "odd": ["", "minimal"], "window": window}).json()["jobs"]
    assert [job["oddity"] for job in made] == ["", "minimal"]
    assert Job.objects.first().ends_at - Job.objects.first().starts_at == timedelta(minutes=30)
    assert post("jobs", {"odd": ["strange"]}).status_code == 400
    assert post("jobs", {"window": {"start": window["end"], "end": window["start"]}}).status_code == 400
    cases = client.get("/api/odd").json()
    assert cases["packs"]["year_1"]["expected"] == "422 invalidMessage /appointment/start"
    assert not send_batch(Batch(count=1, day=make.DAY))[0].oddity
