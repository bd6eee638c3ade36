"""What real operators send: odd packs and odd messages, each with the answer that is due."""

from typing import Any
from uuid import uuid4

import pytest

from seller_sandbox import clock
from seller_sandbox.jobs import odd_messages, provisioning
from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job, JobState, TryState
from seller_sandbox.jobs.odd_messages import ODD_MESSAGES
from seller_sandbox.jobs.packs.odd import ODD_PACKS
from seller_sandbox.jobs.schemas import problems, without_nulls
from seller_sandbox.messages import worker
from seller_sandbox.messages.expectations import ACCEPTED
from seller_sandbox.messages.models import MessageLogEntry, OutboundMessage
from seller_sandbox.tests import make
from seller_sandbox.tests.partner import Behaviour, Partner, answer_with, refuse

pytestmark = pytest.mark.django_db(transaction=True)
# what a schema can say of a refused pack; the windows' bounds are arithmetic
SEEN_BY_SCHEMA = {"null_phone", "no_offset", "year_1", "year_9999"}


def send_all() -> None:
    for _ in range(30):
        clock.advance(seconds=61)
        if not worker.work_once():
            return


def findings() -> list[dict[str, str]]:
    return [breach for entry in MessageLogEntry.objects.all() for breach in entry.breaches]


def odd_pack(name: str) -> Job:
    return send_batch(Batch(count=1, day=make.DAY, seed=3, types=["installation"], odd=[name]))[0]


def due_refusal(status: int, fault: str, field: str) -> Behaviour:
    detail = [{"field": field or "/", "code": "invalidValue", "message": "no"}]
    return answer_with(status, {"fault": {"faultcode": fault, "faultmessage": "no", "detail": detail}})


@pytest.mark.parametrize("name", ODD_PACKS)
def test_an_odd_pack_is_what_it_says(name: str) -> None:
    job = odd_pack(name)
    envelope = {"messageId": str(uuid4()), "sentAt": make.instant(), "sellerJobId": job.seller_job_id}

    found = {problem.pointer for problem in problems("createJob", {**envelope, **without_nulls(job.pack)})}

    expected = ODD_PACKS[name].expected
    assert found == ({expected.field} if name in SEEN_BY_SCHEMA else set())
    assert (job.oddity, job.state) == (name, JobState.QUEUED)


@pytest.mark.parametrize("name", ODD_PACKS)
def test_the_answer_that_is_due_is_no_finding(partner: Partner, name: str) -> None:
    expected = ODD_PACKS[name].expected
    if expected != ACCEPTED:
        partner.script[:] = [due_refusal(expected.status, expected.fault, expected.field)]
    job = odd_pack(name)

    send_all()

    job.refresh_from_db()
    assert findings() == []
    assert job.state == (JobState.ACCEPTED if expected == ACCEPTED else JobState.REFUSED)


@pytest.mark.parametrize(
    ("name", "answer", "actual"),
    [
        ("year_1", None, "200"),
        ("year_1", refuse(422, "invalidMessage"), "422 invalidMessage"),
        (
            "year_1",
            due_refusal(400, "invalidBody", "/appointment/start"),
            "400 invalidBody /appointment/start",
        ),
        ("minimal", refuse(422, "invalidMessage"), "422 invalidMessage"),
    ],
)
def test_another_answer_is_a_finding(
    partner: Partner, name: str, answer: Behaviour | None, actual: str
) -> None:
    partner.script[:] = [answer] if answer else []
    odd_pack(name)

    send_all()

    [finding] = findings()
    expected = ODD_PACKS[name].expected
    assert finding["code"] == "unexpectedAnswer"
    assert finding["message"] == f"Expected {expected}, the recipient answered {actual}"


def test_trouble_on_the_line_is_no_finding(partner: Partner) -> None:
    expected = ODD_PACKS["year_1"].expected
    due = due_refusal(expected.status, expected.fault, expected.field)
    partner.script[:] = [refuse(503, "tryAgain"), refuse(429, "tryAgain"), due]
    odd_pack("year_1")

    send_all()

    assert (len(partner.received), findings()) == (3, [])


def test_the_same_seed_makes_the_same_odd_packs() -> None:
    names = [name for name, case in ODD_PACKS.items() if case.is_workable]
    batch = Batch(count=len(names), day=make.DAY, seed=5, odd=names)

    first, second = ([{**job.pack, "fault": None} for job in send_batch(batch)] for _ in range(2))

    assert first == second


def provisioned_job() -> Job:
    job = make.job()
    scan_id = uuid4()
    job.tries.create(scan_id=scan_id, fsan="CXNK12AB34CD", state=TryState.DONE, result=1)
    return job


@pytest.mark.parametrize("name", sorted(ODD_MESSAGES))
def test_an_odd_message_is_sent_and_its_answer_compared(partner: Partner, name: str) -> None:
    job = provisioned_job()
    if name == "pack_after_cancel":
        Job.objects.update(state=JobState.CANCELLED)
        job.refresh_from_db()
    case = ODD_MESSAGES[name]
    refused = due_refusal(case.expected.status, case.expected.fault, case.expected.field)
    partner.script[:] = [answer_known(job)] if case.expected == ACCEPTED else [refused]

    odd_messages.send_odd(job, name=name)
    send_all()

    [(path, body)] = partner.received
    assert path == f"/seller/{case.operation}"
    assert ("providerJobId" in body) == (case.operation != "createJob" and not case.names_seller_job_only)
    assert body["sellerJobId"] == job.seller_job_id
    assert findings() == []


def answer_known(job: Job) -> Behaviour:
    def behave(handler: Any, body: dict[str, Any]) -> None:
        echoed = {name: body[name] for name in ("messageId", "correlationId")}
        handler.answer(200, {**echoed, "providerJobId": job.provider_job_id})

    return behave


def test_another_job_for_the_same_pack_is_a_finding(partner: Partner) -> None:
    odd_messages.send_odd(make.job(), name="pack_again")

    send_all()

    assert [finding["code"] for finding in findings()] == ["answerJobId"]


def test_nothing_odd_is_sent_about_a_job_that_the_partner_does_not_know() -> None:
    job = odd_pack("minimal")

    with pytest.raises(ActionNotPossible):
        odd_messages.send_odd(job, name="result_again")


def test_planned_odd_results_are_sent_after_the_first_success(partner: Partner) -> None:
    names = ["older_failure", "result_again"]
    job = send_batch(
        Batch(count=1, day=make.DAY, types=["installation"], provisioning_plans=[[3, 1]], odd_results=[names])
    )[0]
    send_all()
    job.refresh_from_db()
    for _ in range(2):
        make_scan(job)
        send_all()

    results = [body["result"]["id"] for _, body in partner.received[1:]]
    assert results == [3, 1, 3, 1]
    times = [body["occurredAt"] for _, body in partner.received[2:]]
    assert times[1] < times[0] == times[2]
    assert OutboundMessage.objects.waiting().count() == 0


def make_scan(job: Job) -> None:
    provisioning.schedule_scan(job=job, scan_id=str(uuid4()), fsan="CXNK12AB34CD")
