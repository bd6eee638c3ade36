"""What follows createJob: a seller's cancelJob and provisioning results, a partner's events and closures.

To have its events and closures accepted, a partner needs a job of the seller's.
"""

from typing import Any

from seller_link.conformance.cases import (
    Broken,
    ConformanceSide,
    Message,
    accepted,
    cancel,
    case,
    cases,
    close,
    create,
    created,
    event,
    fresh,
    known,
    now,
    photo_answer,
    provisioned,
    refused,
)
from seller_link.conformance.conformance_client import ConformanceClient
from seller_link.conformance.partner_create_cases import SENTINELS

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


@case("cancelJob: a job that nobody has begun", "cancelJob", ConformanceSide.PARTNER)
def cancel_job(line: ConformanceClient) -> None:
    message = cancel(created(line))
    accepted(line.send("cancelJob", message), message)


@case("cancelJob: without a reason", "cancelJob", ConformanceSide.PARTNER)
def cancel_without_reason(line: ConformanceClient) -> None:
    message = cancel(created(line))
    del message["reason"]
    accepted(line.send("cancelJob", message), message)


@case("cancelJob: twice", "cancelJob", ConformanceSide.PARTNER)
def cancel_twice(line: ConformanceClient) -> None:
    job = created(line)
    for message in (cancel(job), cancel(job)):
        accepted(line.send("cancelJob", message), message)


@case("cancelJob: by sellerJobId alone", "cancelJob", ConformanceSide.PARTNER)
def cancel_by_seller_job(line: ConformanceClient) -> None:
    first = create()
    job = str(accepted(line.send("createJob", first), first).body["providerJobId"])
    message = {**cancel(job), "sellerJobId": first["sellerJobId"]}
    del message["providerJobId"]
    if accepted(line.send("cancelJob", message), message).body.get("providerJobId") != job:
        raise Broken("The answer does not name the job that was cancelled.")


@case("cancelJob: an unknown sellerJobId", "Refusals", ConformanceSide.PARTNER)
def cancel_unknown_seller_job(line: ConformanceClient) -> None:
    message = {**cancel(""), "sellerJobId": NO_JOB}
    del message["providerJobId"]
    refused(line.send("cancelJob", message), 404, "jobNotFound", field="/sellerJobId")


@case("cancelJob: an unknown job", "Refusals", ConformanceSide.PARTNER)
def cancel_unknown(line: ConformanceClient) -> None:
    refused(line.send("cancelJob", cancel(NO_JOB)), 404, "jobNotFound", field="/providerJobId")


@case("cancelJob: without providerJobId", "Members of every request", ConformanceSide.PARTNER)
def cancel_nothing(line: ConformanceClient) -> None:
    message = cancel("")
    del message["providerJobId"]
    refused(line.send("cancelJob", message), 422, "invalidMessage", field="/providerJobId")


@case("cancelJob: the engineer is on site", "cancelJob", ConformanceSide.PARTNER)
def cancel_on_site(line: ConformanceClient) -> None:
    refused(line.send("cancelJob", cancel(known(line, "started-job"))), 409, "installationStarted")


@case("cancelJob: a closed job", "cancelJob", ConformanceSide.PARTNER)
def cancel_closed(line: ConformanceClient) -> None:
    refused(line.send("cancelJob", cancel(known(line, "closed-job"))), 409, "jobClosed")


@cases("notifyJob: provisioning result {0}", "notifyJob", ConformanceSide.PARTNER, over=range(1, 8))
def notify_result(line: ConformanceClient, result: int) -> None:
    message = provisioned(created(line), result=result)
    accepted(line.send("notifyJob", message), message)


@cases("notifyJob: provisioning result {0} does not exist", "notifyJob", ConformanceSide.PARTNER, over=(0, 8))
def notify_no_result(line: ConformanceClient, result: int) -> None:
    message = provisioned(NO_JOB, result=result)
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/result/id")


@cases("notifyJob: result {0} with the other success", "notifyJob", ConformanceSide.PARTNER, over=range(1, 8))
def notify_contradiction(line: ConformanceClient, result: int) -> None:
    message = provisioned(NO_JOB, result=result)
    message["result"]["success"] = not message["result"]["success"]
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/result/success")


@cases("notifyJob: occurredAt {0}", "notifyJob", ConformanceSide.PARTNER, over=SENTINELS)
def notify_sentinel(line: ConformanceClient, moment: str) -> None:
    message = {**provisioned(NO_JOB), "occurredAt": moment}
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/occurredAt")


@case("notifyJob: an older result that comes later", "notifyJob", ConformanceSide.PARTNER)
def notify_older(line: ConformanceClient) -> None:
    job = created(line)
    older = {**provisioned(job, result=4), "occurredAt": now(minutes=-5)}
    for message in (provisioned(job), older):
        accepted(line.send("notifyJob", message), message)


@case("notifyJob: a result for a cancelled job", "notifyJob", ConformanceSide.PARTNER)
def notify_late(line: ConformanceClient) -> None:
    job = created(line)
    for operation, message in (("cancelJob", cancel(job)), ("notifyJob", provisioned(job))):
        accepted(line.send(operation, message), message)


@case("notifyJob: a result for a closed job", "notifyJob", ConformanceSide.PARTNER)
def notify_closed(line: ConformanceClient) -> None:
    message = provisioned(known(line, "closed-job"))
    accepted(line.send("notifyJob", message), message)


@case("notifyJob: an unknown job (partner)", "Refusals", ConformanceSide.PARTNER)
def notify_unknown_result(line: ConformanceClient) -> None:
    refused(line.send("notifyJob", provisioned(NO_JOB)), 404, "jobNotFound")


@cases(
    "notifyJob: the event {0} (partner)", "notifyJob", ConformanceSide.PARTNER, over=("onSite", "teaBreak")
)
def notify_other_event(line: ConformanceClient, name: str) -> None:
    message = {**provisioned(NO_JOB), "event": name}
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/event")


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
