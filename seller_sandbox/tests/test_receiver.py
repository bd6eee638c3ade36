"""notifyJob and closeJob over real mutual TLS: every status of job-messages.md, and each message once."""

import json
from typing import Any
from uuid import uuid4

import pytest

from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages.models import InboundMessage, MessageLogEntry, OutboundMessage, OutboundState
from seller_sandbox.tests import make
from seller_sandbox.tests.processes import Caller, Response, fault_of


def details_of(response: Response) -> list[tuple[str, str]]:
    return [(entry["field"], entry["code"]) for entry in response.body["fault"]["detail"]]


def test_an_accepted_message_answers_its_ids(caller: Caller) -> None:
    job = make.job()
    body = make.assigned(job, correlationId=str(uuid4()))

    response = caller.post("notifyJob", body)

    assert response.status == 200
    assert response.body == {name: body[name] for name in ("messageId", "correlationId", "providerJobId")}
    assert Job.objects.get().state == JobState.ASSIGNED


def test_a_closure_closes_the_job(caller: Caller) -> None:
    job = make.job()
    for body in make.arrival(job):
        caller.post("notifyJob", body)
    body = make.completed(
        job,
        closureCode="CON",
        questions_answers=make.answers("installation", "CON"),
        secondaryClosureCode="CON07",
        secondaryClosureCodeDescription="Blockage - Gel Wrap",
    )

    response = caller.post("closeJob", body)

    job.refresh_from_db()
    assert response.status == 200
    assert (job.state, job.closure_code, job.secondary_code) == ("closed", "CON", "CON07")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_only_post_is_served(caller: Caller, method: str) -> None:
    response = caller.send(method, "notifyJob", b"{}")

    assert fault_of(response) == (405, "methodNotAllowed")
    assert response.headers["allow"] == "POST"


@pytest.mark.parametrize("operation", ["createJob", "notifyJob/", "notifyjob"])
def test_other_paths_are_unknown(caller: Caller, operation: str) -> None:
    assert caller.post(operation, {}).status == 404


def test_operation_of_buyers_is_not_for_a_partner(caller: Caller) -> None:
    for path in ("order", ""):
        assert caller.send("POST", path, b"<order/>", "text/xml").status == 403


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "application/json; charset=latin-1", ""]
)
def test_only_json_in_utf8_is_taken(caller: Caller, content_type: str) -> None:
    response = caller.send("POST", "notifyJob", b"{}", content_type)

    assert fault_of(response) == (415, "unsupportedMediaType")


def test_a_body_may_have_one_mebibyte(caller: Caller) -> None:
    job = make.job()
    body = make.assigned(job, filler="")
    body["filler"] = "x" * (1024 * 1024 - len(json.dumps(body)))

    largest = caller.post("notifyJob", body)
    too_large = caller.post("notifyJob", {**body, "filler": body["filler"] + "x"})

    assert largest.status == 200
    assert fault_of(too_large) == (413, "tooLarge")


def nested(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b"[]",
        b'"text"',
        b'{"a": NaN}',
        b'{"a": 1e999}',
        b'{"a": "\xff"}',
        b'{"a": "\\u0000"}',
        b'{"\\u0000": 1}',
        b'{"a": ["\\ud83d"]}',
        nested(33),
        nested(100_000),
    ],
)
def test_a_body_that_is_no_message_is_refused(caller: Caller, content: bytes) -> None:
    response = caller.send("POST", "closeJob", content)

    assert fault_of(response) == (400, "invalidBody")
    assert InboundMessage.objects.get().breaches[0]["code"] == "invalidBody:invalidBody"


def test_nesting_of_32_is_taken(caller: Caller) -> None:
    assert fault_of(caller.send("POST", "closeJob", nested(32)))[1] == "invalidMessage"


def test_a_message_for_an_unknown_job_is_refused(caller: Caller) -> None:
    body = make.assigned(make.job(), providerJobId="PJ-nobody")

    response = caller.post("notifyJob", body)

    assert fault_of(response) == (404, "jobNotFound")
    assert details_of(response) == [("/providerJobId", "jobNotFound")]


def test_an_unknown_job_may_be_one_whose_answer_was_lost(caller: Caller) -> None:
    job = make.job()
    OutboundMessage.objects.update(state=OutboundState.WAITING, attempts=1)

    response = caller.post("notifyJob", make.assigned(job, providerJobId="PJ-not-yet-known"))

    assert fault_of(response) == (503, "tryAgain")
    assert response.headers["retry-after"] == "2"
    assert MessageLogEntry.objects.filter(is_breach=True).count() == 0


