"""What the contract asks of an accepted message beyond its shape; each breach is recorded, none refuses.

Pure functions over the body and the facts of its job. A remark is worth a look and breaks no rule.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from seller_sandbox.jobs import codes
from seller_sandbox.jobs.answers_given import check_answers
from seller_sandbox.jobs.findings import Finding, remark
from seller_sandbox.jobs.schemas import read_instant

Body = dict[str, Any]
POSITIONED = {"enRoute", "onSite"}


@dataclass(frozen=True)
class JobFacts:
    """What the seller knew of the job when the message came."""

    job_type: str
    starts_at: datetime
    ends_at: datetime
    events: frozenset[str] = frozenset()
    engineer_id: str = ""
    is_closed: bool = False
    cancelled_at: datetime | None = None
    is_provisioned: bool = False


Check = Callable[[Body, JobFacts], Iterator[Finding]]


def check_notification(body: Body, facts: JobFacts) -> list[Finding]:
    """All findings of a notifyJob."""
    found = [finding for check in NOTIFICATION_CHECKS for finding in check(body, facts)]
    return [*found, *check_answers(body.get("questions_answers", []), sources={"notifyJob"})]


def check_closure(body: Body, facts: JobFacts) -> list[Finding]:
    """All findings of a closeJob."""
    found = [finding for check in CLOSURE_CHECKS for finding in check(body, facts)]
    return [*found, *check_answers(body["questions_answers"], sources={"closeJob"}, photo_source="Closure")]


def as_rows(findings: Iterable[Finding], *, remarks: bool) -> list[dict[str, Any]]:
    """The breaches, or the remarks, as the ledger keeps them."""
    rows = [asdict(finding) for finding in findings if finding.is_remark == remarks]
    return [{name: row[name] for name in ("code", "field", "message")} for row in rows]


# --- notifyJob --------------------------------------------------------------------------------------------
def _order_of_events(body: Body, facts: JobFacts) -> Iterator[Finding]:
    event = body["event"]
    if event != "engineerAssigned" and "engineerAssigned" not in facts.events:
        yield Finding("eventOrder", "/event", f"{event} came before engineerAssigned")
    if event == "ontScanned" and "onSite" not in facts.events:
        yield Finding("eventOrder", "/event", "ontScanned came before onSite")
    if event == "onSite" and "engineerAssigned" in facts.events and "enRoute" not in facts.events:
        yield remark("noEnRoute", "/event", "onSite without enRoute before it")


def _nothing_after_the_end(body: Body, facts: JobFacts) -> Iterator[Finding]:
    if facts.is_closed:
        yield Finding("afterClosure", "/", "The job was already closed by closeJob")
    if facts.cancelled_at and read_instant(body["sentAt"]) > facts.cancelled_at:
        yield Finding("afterCancellation", "/", "Sent after the partner had accepted the cancellation")


def _plan_within_window(body: Body, facts: JobFacts) -> Iterator[Finding]:
    if body["event"] != "engineerAssigned":
        return
    planned = {name: read_instant(body[name]) for name in ("plannedStart", "plannedEnd")}
    if planned["plannedStart"] >= planned["plannedEnd"]:
        yield Finding("plannedTimes", "/plannedEnd", "plannedEnd is not after plannedStart")
    for name, moment in planned.items():
        if not facts.starts_at <= moment <= facts.ends_at:
            yield Finding("outsideWindow", f"/{name}", f"{name} is outside the appointment window")


def _event_before_sending(body: Body, _: JobFacts) -> Iterator[Finding]:
    return _not_after_sending(body, "occurredAt")


def _not_after_sending(body: Body, name: str) -> Iterator[Finding]:
    if read_instant(body[name]) > read_instant(body["sentAt"]):
        yield Finding("fromTheFuture", f"/{name}", f"{name} is later than sentAt")


def _engineer_of_event(body: Body, facts: JobFacts) -> Iterator[Finding]:
    # an ontScanned has no engineer in the profile, so whatever it says there is not looked at
    if body["event"] in POSITIONED:
        yield from _same_engineer(body, facts)


def _same_engineer(body: Body, facts: JobFacts) -> Iterator[Finding]:
    engineer = body.get("engineer")
    if engineer and facts.engineer_id and engineer["id"] != facts.engineer_id:
        yield Finding("otherEngineer", "/engineer/id", "Not the engineer of the last engineerAssigned")


def _position_given(body: Body, _: JobFacts) -> Iterator[Finding]:
    # a phone may refuse its position, so a missing one breaks no rule
    if body["event"] in POSITIONED and "coordinates" not in body:
        yield remark("noCoordinates", "/coordinates", "No coordinates; the phone may have refused them")


# --- closeJob ---------------------------------------------------------------------------------------------
def _closed_before_sending(body: Body, _: JobFacts) -> Iterator[Finding]:
    return _not_after_sending(body, "closedAt")


def _code_of_family(body: Body, facts: JobFacts) -> Iterator[Finding]:
    code = body["closureCode"]
    family = codes.job_type_of(code)
    if family is None:
        yield remark("unknownCode", "/closureCode", f"{code} is not in the table: processed as Other reason")
    elif family != facts.job_type:
        yield Finding(
            "wrongFamily", "/closureCode", f"{code} is a code of {family}, the job is {facts.job_type}"
        )


def _secondary_code(body: Body, _: JobFacts) -> Iterator[Finding]:
    code, secondary = body["closureCode"], body.get("secondaryClosureCode")
    if secondary is None:
        if codes.needs_secondary(code):
            yield Finding("noSecondary", "/secondaryClosureCode", f"{code} needs a secondary code")
        return
    description = codes.secondary_codes(code).get(secondary)
    if description is None and codes.job_type_of(code) is not None:
        yield Finding("foreignSecondary", "/secondaryClosureCode", f"{secondary} does not belong to {code}")
    if description and description != body["secondaryClosureCodeDescription"]:
        where = "/secondaryClosureCodeDescription"
        yield Finding("secondaryText", where, f"The description of {secondary} is {description!r}")


def _service_was_provisioned(body: Body, facts: JobFacts) -> Iterator[Finding]:
    if body["closureCode"] == "SP" and not facts.is_provisioned:
        yield Finding("notProvisioned", "/closureCode", "Closed SP without a successful provisioning result")


def _work_was_on_site(body: Body, facts: JobFacts) -> Iterator[Finding]:
    if codes.tells_of_work_on_site(body["closureCode"]) and "onSite" not in facts.events:
        yield Finding("eventOrder", "/closureCode", f"Closed {body['closureCode']} without onSite before it")


NOTIFICATION_CHECKS: tuple[Check, ...] = (
    _order_of_events,
    _nothing_after_the_end,
    _plan_within_window,
    _event_before_sending,
    _engineer_of_event,
    _position_given,
)
CLOSURE_CHECKS: tuple[Check, ...] = (
    _nothing_after_the_end,
    _closed_before_sending,
    _same_engineer,
    _code_of_family,
    _secondary_code,
    _service_was_provisioned,
    _work_was_on_site,
)
