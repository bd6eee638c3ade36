"""What a seller asks of a partner: cancelJob and provisioning results."""

from seller_link.conformance.cases import (
    Broken,
    ConformanceSide,
    accepted,
    cancel,
    case,
    cases,
    create,
    created,
    known,
    now,
    provisioned,
    refused,
)
from seller_link.conformance.conformance_client import ConformanceClient
from seller_link.conformance.partner_create_cases import SENTINELS


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
    message = {**cancel(""), "sellerJobId": "CONF-NO-SUCH-JOB"}
    del message["providerJobId"]
    refused(line.send("cancelJob", message), 404, "jobNotFound", field="/sellerJobId")


@case("cancelJob: an unknown job", "Refusals", ConformanceSide.PARTNER)
def cancel_unknown(line: ConformanceClient) -> None:
    refused(line.send("cancelJob", cancel("CONF-NO-SUCH-JOB")), 404, "jobNotFound", field="/providerJobId")


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
    message = provisioned("CONF-NO-SUCH-JOB", result=result)
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/result/id")


@cases("notifyJob: result {0} with the other success", "notifyJob", ConformanceSide.PARTNER, over=range(1, 8))
def notify_contradiction(line: ConformanceClient, result: int) -> None:
    message = provisioned("CONF-NO-SUCH-JOB", result=result)
    message["result"]["success"] = not message["result"]["success"]
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/result/success")


@cases("notifyJob: occurredAt {0}", "notifyJob", ConformanceSide.PARTNER, over=SENTINELS)
def notify_sentinel(line: ConformanceClient, moment: str) -> None:
    message = {**provisioned("CONF-NO-SUCH-JOB"), "occurredAt": moment}
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
def notify_unknown(line: ConformanceClient) -> None:
    refused(line.send("notifyJob", provisioned("CONF-NO-SUCH-JOB")), 404, "jobNotFound")


@cases(
    "notifyJob: the event {0} (partner)", "notifyJob", ConformanceSide.PARTNER, over=("onSite", "teaBreak")
)
def notify_other_event(line: ConformanceClient, name: str) -> None:
    message = {**provisioned("CONF-NO-SUCH-JOB"), "event": name}
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/event")
