"""The contract's rules beyond the shape of a message: which message breaks which, as a table."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from seller_sandbox.jobs import codes
from seller_sandbox.jobs.closure_rules import check_closure
from seller_sandbox.jobs.contract import as_rows, check_notification
from seller_sandbox.jobs.job_facts import JobFacts
from seller_sandbox.tests import make

START, END = (datetime.fromisoformat(make.instant(hour)) for hour in (8, 13))
FRESH = JobFacts(
    job_type="installation", starts_at=START, ends_at=END, now=make.NOON, created_at=make.NOON, minutes=90
)
ON_SITE = replace(
    FRESH,
    events=frozenset({"engineerAssigned", "enRoute", "onSite"}),
    engineer_id="e-1",
    attended=frozenset({"e-1"}),
    is_provisioned=True,
)
# e-1 was there, and the job was then given to e-2
HANDED_OVER = replace(ON_SITE, engineer_id="e-2")
SENT = make.instant(12)
POSITION = {"latitude": 53.8, "longitude": -1.5}
ANSWER = make.answer()
FOREIGN = ("foreignSecondary", "/secondaryClosureCode")


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


ON_THE_WAY = replace(ON_SITE, events=frozenset({"engineerAssigned", "enRoute"}), last_event="enRoute")
SCANNED = replace(ON_SITE, events=ON_SITE.events | {"ontScanned"}, last_event="ontScanned", has_scan=True)
ORDER = [("eventOrder", "/event")]
FUTURE = ("fromTheFuture", "/occurredAt")
BACKWARDS = ("backwards", "/occurredAt")
# of one day, whatever the hour of the test is
AFTERNOON = datetime(2026, 11, 24, 14, tzinfo=UTC)
MORNING = replace(FRESH, starts_at=AFTERNOON - timedelta(hours=6), ends_at=AFTERNOON - timedelta(hours=1))
SHORT = replace(FRESH, starts_at=START, ends_at=START + timedelta(minutes=1))
NEAR, FAR = (53.8005, -1.5), (54.9, -1.5)
NOTED = {**ANSWER, "source": "notifyJob"}


def scan(fsan: str = "CXNK12AB34CD") -> dict[str, Any]:
    return event("ontScanned", ont={"fsan": fsan, "serialNumber": "1"}, scanId="x", coordinates=None)


@pytest.mark.parametrize(
    ("body", "facts", "expected"),
    [
        (planned(make.instant(8), make.instant(13)), FRESH, []),
        (planned(make.instant(7, 59), make.instant(9)), FRESH, [("outsideWindow", "/plannedStart")]),
        (planned(make.instant(48 + 8), make.instant(48 + 9)), FRESH, [("outsideWindow", "/plannedStart")]),
        # agreed with the customer: a remark only
        (planned(AFTERNOON.isoformat(), (AFTERNOON + timedelta(hours=1)).isoformat()), MORNING, []),
        (planned(make.instant(12), make.instant(14)), FRESH, []),
        (planned(make.instant(8), make.instant(10)), SHORT, []),
        (planned(make.instant(10), make.instant(10)), FRESH, [("plannedTimes", "/plannedEnd")]),
        (planned(make.instant(14), make.instant(15)), ON_SITE, []),
        (planned(make.instant(9), make.instant(10), engineer={"id": "e-2"}), ON_SITE, []),
        (event("enRoute"), FRESH, ORDER),
        (event("enRoute"), replace(ON_THE_WAY, last_event="engineerAssigned"), []),
        (event("enRoute"), replace(ON_SITE, last_event="onSite"), ORDER),
        (event("enRoute"), SCANNED, ORDER),
        (event("enRoute"), replace(SCANNED, last_event="engineerAssigned"), []),
        (event("onSite"), SCANNED, ORDER),
        (event("enRoute", engineer={"id": "e-2"}), ON_THE_WAY, [("otherEngineer", "/engineer/id")]),
        (event("enRoute"), HANDED_OVER, [("otherEngineer", "/engineer/id")]),
        (event("onSite"), HANDED_OVER, [("otherEngineer", "/engineer/id")]),
        (event("onSite"), FRESH, ORDER),
        (scan(), ON_SITE, []),
        (scan(), ON_THE_WAY, ORDER),
        (event("onSite"), replace(ON_SITE, is_closed=True), [("afterClosure", "/")]),
        (event("onSite"), replace(ON_SITE, cancelled_at=START), [("afterCancellation", "/")]),
        (event("onSite"), replace(ON_SITE, cancelled_at=END), []),
        (event("onSite", coordinates=None), ON_SITE, []),
    ],
)
def test_order_and_plan_of_a_notification(body: dict[str, Any], facts: JobFacts, expected: list[Any]) -> None:
    assert found(check_notification(body, facts)) == expected


@pytest.mark.parametrize(
    ("body", "facts", "expected"),
    [
        (event("onSite", occurredAt=make.instant(12, 6), sentAt=make.instant(13)), ON_SITE, [FUTURE]),
        (event("onSite", occurredAt=make.instant(12, 5), sentAt=make.instant(13)), ON_SITE, []),
        (event("onSite", occurredAt=make.instant(12, 1)), ON_SITE, []),
        # a clock 30 hours behind sends what happened now: the profile accepts its sentAt
        (event("onSite", sentAt=make.instant(-18)), ON_SITE, []),
        # one ahead says nothing of what came first
        (event("onSite", sentAt=make.instant(48)), replace(ON_SITE, cancelled_at=END), []),
        (event("onSite"), replace(ON_SITE, last_event_at=START), []),
        (event("onSite"), replace(ON_SITE, last_event_at=START + timedelta(seconds=1)), [BACKWARDS]),
        (event("enRoute", occurredAt="2020-01-01T00:00:00Z"), ON_THE_WAY, [BACKWARDS]),
        (
            planned(make.instant(9), make.instant(10), occurredAt=make.instant(7)),
            replace(ON_THE_WAY, last_event_at=START),
            [],
        ),
        (
            event("onSite", questions_answers=[{**NOTED, "response_received": make.instant(36)}]),
            ON_SITE,
            [("fromTheFuture", "/questions_answers/0/response_received")],
        ),
    ],
)
def test_times_of_a_notification(body: dict[str, Any], facts: JobFacts, expected: list[Any]) -> None:
    assert found(check_notification(body, facts)) == expected


@pytest.mark.parametrize(
    ("body", "facts", "expected"),
    [
        (
            event("onSite", coordinates={"latitude": 0, "longitude": 0.0}),
            ON_SITE,
            [("nullIsland", "/coordinates")],
        ),
        (event("enRoute", coordinates={"latitude": 0, "longitude": 1}), ON_SITE, []),
        (event("onSite"), replace(ON_SITE, position=FAR), []),
        (event("onSite"), replace(ON_SITE, position=FAR, must_be_near=True), [("farAway", "/coordinates")]),
        (event("onSite"), replace(ON_SITE, position=NEAR, must_be_near=True), []),
        (event("enRoute"), replace(ON_SITE, position=FAR, must_be_near=True), []),
        (
            event("onSite", coordinates=None),
            replace(ON_SITE, must_be_near=True),
            [("noCoordinates", "/coordinates")],
        ),
        (scan("4857544383F7C537"), ON_SITE, []),
        (scan("cxnk12ab34cd"), ON_SITE, []),
        (scan("0001020383F7C537"), ON_SITE, [("noFsan", "/ont/fsan")]),
        (scan("hello"), ON_SITE, [("noFsan", "/ont/fsan")]),
        (scan("CXNK12AB34CG"), ON_SITE, [("noFsan", "/ont/fsan")]),
        (scan(), replace(ON_SITE, job_type="civils"), [("scanNotForType", "/event")]),
        (scan(), replace(ON_SITE, job_type="external"), [("scanNotForType", "/event")]),
        (scan(), replace(ON_SITE, job_type="revisit"), []),
    ],
)
def test_positions_and_scans(body: dict[str, Any], facts: JobFacts, expected: list[Any]) -> None:
    assert found(check_notification(body, facts)) == expected


@pytest.mark.parametrize(
    ("body", "facts", "expected"),
    [
        (planned(make.instant(12), make.instant(14)), FRESH, [("endsAfterWindow", "/plannedEnd")]),
        (event("onSite", coordinates=None), ON_SITE, [("noCoordinates", "/coordinates")]),
        (event("onSite", sentAt=make.instant(-18)), ON_SITE, [("laterThanSent", "/occurredAt")]),
        (event("onSite"), replace(ON_SITE, position=FAR), [("farAway", "/coordinates")]),
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


NOBODY_ON_SITE = replace(FRESH, engineer_id="")
NOT_THERE = ("engineerNotThere", "/engineer")
NO_REMARKS = ("noRemarks", "/remarks")
REVISIT = replace(ON_SITE, job_type="revisit")
CODE, VISIT = "/closureCode", [("eventOrder", "/closureCode")]


@pytest.mark.parametrize(
    ("body", "facts", "expected"),
    [
        (closure("SP"), ON_SITE, []),
        (closure("SP"), replace(ON_SITE, is_provisioned=False), [("notProvisioned", CODE)]),
        (closure("SP"), replace(ON_SITE, events=frozenset()), [NOT_THERE, *VISIT]),
        (closure("SP", engineer=None), replace(ON_SITE, events=frozenset()), VISIT),
        (closure("REVCOMP"), replace(REVISIT, is_provisioned=False), []),
        (
            closure("REVCOMP"),
            replace(REVISIT, is_provisioned=False, has_scan=True),
            [("notProvisioned", CODE)],
        ),
        (closure("UNF"), FRESH, [NOT_THERE]),
        (closure("UNF", engineer=None), FRESH, []),
        (closure("OTHER", remarks="Flooded road"), FRESH, [NOT_THERE]),
        (closure("OTHER", remarks="Flooded road", engineer=None), FRESH, []),
        (closure("OTHER", remarks="Flooded road", engineer=None), replace(FRESH, job_type="revisit"), []),
        (closure("OTHER", remarks=" ", engineer=None), replace(FRESH, job_type="revisit"), [NO_REMARKS]),
        (closure("OTHER", remarks="Flooded road", engineer=None), replace(FRESH, job_type="external"), []),
        (closure("OTHER", remarks="Flooded road", engineer=None), replace(FRESH, job_type="civils"), []),
        (closure("RNA/NA"), ON_SITE, []),
        (closure("HAZ", engineer=None), NOBODY_ON_SITE, VISIT),
        (closure("RNA/NA", engineer=None), NOBODY_ON_SITE, VISIT),
        (closure("MBORC"), ON_SITE, [("visitTookPlace", CODE)]),
        (closure("FTA", engineer=None), NOBODY_ON_SITE, []),
        (closure("FTA"), NOBODY_ON_SITE, [NOT_THERE]),
        (closure("UNF", engineer=None), ON_SITE, [("noEngineer", "/engineer")]),
        (closure("REVCOMP"), ON_SITE, [("wrongFamily", CODE)]),
        (closure("UNF"), REVISIT, [("wrongFamily", CODE)]),
        (closure("REVCOMP"), REVISIT, []),
        (closure("EXTCOMP"), replace(ON_SITE, job_type="external"), []),
        (closure("CIVCOMP"), replace(ON_SITE, job_type="civils"), []),
        (closure("OTHER", remarks="Flooded road"), ON_SITE, []),
        (closure("XYZ"), ON_SITE, [NO_REMARKS]),
        (closure("XYZ", remarks="x", **secondary("X1", "own description")), ON_SITE, []),
        (closure("XYZ", remarks="x", **secondary("CON07", "Blockage - Gel Wrap")), ON_SITE, [FOREIGN]),
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
        (closure("UNF"), replace(ON_SITE, last_event_at=END), [("backwards", "/closedAt")]),
        (closure("UNF", engineer={"id": "e-2", "name": "Kim"}), ON_SITE, [("otherEngineer", "/engineer/id")]),
        (closure("UNF"), HANDED_OVER, []),
        (closure("UNF", engineer={"id": "e-2", "name": "Kim"}), HANDED_OVER, []),
        (
            closure("UNF", engineer={"id": "e-3", "name": "Lee"}),
            HANDED_OVER,
            [("otherEngineer", "/engineer/id")],
        ),
        (closure("UNF"), replace(ON_SITE, cancelled_at=END), [("afterCancellation", "/")]),
    ],
)
def test_breaches_of_a_closure(body: dict[str, Any], facts: JobFacts, expected: list[Any]) -> None:
    breaches = found(check_closure(body, facts))

    assert [breach for breach in breaches if breach[0] != "answerMissing"] == expected


def test_remarks_of_a_closure() -> None:
    findings = check_closure(closure("XYZ", remarks="x"), FRESH)

    assert found(findings, remarks=True) == [("unknownCode", "/closureCode")]


@pytest.mark.parametrize(
    ("code", "job_type", "description", "secondaries"),
    [
        ("SP", "installation", "Service Provided", 0),
        ("CON", "installation", "Fault at Node (or between termination point and Node)", 9),
        ("REVUNF", "revisit", "Unforeseen Circumstance", 1),
        ("EXTCON", "external", "Fault at Node", 18),
        ("CIVCOMP", "civils", "Civils Complete", 10),
        ("ABC", None, "Other reason", 0),
    ],
)
def test_codes_are_those_of_the_document(code, job_type, description, secondaries) -> None:
    assert codes.job_type_of(code) == job_type
    assert codes.describe(code) == description
    assert len(codes.secondary_codes(code)) == secondaries
