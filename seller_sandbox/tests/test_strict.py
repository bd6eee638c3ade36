"""A strict seller refuses what breaks the contract, a lenient one takes it and records the breach."""

from datetime import UTC, datetime
from typing import Any

import pytest

from seller_sandbox.jobs import strictness
from seller_sandbox.jobs.models import Job, JobState, JobType
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.tests import make
from seller_sandbox.tests.processes import Caller, Response, fault_of


def details_of(response: Response) -> list[tuple[str, str]]:
    return [(entry["field"], entry["code"]) for entry in response.body["fault"]["detail"]]


def on_site(caller: Caller, job: Job) -> Job:
    assert [caller.post("notifyJob", body).status for body in make.arrival(job)] == [200] * 3
    return job


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"closureCode": "REVCOMP"}, [("/closureCode", "invalidValue")]),
        ({"closureCode": "CON"}, [("/secondaryClosureCode", "missingProperty")]),
        ({"closureCode": "MBORC", "engineer": None}, [("/closureCode", "invalidValue")]),
        ({"closureCode": "HAZ", "questions_answers": []}, [("/questions_answers", "missingProperty")]),
        ({"closureCode": "UNF", "closedAt": make.instant(7)}, [("/closedAt", "invalidValue")]),
        ({"closureCode": "WEATHER"}, [("/remarks", "missingProperty")]),
    ],
)
def test_a_closure_that_breaks_the_contract_is_refused_at_the_member(
    caller: Caller, members: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    job = on_site(caller, make.job())
    usual = {"questions_answers": make.answers("installation", members["closureCode"])}

    response = caller.post("closeJob", make.completed(job, **{**usual, **members}))

    job.refresh_from_db()
    assert fault_of(response) == (422, "invalidMessage")
    assert details_of(response) == expected
    assert job.state == JobState.ON_SITE
    message = InboundMessage.objects.get(operation="closeJob")
    assert not message.holds_id
    assert [row["field"] for row in message.breaches] == [field for field, _ in expected]


def test_the_corrected_message_is_taken_with_its_id(caller: Caller) -> None:
    job = on_site(caller, make.job())
    body = make.completed(job, closureCode="UNF", questions_answers=make.answers("installation", "UNF"))

    refused = caller.post("closeJob", {**body, "closureCode": "REVUNF"})
    accepted = caller.post("closeJob", body)

    assert [refused.status, accepted.status] == [422, 200]


@pytest.mark.parametrize(
    ("maker", "members", "field"),
    [
        (make.on_the_way, {"event": "onSite", "occurredAt": make.instant(6)}, "/occurredAt"),
        (
            make.on_the_way,
            {"event": "onSite", "coordinates": {"latitude": 0, "longitude": 0}},
            "/coordinates",
        ),
        (make.scanned, {"ont": {"fsan": "hello", "serialNumber": "1"}}, "/ont/fsan"),
        (make.assigned, {"occurredAt": make.instant(13)}, "/occurredAt"),
    ],
)
def test_a_notification_that_breaks_the_contract_is_refused(
    caller: Caller, maker: Any, members: dict[str, Any], field: str
) -> None:
    job = on_site(caller, make.job())
    events = InboundMessage.objects.filter(holds_id=True).count()

    response = caller.post("notifyJob", maker(job, **members))

    assert fault_of(response) == (422, "invalidMessage")
    assert field in {pointer for pointer, _ in details_of(response)}
    assert InboundMessage.objects.filter(holds_id=True).count() == events


def test_no_ont_is_scanned_on_a_civils_job(caller: Caller) -> None:
    job = on_site(caller, make.job(job_type=JobType.CIVILS))

    assert details_of(caller.post("notifyJob", make.scanned(job))) == [("/event", "invalidValue")]
    assert job.tries.count() == 0


def cancelled() -> Job:
    job = make.job()
    job.state, job.cancelled_at = JobState.CANCELLED, datetime.now(UTC)
    job.save()
    return job


@pytest.mark.parametrize("is_strict", [True, False])
def test_a_cancelled_job_is_never_closed(caller: Caller, is_strict: bool) -> None:
    strictness.choose(is_strict=is_strict)
    job = cancelled()

    response = caller.post("closeJob", make.closed(job))

    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    assert response.status == (409 if is_strict else 200)
    assert [row["code"] for row in InboundMessage.objects.get().breaches] == ["afterCancellation"]


def test_conflicts_have_their_own_fault(caller: Caller) -> None:
    job = make.job()
    caller.post("closeJob", make.closed(job))

    assert fault_of(caller.post("closeJob", make.closed(cancelled()))) == (409, "jobCancelled")
    assert fault_of(caller.post("notifyJob", make.assigned(job))) == (409, "jobClosed")


def test_a_lenient_seller_takes_a_breach_and_records_it(caller: Caller, lenient: None) -> None:
    job = make.job()

    response = caller.post("notifyJob", make.on_the_way(job))

    assert response.status == 200
    assert [row["code"] for row in InboundMessage.objects.get().breaches] == ["eventOrder"]


def test_positions_are_refused_by_a_switch_of_their_own(caller: Caller) -> None:
    job = on_site(caller, make.job())
    far = make.on_the_way(job, "onSite", coordinates={"latitude": 10.0, "longitude": 10.0})

    assert caller.post("notifyJob", far).status == 200
    assert [row["code"] for row in InboundMessage.objects.last().remarks] == ["farAway"]
    strictness.choose(positions_refused=True)
    again = {**far, "messageId": make.message(job)["messageId"]}
    assert details_of(caller.post("notifyJob", again)) == [("/coordinates", "invalidValue")]


def test_null_is_absent_for_an_optional_member_and_missing_for_a_required_one(caller: Caller) -> None:
    job = make.job()
    assert caller.post("notifyJob", make.assigned(job)).status == 200
    nulls = {"coordinates": None, "correlationId": None, "questions_answers": None, "sellerJobId": None}

    accepted = caller.post("notifyJob", {**make.on_the_way(job), **nulls})
    refused = caller.post("notifyJob", {**make.on_the_way(job, "onSite"), "engineer": {"id": None}})

    assert accepted.status == 200
    assert details_of(refused) == [("/engineer/id", "missingProperty")]
    assert InboundMessage.objects.filter(holds_id=True).last().body["coordinates"] is None
