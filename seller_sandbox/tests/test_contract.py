"""The contract's rules beyond the shape of a message: which message breaks which, as a table."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from seller_sandbox.jobs import codes
from seller_sandbox.jobs.contract import JobFacts, as_rows, check_closure, check_notification
from seller_sandbox.tests import make

START, END = datetime(2026, 11, 23, 8, tzinfo=UTC), datetime(2026, 11, 23, 13, tzinfo=UTC)
FRESH = JobFacts(job_type="installation", starts_at=START, ends_at=END)
ON_SITE = replace(
    FRESH,
    events=frozenset({"engineerAssigned", "enRoute", "onSite"}),
    engineer_id="e-1",
    is_provisioned=True,
)
SENT = make.instant(12)
POSITION = {"latitude": 53.8, "longitude": -1.5}
ANSWER = make.answer()
MEMBER = "answerMember"
FOREIGN = ("foreignSecondary", "/secondaryClosureCode")
PHOTO = {"name": "a.jpg", "type": "image/jpeg", "object_path": "https://store.example/a.jpg"}


def event(name: str, **members: Any) -> dict[str, Any]:
    usual = {"event": name, "occurredAt": make.instant(8), "sentAt": SENT, "engineer": {"id": "e-1"}}
    body = {**usual, "coordinates": POSITION, **members}
    return {name: value for name, value in body.items() if value is not None}


def closure(code: str = "SP", **members: Any) -> dict[str, Any]:
    usual = {"closureCode": code, "closedAt": make.instant(11), "sentAt": SENT, "questions_answers": []}
    body = {**usual, "engineer": {"id": "e-1", "name": "Sam Field"}, **members}
    return {name: value for name, value in body.items() if value is not None}


def secondary(code: str, text: str) -> dict[str, str]:
    return {"secondaryClosureCode": code, "secondaryClosureCodeDescription": text}


def found(findings: list[Any], *, remarks: bool = False) -> list[tuple[str, str]]:
    return [(row["code"], row["field"]) for row in as_rows(findings, remarks=remarks)]


def planned(start: str, end: str, **members: Any) -> dict[str, Any]:
    return event("engineerAssigned", plannedStart=start, plannedEnd=end, **members)


@pytest.mark.parametrize(
    ("body", "facts", "expected"),
    [
        (planned(make.instant(8), make.instant(13)), FRESH, []),
        (planned(make.instant(7, 59), make.instant(9)), FRESH, [("outsideWindow", "/plannedStart")]),
        (planned(make.instant(12), make.instant(14)), FRESH, [("outsideWindow", "/plannedEnd")]),
        (planned(make.instant(10), make.instant(10)), FRESH, [("plannedTimes", "/plannedEnd")]),
        (planned(make.instant(9), make.instant(10), engineer={"id": "e-2"}), ON_SITE, []),
        (event("enRoute"), FRESH, [("eventOrder", "/event")]),
        (event("enRoute"), ON_SITE, []),
        (event("enRoute", engineer={"id": "e-2"}), ON_SITE, [("otherEngineer", "/engineer/id")]),
        (event("onSite"), FRESH, [("eventOrder", "/event")]),
        (event("ontScanned"), ON_SITE, []),
        (
            event("ontScanned"),
            replace(ON_SITE, events=frozenset({"engineerAssigned"})),
            [("eventOrder", "/event")],
        ),
        (event("onSite", occurredAt=make.instant(12, 1)), ON_SITE, [("fromTheFuture", "/occurredAt")]),
        (event("onSite", occurredAt="2026-11-23T13:00:00+01:00"), ON_SITE, []),
        (event("onSite"), replace(ON_SITE, is_closed=True), [("afterClosure", "/")]),
        (event("onSite"), replace(ON_SITE, cancelled_at=START), [("afterCancellation", "/")]),
        (event("onSite"), replace(ON_SITE, cancelled_at=END), []),
        (event("onSite", coordinates=None), ON_SITE, []),
        (
            event("onSite", questions_answers=[ANSWER]),
            ON_SITE,
            [("answerSource", "/questions_answers/0/source")],
        ),
        (event("onSite", questions_answers=[{**ANSWER, "source": "notifyJob"}]), ON_SITE, []),
    ],
)
def test_breaches_of_a_notification(body: dict[str, Any], facts: JobFacts, expected: list[Any]) -> None:
    assert found(check_notification(body, facts)) == expected


@pytest.mark.parametrize(
    ("body", "facts", "expected"),
    [
        (event("onSite", coordinates=None), ON_SITE, [("noCoordinates", "/coordinates")]),
        (
            event("onSite"),
            replace(ON_SITE, events=frozenset({"engineerAssigned"})),
            [("noEnRoute", "/event")],
        ),
        (event("onSite"), ON_SITE, []),
    ],
)
def test_remarks_of_a_notification(body: dict[str, Any], facts: JobFacts, expected: list[Any]) -> None:
    assert found(check_notification(body, facts), remarks=True) == expected


@pytest.mark.parametrize(
    ("body", "facts", "expected"),
    [
        (closure("SP"), ON_SITE, []),
        (closure("SP"), replace(ON_SITE, is_provisioned=False), [("notProvisioned", "/closureCode")]),
        (closure("SP"), replace(ON_SITE, events=frozenset()), [("eventOrder", "/closureCode")]),
        (closure("UNF"), FRESH, []),
        (closure("RNA/NA"), ON_SITE, []),
        (closure("REVCOMP"), ON_SITE, [("wrongFamily", "/closureCode")]),
        (closure("UNF"), replace(ON_SITE, job_type="revisit"), [("wrongFamily", "/closureCode")]),
        (closure("REVCOMP"), replace(ON_SITE, job_type="revisit"), []),
        (closure("EXTCOMP"), replace(ON_SITE, job_type="external"), []),
        (closure("CIVCOMP"), replace(ON_SITE, job_type="civils"), []),
        (closure("XYZ"), ON_SITE, []),
        (closure("XYZ", **secondary("X1", "own words")), ON_SITE, []),
        (closure("CON"), ON_SITE, [("noSecondary", "/secondaryClosureCode")]),
        (closure("POP"), ON_SITE, [("noSecondary", "/secondaryClosureCode")]),
        (closure("CON", **secondary("CON07", "Blockage - Gel Wrap")), ON_SITE, []),
        (closure("CON", **secondary("POP01", "No Light (SN/PN)")), ON_SITE, [FOREIGN]),
        (closure("SP", **secondary("CON07", "Blockage - Gel Wrap")), ON_SITE, [FOREIGN]),
        (
            closure("CON", **secondary("CON07", "Gel")),
            ON_SITE,
            [("secondaryText", "/secondaryClosureCodeDescription")],
        ),
        (closure("UNF", closedAt=make.instant(13)), ON_SITE, [("fromTheFuture", "/closedAt")]),
        (closure("UNF", engineer={"id": "e-2", "name": "Kim"}), ON_SITE, [("otherEngineer", "/engineer/id")]),
        (closure("UNF"), replace(ON_SITE, cancelled_at=START), [("afterCancellation", "/")]),
    ],
)
def test_breaches_of_a_closure(body: dict[str, Any], facts: JobFacts, expected: list[Any]) -> None:
    assert found(check_closure(body, facts)) == expected


def test_remarks_of_a_closure() -> None:
    findings = check_closure(closure("XYZ"), FRESH)

    assert found(findings, remarks=True) == [("unknownCode", "/closureCode")]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (ANSWER, []),
        ({**ANSWER, "source": "Closure", "files": [PHOTO]}, []),
        ({**ANSWER, "files": [{**PHOTO, "url": "https://store.example/a?sig=1"}]}, []),
        ("yes", [("answerShape", "")]),
        ({**ANSWER, "source": "notifyJob"}, [("answerSource", "/source")]),
        ({**ANSWER, "source": "Closure"}, [("answerSource", "/source")]),
        (make.answer(question=None), [(MEMBER, "/question")]),
        (make.answer(question_code=None), [(MEMBER, "/question_code")]),
        (make.answer(answer=None), [(MEMBER, "/answer")]),
        (make.answer(answer=7), [(MEMBER, "/answer")]),
        (make.answer(source=None), [(MEMBER, "/source")]),
        (make.answer(response_received=None), [(MEMBER, "/response_received")]),
        (make.answer(response_received="2026-11-23T09:00:00"), [("answerTime", "/response_received")]),
        ({**ANSWER, "files": "a.jpg"}, [("fileShape", "/files")]),
        ({**ANSWER, "files": ["a.jpg"]}, [("fileShape", "/files/0")]),
        (
            {**ANSWER, "files": [{"name": "a.jpg"}]},
            [(MEMBER, "/files/0/type"), (MEMBER, "/files/0/object_path")],
        ),
        ({**ANSWER, "files": [{**PHOTO, "url": 7}]}, [("fileShape", "/files/0/url")]),
    ],
)
def test_entries_of_questions_answers(entry: Any, expected: list[tuple[str, str]]) -> None:
    findings = check_closure(closure("UNF", questions_answers=[entry]), ON_SITE)

    assert found(findings) == [(code, f"/questions_answers/0{field}") for code, field in expected]


@pytest.mark.parametrize(
    ("code", "job_type", "words", "secondaries"),
    [
        ("SP", "installation", "Service Provided", 0),
        ("CON", "installation", "Fault at Node (or between termination point and Node)", 9),
        ("REVUNF", "revisit", "Unforeseen Circumstance", 1),
        ("EXTCON", "external", "Fault at Node", 18),
        ("CIVCOMP", "civils", "Civils Complete", 10),
        ("ABC", None, "Other reason", 0),
    ],
)
def test_codes_are_those_of_the_document(code, job_type, words, secondaries) -> None:
    assert codes.job_type_of(code) == job_type
    assert codes.describe(code) == words
    assert len(codes.secondary_codes(code)) == secondaries
