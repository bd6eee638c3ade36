"""What a partner asks of a seller: events and closures; a job of the seller's is needed to have them accepted."""

from seller_link.conformance.cases import Broken, Side, accepted, case, cases, refused
from seller_link.conformance.line import Line
from seller_link.conformance.messages import close, event, fresh, known

EVENTS = ("engineerAssigned", "enRoute", "onSite", "ontScanned")
CLOSURE_REQUIRED = ("closureCode", "closedAt", "engineer", "questions_answers", "providerJobId")
EVENT_REQUIRED = ("messageId", "sentAt", "event", "occurredAt", "providerJobId")
NO_JOB = "CONF-NO-SUCH-JOB"


@cases("notifyJob: {0}", "notifyJob", Side.SELLER, over=EVENTS)
def notify_event(line: Line, name: str) -> None:
    message = event(name, known(line, "job"))
    accepted(line.send("notifyJob", message), message)


@case("notifyJob: the same message again", "Members of every request", Side.SELLER)
def notify_again(line: Line) -> None:
    message = event("engineerAssigned", known(line, "job"))
    first, second = line.send("notifyJob", message), line.send("notifyJob", message)
    if accepted(first, message).body != accepted(second, message).body:
        raise Broken("The second answer is not the first.")


@case("notifyJob: the same messageId, another body", "Members of every request", Side.SELLER)
def notify_reused(line: Line) -> None:
    message = event("engineerAssigned", known(line, "job"))
    accepted(line.send("notifyJob", message), message)
    changed = {**message, "engineer": {**message["engineer"], "name": "Somebody Else"}}
    refused(line.send("notifyJob", changed), 409, "messageIdReused")


@case("notifyJob: unknown members are ignored", "Transport", Side.SELLER)
def notify_unknown_member(line: Line) -> None:
    message = fresh(event("engineerAssigned", known(line, "job")), aNewMember={"of": "a later version"})
    accepted(line.send("notifyJob", message), message)


@cases("notifyJob: without {0}", "notifyJob", Side.SELLER, over=EVENT_REQUIRED)
def notify_without(line: Line, name: str) -> None:
    message = event("onSite", NO_JOB)
    del message[name]
    refused(line.send("notifyJob", message), 422, "invalidMessage", field=f"/{name}")


@case("notifyJob: an unknown job (seller)", "Refusals", Side.SELLER)
def notify_unknown(line: Line) -> None:
    refused(line.send("notifyJob", event("onSite", NO_JOB)), 404, "jobNotFound")


@cases("notifyJob: the event {0}", "notifyJob", Side.SELLER, over=("ontProvisioned", "teaBreak"))
def notify_no_event(line: Line, name: str) -> None:
    message = {**event("onSite", NO_JOB), "event": name}
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/event")


@cases("closeJob: without {0}", "closeJob", Side.SELLER, over=CLOSURE_REQUIRED)
def close_without(line: Line, name: str) -> None:
    message = close(NO_JOB)
    del message[name]
    refused(line.send("closeJob", message), 422, "invalidMessage", field=f"/{name}")


@case("closeJob: a secondary code without its description", "closeJob", Side.SELLER)
def close_half(line: Line) -> None:
    message = {**close(NO_JOB), "secondaryClosureCode": "CON01"}
    refused(line.send("closeJob", message), 422, "invalidMessage")


@case("closeJob: an unknown job", "Refusals", Side.SELLER)
def close_unknown(line: Line) -> None:
    refused(line.send("closeJob", close(NO_JOB)), 404, "jobNotFound")


@case("closeJob: the job is done, and said twice", "closeJob", Side.SELLER)
def close_job(line: Line) -> None:
    message = close(known(line, "job"))
    first, second = line.send("closeJob", message), line.send("closeJob", message)
    if accepted(first, message).body != accepted(second, message).body:
        raise Broken("The second answer is not the first.")