def test_the_sellers_id_must_fit_the_partners(caller: Caller) -> None:
    job = make.job()

    right = caller.post("notifyJob", make.assigned(job, sellerJobId=job.seller_job_id))
    wrong = caller.post("notifyJob", make.assigned(job, sellerJobId="SJ-other"))

    assert right.status == 200
    assert fault_of(wrong) == (422, "invalidMessage")
    assert details_of(wrong) == [("/sellerJobId", "invalidValue")]


def test_all_problems_are_named_at_once(caller: Caller) -> None:
    body = make.assigned(
        make.job(), messageId="7", sentAt="2026-11-23T08:00:00", engineer={"id": 5}, plannedEnd=None
    )

    response = caller.post("notifyJob", body)

    assert fault_of(response) == (422, "invalidMessage")
    assert details_of(response) == [
        ("/engineer/id", "invalidValue"),
        ("/engineer/name", "missingProperty"),
        ("/engineer/phone", "missingProperty"),
        ("/messageId", "invalidFormat"),
        ("/plannedEnd", "missingProperty"),
        ("/sentAt", "invalidFormat"),
    ]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"event": "arrived"}, [("/event", "invalidValue")]),
        ({"event": None}, [("/event", "missingProperty")]),
        ({"occurredAt": None}, [("/occurredAt", "missingProperty")]),
        ({"occurredAt": "2026-11-23"}, [("/occurredAt", "invalidFormat")]),
        ({"occurredAt": "2026-13-23T08:00:00Z"}, [("/occurredAt", "invalidFormat")]),
        ({"providerJobId": "x" * 37}, [("/providerJobId", "invalidValue")]),
        ({"correlationId": "abc"}, [("/correlationId", "invalidFormat")]),
        (
            {"coordinates": {"latitude": 91}},
            [("/coordinates/latitude", "invalidValue"), ("/coordinates/longitude", "missingProperty")],
        ),
        ({"engineer": None}, [("/engineer", "missingProperty")]),
        ({"questions_answers": {}}, [("/questions_answers", "invalidValue")]),
    ],
)
def test_a_wrong_notification_is_refused_at_the_member(
    caller: Caller, members: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    response = caller.post("notifyJob", make.on_the_way(make.job(), **members))

    assert response.status == 422
    assert details_of(response) == expected


def test_the_partner_may_not_provision(caller: Caller) -> None:
    result = {"id": 1, "success": True, "details": "ONT Successfully Provisioned"}
    body = make.message(make.job(), event="ontProvisioned", occurredAt=make.instant(), result=result)

    assert details_of(caller.post("notifyJob", body)) == [("/event", "invalidValue")]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"closureCode": None}, [("/closureCode", "missingProperty")]),
        ({"closureCode": 7}, [("/closureCode", "invalidValue")]),
        ({"closedAt": "today"}, [("/closedAt", "invalidFormat")]),
        ({"secondaryClosureCode": "CON01"}, [("/secondaryClosureCodeDescription", "missingProperty")]),
        ({"secondaryClosureCodeDescription": "x"}, [("/secondaryClosureCode", "missingProperty")]),
        ({"engineer": {"id": "e-1"}}, [("/engineer/name", "missingProperty")]),
        ({"questions_answers": None}, [("/questions_answers", "missingProperty")]),
    ],
)
def test_a_wrong_closure_is_refused_at_the_member(
    caller: Caller, members: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    response = caller.post("closeJob", make.closed(make.job(), **members))

    assert response.status == 422
    assert details_of(response) == expected


def test_unknown_members_are_kept_and_ignored(caller: Caller) -> None:
    body = make.assigned(make.job(), weather={"rain": True})

    assert caller.post("notifyJob", body).status == 200
    assert InboundMessage.objects.get().body["weather"] == {"rain": True}


def test_a_second_closure_conflicts(caller: Caller) -> None:
    job = make.job()
    caller.post("closeJob", make.closed(job, closureCode="MBORC"))

    response = caller.post("closeJob", make.closed(job, closureCode="HAZ"))

    job.refresh_from_db()
    assert fault_of(response) == (409, "jobClosed")
    assert job.closure_code == "MBORC"


def test_a_closure_names_who_attended_though_the_job_was_handed_over_since(caller: Caller) -> None:
    job = make.job()
    kim = {"id": "e-2", "name": "Kim Hill", "phone": "07700 900002"}
    handed_over = make.assigned(job, occurredAt=make.instant(9), engineer=kim)
    for body in [*make.arrival(job), handed_over]:
        assert caller.post("notifyJob", body).status == 200
    answers = make.answers("installation", "OTHER")

    response = caller.post(
        "closeJob", make.completed(job, closureCode="OTHER", questions_answers=answers, remarks="No access")
    )

    job.refresh_from_db()
    assert response.status == 200
    assert (job.state, job.engineer_id) == (JobState.CLOSED, "e-2")
