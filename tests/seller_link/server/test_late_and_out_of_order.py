"""Messages that come twice at once, late, or before their time: stored, shown, answered as the contract says."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from dispatch import ont_scans
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from seller_link.models import InboundMessage, InboundOutcome
from tests import make
from tests.board.office import signed_in
from tests.seller_link.wire import message, raw
from tests.servers.seller_server import Caller

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 10


def say(seller: Caller, operation: str, body: dict[str, Any]) -> tuple[int, str]:
    """The status, and the fault's code when there is one."""
    status, answer, _headers = seller.call(f"/seller/{operation}", raw(body))
    return status, answer.get("fault", {}).get("faultcode", "")


def at_once(seller: Caller, operation: str, bodies: list[dict[str, Any]]) -> list[Any]:
    with ThreadPoolExecutor(len(bodies)) as callers:
        return list(callers.map(lambda body: seller.call(f"/seller/{operation}", raw(body))[:2], bodies))


def page_of(job: Job) -> str:
    return signed_in().get(f"/board/jobs/{job.provider_job_id}/").content.decode()


def message_log(**asked: str) -> list[Any]:
    return signed_in().get("/board/messages/", asked).context["page"].lines


@pytest.mark.parametrize("operation", ["createJob", "cancelJob", "notifyJob"])
def test_ten_twins_at_once_have_one_effect_and_one_answer(seller: Caller, operation: str) -> None:
    job = make.job()
    events = job.events.count()
    body = message(operation, providerJobId=job.provider_job_id)
    if operation == "createJob":
        body = message(operation)

    answers = at_once(seller, operation, [body] * AT_ONCE)

    assert answers == [answers[0]] * AT_ONCE
    assert answers[0][0] == 200
    assert Job.objects.count() == (2 if operation == "createJob" else 1)
    assert job.events.count() == events + (operation != "createJob")
    stored = InboundMessage.objects.get()
    assert (str(stored.message_id), stored.repeats) == (body["messageId"], AT_ONCE - 1)


def test_one_message_id_with_ten_bodies_at_once_is_accepted_once(seller: Caller) -> None:
    first = message("createJob")
    bodies = [{**first, "sellerJobId": f"SJ-{number}"} for number in range(AT_ONCE)]

    answers = at_once(seller, "createJob", bodies)

    codes = Counter((status, answer.get("fault", {}).get("faultcode", "")) for status, answer in answers)
    assert codes == {(200, ""): 1, (409, "messageIdReused"): AT_ONCE - 1}
    assert Job.objects.count() == InboundMessage.objects.filter(outcome=InboundOutcome.ACCEPTED).count() == 1


def test_cancellation_before_its_job_is_refused_and_may_come_again(seller: Caller) -> None:
    create = message("createJob")
    early = message("cancelJob", providerJobId="J-AAAA-AAAA", sellerJobId=create["sellerJobId"])

    first = say(seller, "cancelJob", early)
    say(seller, "createJob", create)
    job = Job.objects.get()
    again = say(seller, "cancelJob", {**early, "providerJobId": job.provider_job_id})

    job.refresh_from_db()
    assert (first, again) == ((404, "jobNotFound"), (200, ""))
    assert job.state == JobState.CANCELLED


def test_result_for_an_older_scan_says_nothing_about_the_newer_device(seller: Caller) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    older = make.scan(job)
    newer = make.scan(job, fsan="CXNK00ABCD99")

    answer = say(
        seller,
        "notifyJob",
        message("notifyJob", providerJobId=job.provider_job_id, scanId=str(older.scan_id)),
    )

    assert answer == (200, "")
    assert [older.results.count(), newer.results.count()] == [1, 0]
    assert not ont_scans.is_provisioned(job)
    assert "Result 1: ONT Successfully Provisioned" in page_of(job)


def test_result_that_was_sent_before_its_scan_arrived_is_kept_for_the_job(seller: Caller) -> None:
    job = make.job(at_state=JobState.ON_SITE)

    answer = say(seller, "notifyJob", message("notifyJob", providerJobId=job.provider_job_id))
    make.scan(job)

    assert answer == (200, "")
    assert job.results.get().scan is None
    assert not ont_scans.is_provisioned(job)
    assert "Result 1: ONT Successfully Provisioned" in page_of(job)


def test_cancellation_after_arrival_changes_nothing_and_is_found(seller: Caller) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    body = message("cancelJob", providerJobId=job.provider_job_id)

    assert say(seller, "cancelJob", body) == (409, "installationStarted")

    job.refresh_from_db()
    assert job.state == JobState.ON_SITE
    (line,) = message_log(direction="in", status="refused")
    assert (line.operation, line.state) == ("cancelJob", "Rejected (409)")


@pytest.mark.parametrize("state", [JobState.CLOSED, JobState.CANCELLED])
def test_result_for_a_job_that_is_over_is_kept_and_shown_as_late(seller: Caller, state: JobState) -> None:
    job = make.job(at_state=state)
    body = message("notifyJob", providerJobId=job.provider_job_id)

    answer, repeated = say(seller, "notifyJob", body), say(seller, "notifyJob", body)

    job.refresh_from_db()
    assert (answer, repeated, job.state) == ((200, ""), (200, ""), state)
    assert [event.kind for event in job.events.filter(facts__result_id=1)] == [EventKind.REPORTED_LATE]
    assert f"“Provisioning result” arrived after the job was already “{JobState(state).label}”" in page_of(
        job
    )
    (line,) = message_log(text=body["messageId"])
    assert (line.job_id, line.state, line.attempts) == (job.provider_job_id, "Accepted", "Received 2 times")


def test_cancellation_of_a_closed_job_is_refused_and_result_then_is_kept(seller: Caller) -> None:
    job = make.job(at_state=JobState.CLOSED)

    outcomes = [
        say(seller, operation, message(operation, providerJobId=job.provider_job_id))
        for operation in ("cancelJob", "notifyJob")
    ]

    assert outcomes == [(409, "jobClosed"), (200, "")]
