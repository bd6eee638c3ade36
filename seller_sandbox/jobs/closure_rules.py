"""What the contract asks of a closeJob beyond its shape (job-messages.md, closeJob; installation-jobs.md, codes)."""

from collections.abc import Iterator
from typing import Any

from seller_sandbox.jobs import answer_rules, codes, contract
from seller_sandbox.jobs.answer_shape import check_shape
from seller_sandbox.jobs.contract import Body, Check
from seller_sandbox.jobs.job_facts import JobFacts
from seller_sandbox.messages.findings import Finding, missing, remark


def check_closure(body: Body, facts: JobFacts) -> list[Finding]:
    """All findings of a closeJob."""
    found = [finding for check in CLOSURE_CHECKS for finding in check(body, facts)]
    entries = body["questions_answers"]
    answers = answer_rules.check_closing(entries, facts, closure_code=body["closureCode"])
    return [*found, *check_shape(entries), *answers, *_same_file_twice(entries)]


def object_paths(entries: list[Any]) -> Iterator[tuple[str, str]]:
    """Each file's JSON pointer in the message and its object_path."""
    for number, entry in enumerate(entries):
        files = entry.get("files") if isinstance(entry, dict) else None
        for file_number, file in enumerate(files if isinstance(files, list) else []):
            path = file.get("object_path") if isinstance(file, dict) else None
            if isinstance(path, str):
                yield f"/questions_answers/{number}/files/{file_number}", path


def _same_file_twice(entries: list[Any]) -> Iterator[Finding]:
    seen: set[str] = set()
    for where, path in object_paths(entries):
        if path in seen:
            yield Finding("fileTwice", f"{where}/object_path", "This file belongs to another answer")
        seen.add(path)


def _not_cancelled(_: Body, facts: JobFacts) -> Iterator[Finding]:
    """Whoever accepted a cancellation had not closed the job, or would have answered jobClosed."""
    if facts.cancelled_at:
        yield Finding("afterCancellation", "/", "The partner had accepted the cancellation")


def _time(body: Body, facts: JobFacts) -> Iterator[Finding]:
    return contract.in_order_of_time(body, facts, "closedAt")


def _code_of_family(body: Body, facts: JobFacts) -> Iterator[Finding]:
    code = body["closureCode"]
    family = codes.job_type_of(code)
    if family is not None and family != facts.job_type:
        message = f"{code} is a code of {family}, the job is {facts.job_type}"
        yield Finding("wrongFamily", "/closureCode", message)
    if family is not None:
        return
    if code != codes.OTHER_CODE:
        yield remark("unknownCode", "/closureCode", f"{code} is not in the table: taken as Other reason")
    if not body.get("remarks", "").strip():
        yield missing("noRemarks", "/remarks", "Other reason needs remarks")


def _secondary_code(body: Body, _: JobFacts) -> Iterator[Finding]:
    code, secondary = body["closureCode"], body.get("secondaryClosureCode")
    if secondary is None:
        if codes.needs_secondary(code):
            yield missing("noSecondary", "/secondaryClosureCode", f"{code} needs a secondary code")
        return
    description = codes.secondary_codes(code).get(secondary)
    is_foreign = codes.job_type_of(code) is not None or codes.is_secondary_of_any(secondary)
    if description is None and is_foreign:
        yield Finding("foreignSecondary", "/secondaryClosureCode", f"{secondary} does not belong to {code}")
    if description and description != body["secondaryClosureCodeDescription"]:
        where = "/secondaryClosureCodeDescription"
        yield Finding("secondaryText", where, f"The description of {secondary} is {description!r}")


def _ont_is_provisioned(body: Body, facts: JobFacts) -> Iterator[Finding]:
    """SP needs the ONT scanned last to be provisioned; a revisit may have left the ONT alone."""
    code = body["closureCode"]
    if facts.is_provisioned or not codes.is_success(code):
        return
    if code == "SP" or facts.has_scan:
        message = f"Closed {code} without a successful result for the ONT scanned last"
        yield Finding("notProvisioned", "/closureCode", message)


def _visit_fits_code(body: Body, facts: JobFacts) -> Iterator[Finding]:
    code = body["closureCode"]
    if codes.needs_visit(code) and not facts.was_visited:
        yield Finding("eventOrder", "/closureCode", f"Closed {code} without onSite before it")
    if codes.excludes_visit(code) and facts.was_visited:
        yield Finding("visitTookPlace", "/closureCode", f"{code} says that nobody went, but onSite came")


def _engineer(body: Body, facts: JobFacts) -> Iterator[Finding]:
    """Who attended, also when the job was handed over since, or who was to go last."""
    known = {facts.engineer_id, *facts.attended}
    if facts.engineer_id and "engineer" in body and body["engineer"]["id"] not in known:
        message = "Neither an engineer who was on site nor that of the last engineerAssigned"
        yield Finding("otherEngineer", "/engineer/id", message)
    nobody_went = codes.excludes_visit(body["closureCode"])
    if facts.was_visited and not nobody_went and "engineer" not in body:
        yield missing("noEngineer", "/engineer", "Name the engineer who attended")
    if not facts.was_visited and "engineer" in body:
        yield Finding("engineerNotThere", "/engineer", "engineer is left out when nobody attended")


CLOSURE_CHECKS: tuple[Check, ...] = (
    _not_cancelled,
    _time,
    contract.answers_not_in_the_future,
    _engineer,
    _code_of_family,
    _secondary_code,
    _ont_is_provisioned,
    _visit_fits_code,
)
