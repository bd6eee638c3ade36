"""What a seller asks of a partner: createJob, cancelJob and provisioning results."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from seller_link.conformance.cases import Broken, Side, accepted, case, cases, refused
from seller_link.conformance.line import Line
from seller_link.conformance.messages import cancel, create, created, fresh, known, minimal, now, provisioned

AT_ONCE = 10
REQUIRED = (
    "/messageId",
    "/sentAt",
    "/sellerJobId",
    "/jobType",
    "/orderReferences",
    "/product",
    "/product/productName",
    "/property",
    "/property/address",
    "/siteContact",
    "/siteContact/name",
    "/siteContact/phone",
    "/appointment",
    "/appointment/start",
    "/appointment/end",
)
WRONG: tuple[tuple[str, str, Any], ...] = (
    ("an unknown jobType", "/jobType", "holiday"),
    ("sellerJobId a number", "/sellerJobId", 7),
    ("sellerJobId of 37 characters", "/sellerJobId", "x" * 37),
    ("orderReferences empty", "/orderReferences", {}),
    ("uprn not numeric", "/property/uprn", "12A"),
    ("latitude 91", "/property/latitude", 91),
    ("an unknown classification", "/property/classification", "Castle"),
    ("a duration of 14 minutes", "/expectedDurationMinutes", 14),
    ("a duration in words", "/expectedDurationMinutes", "long"),
    ("an appointment without an offset", "/appointment/start", "2026-11-23T08:00:00"),
)


def _inside(message: dict[str, Any], pointer: str) -> tuple[dict[str, Any], str]:
    *way, last = pointer.removeprefix("/").split("/")
    for name in way:
        message = message[name]
    return message, last


@case("createJob: everything", "createJob", Side.PARTNER)
def create_everything(line: Line) -> None:
    message = create()
    if not accepted(line.send("createJob", message), message).body.get("providerJobId"):
        raise Broken("The answer lacks providerJobId.")


@case("createJob: only what is required", "createJob", Side.PARTNER)
def create_minimal(line: Line) -> None:
    message = minimal()
    accepted(line.send("createJob", message), message)


@cases("createJob: for {0}", "createJob", Side.PARTNER, over=("revisit", "external", "civils"))
def create_type(line: Line, job_type: str) -> None:
    message = create(jobType=job_type)
    accepted(line.send("createJob", message), message)


@cases("createJob: without {0}", "createJob", Side.PARTNER, over=REQUIRED)
def create_without(line: Line, pointer: str) -> None:
    message = create()
    place, name = _inside(message, pointer)
    del place[name]
    refused(line.send("createJob", message), 422, "invalidMessage", field=pointer)


@cases("createJob: {0}", "createJob", Side.PARTNER, over=WRONG)
def create_wrong(line: Line, wrong: tuple[str, str, Any]) -> None:
    _words, pointer, value = wrong
    message = create()
    place, name = _inside(message, pointer)
    place[name] = value
    refused(line.send("createJob", message), 422, "invalidMessage", field=pointer)


@case("createJob: the appointment ends before it starts", "createJob", Side.PARTNER)
def create_backwards(line: Line) -> None:
    message = create(appointment={"start": now(days=2), "end": now(days=1)})
    refused(line.send("createJob", message), 422, "invalidMessage")


@case("createJob: all problems at once", "Refusals", Side.PARTNER)
def create_all_problems(line: Line) -> None:
    message = create(jobType="holiday")
    del message["siteContact"]
    reply = refused(line.send("createJob", message), 422, "invalidMessage", field="/siteContact")
    refused(reply, 422, field="/jobType")


@case("createJob: unknown members are ignored", "Transport", Side.PARTNER)
def create_unknown(line: Line) -> None:
    message = create(aNewMember={"of": ["a", "later", "version"]})
    accepted(line.send("createJob", message), message)


@case("createJob: an unknown property flag is taken", "Transport", Side.PARTNER)
def create_flag(line: Line) -> None:
    message = create()
    message["property"]["flags"] = ["CHP", "NEWFLAG"]
    accepted(line.send("createJob", message), message)


@case("createJob: other alphabets", "Transport", Side.PARTNER)
def create_alphabets(line: Line) -> None:
    message = create()
    message["siteContact"]["name"] = "Žofie Ó Ceallaigh 王 🏠"
    accepted(line.send("createJob", message), message)


@cases("createJob: an instant like {0}", "Transport", Side.PARTNER, over=("Z", "+00:00", "+05:30", ".123Z"))
def create_instant(line: Line, ending: str) -> None:
    message = create(sentAt=now()[:19] + ending)
    accepted(line.send("createJob", message), message)


@case("createJob: the same message again", "Members of every request", Side.PARTNER)
def create_again(line: Line) -> None:
    message = create()
    first, second = line.send("createJob", message), line.send("createJob", message)
    if accepted(first, message).body != accepted(second, message).body:
        raise Broken("The second answer is not the first.")


@case("createJob: the same messageId, another body", "Members of every request", Side.PARTNER)
def create_reused(line: Line) -> None:
    message = create()
    accepted(line.send("createJob", message), message)
    refused(line.send("createJob", {**message, "jobType": "civils"}), 409, "messageIdReused")


@case("createJob: a refused message does not hold its id", "Members of every request", Side.PARTNER)
def create_corrected(line: Line) -> None:
    message = create()
    refused(line.send("createJob", {**message, "jobType": "holiday"}), 422, "invalidMessage")
    accepted(line.send("createJob", message), message)


@case("createJob: the same job in another message", "createJob", Side.PARTNER)
def create_same_job(line: Line) -> None:
    first = create()
    again = fresh(first)
    jobs = {accepted(line.send("createJob", one), one).body["providerJobId"] for one in (first, again)}
    if len(jobs) != 1:
        raise Broken("One sellerJobId got two providerJobIds.")


@case("createJob: the same sellerJobId, another content", "createJob", Side.PARTNER)
def create_other_content(line: Line) -> None:
    first = create()
    accepted(line.send("createJob", first), first)
    refused(line.send("createJob", fresh(first, jobType="civils")), 409, "duplicateJob")


@case("createJob: ten times at once", "createJob", Side.PARTNER)
def create_at_once(line: Line) -> None:
    message = create()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        replies = list(pool.map(lambda _turn: line.send("createJob", message), range(AT_ONCE)))
    if len({accepted(reply, message).body["providerJobId"] for reply in replies}) != 1:
        raise Broken("One message made several jobs.")


@case("cancelJob: a job that nobody has begun", "cancelJob", Side.PARTNER)
def cancel_job(line: Line) -> None:
    message = cancel(created(line))
    accepted(line.send("cancelJob", message), message)


@case("cancelJob: without a reason", "cancelJob", Side.PARTNER)
def cancel_without_reason(line: Line) -> None:
    message = cancel(created(line))
    del message["reason"]
    accepted(line.send("cancelJob", message), message)


@case("cancelJob: twice", "cancelJob", Side.PARTNER)
def cancel_twice(line: Line) -> None:
    job = created(line)
    for message in (cancel(job), cancel(job)):
        accepted(line.send("cancelJob", message), message)


@case("cancelJob: an unknown job", "Refusals", Side.PARTNER)
def cancel_unknown(line: Line) -> None:
    refused(line.send("cancelJob", cancel("CONF-NO-SUCH-JOB")), 404, "jobNotFound", field="/providerJobId")


@case("cancelJob: without providerJobId", "Members of every request", Side.PARTNER)
def cancel_nothing(line: Line) -> None:
    message = cancel("")
    del message["providerJobId"]
    refused(line.send("cancelJob", message), 422, "invalidMessage", field="/providerJobId")


@case("cancelJob: the engineer is on site", "cancelJob", Side.PARTNER)
def cancel_on_site(line: Line) -> None:
    refused(line.send("cancelJob", cancel(known(line, "started-job"))), 409, "installationStarted")


@case("cancelJob: a closed job", "cancelJob", Side.PARTNER)
def cancel_closed(line: Line) -> None:
    refused(line.send("cancelJob", cancel(known(line, "closed-job"))), 409, "jobClosed")


@cases("notifyJob: provisioning result {0}", "notifyJob", Side.PARTNER, over=range(1, 8))
def notify_result(line: Line, result: int) -> None:
    message = provisioned(created(line), result=result)
    accepted(line.send("notifyJob", message), message)


@cases("notifyJob: provisioning result {0} does not exist", "notifyJob", Side.PARTNER, over=(0, 8))
def notify_no_result(line: Line, result: int) -> None:
    message = provisioned("CONF-NO-SUCH-JOB", result=result)
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/result/id")


@case("notifyJob: a result for a cancelled job", "notifyJob", Side.PARTNER)
def notify_late(line: Line) -> None:
    job = created(line)
    for operation, message in (("cancelJob", cancel(job)), ("notifyJob", provisioned(job))):
        accepted(line.send(operation, message), message)


@case("notifyJob: a result for a closed job", "notifyJob", Side.PARTNER)
def notify_closed(line: Line) -> None:
    message = provisioned(known(line, "closed-job"))
    accepted(line.send("notifyJob", message), message)


@case("notifyJob: an unknown job (partner)", "Refusals", Side.PARTNER)
def notify_unknown(line: Line) -> None:
    refused(line.send("notifyJob", provisioned("CONF-NO-SUCH-JOB")), 404, "jobNotFound")


@case("notifyJob: an event that goes the other way (partner)", "notifyJob", Side.PARTNER)
def notify_other_way(line: Line) -> None:
    message = {**provisioned("CONF-NO-SUCH-JOB"), "event": "onSite"}
    refused(line.send("notifyJob", message), 422, "invalidMessage", field="/event")
