"""What a partner asks of a seller: events and closures; a job of the seller's is needed to have them accepted."""

from typing import Any

from seller_link.conformance.cases import (
    Broken,
    ConformanceSide,
    Message,
    accepted,
    case,
    cases,
    close,
    event,
    fresh,
    known,
    photo_answer,
    refused,
)
from seller_link.conformance.conformance_client import ConformanceClient

EVENTS = ("engineerAssigned", "enRoute", "onSite", "ontScanned")
CLOSURE_REQUIRED = ("closureCode", "closedAt", "questions_answers", "providerJobId")
EVENT_REQUIRED = ("messageId", "sentAt", "event", "occurredAt", "providerJobId")
NO_JOB = "CONF-NO-SUCH-JOB"
# a seller has nothing against these members; that it does not know the job is another matter
OPTIONAL_OF_CLOSING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("without engineer, when nobody attended", {"engineer": None}),
    ("null for remarks and secondary code", dict.fromkeys(("remarks", "secondaryClosureCode"))),
    ("a code that nobody knows is Other reason", {"closureCode": "CONF-NEW-CODE"}),
    ("an unknown member", {"aNewMember": {"of": "a later version"}}),
)


def of_job(line: ConformanceClient, name: str) -> Message:
    """This event for the seller's open job."""
    return event(name, known(line, "job"), planned_start=line.planned_start)


@cases("notifyJob: {0}", "notifyJob", ConformanceSide.SELLER, over=EVENTS)
def notify_event(line: ConformanceClient, name: str) -> None:
    message = of_job(line, name)
    accepted(line.send("notifyJob", message), message)


@case("notifyJob: engineerAssigned again, another engineer", "notifyJob", ConformanceSide.SELLER)
def notify_reassigned(line: ConformanceClient) -> None:
    message = of_job(line, "engineerAssigned")
    message["engineer"] = {"id": "CONF-2", "name": "Second Engineer", "phone": "+44 7700 900102"}
    accepted(line.send("notifyJob", message), message)


@case("notifyJob: the same message again", "Members of every request", ConformanceSide.SELLER)
def notify_again(line: ConformanceClient) -> None:
    message = of_job(line, "engineerAssigned")
    first, second = line.send("notifyJob", message), line.send("notifyJob", message)
    if accepted(first, message).body != accepted(second, message).body:
        raise Broken("The second answer is not the first.")


@case("notifyJob: the same messageId, another body", "Members of every request", ConformanceSide.SELLER)
def notify_reused(line: ConformanceClient) -> None:
    message = of_job(line, "engineerAssigned")
    accepted(line.send("notifyJob", message), message)
    changed = {**message, "engineer": {**message["engineer"], "name": "Somebody Else"}}
    refused(line.send("notifyJob", changed), 409, "messageIdReused")


@case("notifyJob: unknown members are ignored", "Transport", ConformanceSide.SELLER)
def notify_unknown_member(line: ConformanceClient) -> None:
    message = fresh(of_job(line, "engineerAssigned"), aNewMember={"of": "a later version"})
    accepted(line.send("notifyJob", message), message)


@case("notifyJob: null for optional members", "Transport", ConformanceSide.SELLER)
def notify_nulls(line: ConformanceClient) -> None:
    message = of_job(line, "engineerAssigned")
    message |= dict.fromkeys(("correlationId", "coordinates", "questions_answers"))
    accepted(line.send("notifyJob", message), message)


@cases("notifyJob: without {0}", "notifyJob", ConformanceSide.SELLER, over=EVENT_REQUIRED)
def notify_without(line: ConformanceClient, name: str) -> None:
    message = event("onSite", NO_JOB)
    del message[name]
    refused(line.send("notifyJob", message), 422, "invalidMessage", field=f"/{name}")


@cases("notifyJob: {0} null", "Transport", ConformanceSide.SELLER, over=EVENT_REQUIRED)
def notify_null(line: ConformanceClient, name: str) -> None:
    message = {**event("onSite", NO_JOB), name: None}
    refused(line.send("notifyJob", message), 422, "invalidMessage", field=f"/{name}")


@case("notifyJob: an unknown job (seller)", "Refusals", ConformanceSide.SELLER)
def notify_unknown(line: ConformanceClient) -> None:
    refused(line.send("notifyJob", event("onSite", NO_JOB)), 404, "jobNotFound")


@cases("notifyJob: the event {0}", "notifyJob", ConformanceSide.SELLER, over=("ontProvisioned", "teaBreak"))
def notify_no_event(line: ConformanceClient, name: str) -> None:
    message = {**event("onSite", NO_JOB), "event": name}
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/event")


@cases("closeJob: without {0}", "closeJob", ConformanceSide.SELLER, over=CLOSURE_REQUIRED)
def close_without(line: ConformanceClient, name: str) -> None:
    message = close(NO_JOB)
    del message[name]
    refused(line.send("closeJob", message), 422, "invalidMessage", field=f"/{name}")


@cases("closeJob: {0}", "closeJob", ConformanceSide.SELLER, over=OPTIONAL_OF_CLOSING)
def close_optional(line: ConformanceClient, change: tuple[str, Message]) -> None:
    refused(line.send("closeJob", {**close(NO_JOB), **change[1]}), 404, "jobNotFound")


@case("closeJob: a secondary code without its description", "closeJob", ConformanceSide.SELLER)
def close_half(line: ConformanceClient) -> None:
    message = {**close(NO_JOB), "secondaryClosureCode": "CON01"}
    refused(line.send("closeJob", message), 422, "invalidMessage")


@case("closeJob: a photo answer without files", "closeJob", ConformanceSide.SELLER)
def close_without_files(line: ConformanceClient) -> None:
    message = {**close(known(line, "job")), "questions_answers": [{**photo_answer(), "files": []}]}
    refused(line.send("closeJob", message), 422, "invalidMessage", field="/questions_answers/0/files")


@case("closeJob: an unknown job", "Refusals", ConformanceSide.SELLER)
def close_unknown(line: ConformanceClient) -> None:
    refused(line.send("closeJob", close(NO_JOB)), 404, "jobNotFound")


@case("closeJob: the job is done, and said twice", "closeJob", ConformanceSide.SELLER)
def close_job(line: ConformanceClient) -> None:
    message = close(known(line, "job"))
    # the engineer of the last engineerAssigned
    message["engineer"] = of_job(line, "engineerAssigned")["engineer"]
    first, second = line.send("closeJob", message), line.send("closeJob", message)
    if accepted(first, message).body != accepted(second, message).body:
        raise Broken("The second answer is not the first.")
