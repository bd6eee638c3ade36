"""What a seller asks of a partner: createJob."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from seller_link.conformance.cases import (
    FAULT,
    OPTIONAL,
    Broken,
    ConformanceSide,
    accepted,
    cancel,
    case,
    cases,
    create,
    fresh,
    minimal,
    now,
    refused,
)
from seller_link.conformance.conformance_client import ConformanceClient

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


@case("createJob: everything", "createJob", ConformanceSide.PARTNER)
def create_everything(line: ConformanceClient) -> None:
    message = create()
    if not accepted(line.send("createJob", message), message).body.get("providerJobId"):
        raise Broken("The answer lacks providerJobId.")


@case("createJob: only what is required", "createJob", ConformanceSide.PARTNER)
def create_minimal(line: ConformanceClient) -> None:
    message = minimal()
    accepted(line.send("createJob", message), message)


@cases("createJob: for {0}", "createJob", ConformanceSide.PARTNER, over=("revisit", "external", "civils"))
def create_type(line: ConformanceClient, job_type: str) -> None:
    message = create(jobType=job_type)
    accepted(line.send("createJob", message), message)


@cases("createJob: without {0}", "createJob", ConformanceSide.PARTNER, over=REQUIRED)
def create_without(line: ConformanceClient, pointer: str) -> None:
    message = create()
    parent, name = _inside(message, pointer)
    del parent[name]
    refused(line.send("createJob", message), 422, "invalidMessage", field=pointer)


@cases("createJob: {0}", "createJob", ConformanceSide.PARTNER, over=WRONG)
def create_wrong(line: ConformanceClient, wrong: tuple[str, str, Any]) -> None:
    _description, pointer, value = wrong
    message = create()
    parent, name = _inside(message, pointer)
    parent[name] = value
    refused(line.send("createJob", message), 422, "invalidMessage", field=pointer)


WINDOWS: tuple[tuple[str, dict[str, float], dict[str, float]], ...] = (
    ("longer than 31 days", {"days": 2}, {"days": 34}),
    ("six years ahead", {"days": 6 * 366}, {"days": 6 * 366 + 1}),
    ("six years ago", {"days": -6 * 366}, {"days": -6 * 366 + 1}),
)
# an offset may carry an instant beyond the calendar
SENTINELS = (
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59-05:00",
)


@cases("createJob: an appointment {0}", "createJob", ConformanceSide.PARTNER, over=WINDOWS)
def create_far(line: ConformanceClient, window: tuple[str, dict[str, float], dict[str, float]]) -> None:
    _description, start, end = window
    message = create(appointment={"start": now(**start), "end": now(**end)})
    refused(line.send("createJob", message), 422, "invalidMessage", field="/appointment/end")


@cases("createJob: an appointment from {0}", "createJob", ConformanceSide.PARTNER, over=SENTINELS)
def create_sentinel(line: ConformanceClient, start: str) -> None:
    message = create(appointment={"start": start, "end": now(days=2)})
    refused(line.send("createJob", message), 422, "invalidMessage", field="/appointment/start")


@case("createJob: on the day of the appointment", "createJob", ConformanceSide.PARTNER)
def create_late(line: ConformanceClient) -> None:
    message = create(appointment={"start": now(hours=-3), "end": now(hours=3)})
    accepted(line.send("createJob", message), message)


@cases(
    "createJob: sentAt {0} is a clock difference",
    "Members of every request",
    ConformanceSide.PARTNER,
    over=SENTINELS,
)
def create_wrong_clock(line: ConformanceClient, sent_at: str) -> None:
    message = create(sentAt=sent_at)
    accepted(line.send("createJob", message), message)


@case("createJob: every optional member null", "Transport", ConformanceSide.PARTNER)
def create_nulls(line: ConformanceClient) -> None:
    message = {**create(), **dict.fromkeys((*OPTIONAL, "fault"))}
    message["property"] |= dict.fromkeys(("latitude", "longitude", "classification", "flags"))
    message["siteContact"]["email"] = None
    message["product"]["lineProfile"] = None
    accepted(line.send("createJob", message), message)


@cases("createJob: {0} null", "Transport", ConformanceSide.PARTNER, over=REQUIRED)
def create_null(line: ConformanceClient, pointer: str) -> None:
    message = create()
    parent, name = _inside(message, pointer)
    parent[name] = None
    refused(line.send("createJob", message), 422, "invalidMessage", field=pointer)


@case("createJob: a revisit with its fault report", "createJob", ConformanceSide.PARTNER)
def create_fault(line: ConformanceClient) -> None:
    message = create(jobType="revisit", fault={**FAULT, "faultStartTime": now(days=-2)})
    accepted(line.send("createJob", message), message)


@case("createJob: each wrong member of a fault report is named", "createJob", ConformanceSide.PARTNER)
def create_wrong_fault(line: ConformanceClient) -> None:
    wrong = {"description": 5, "faultStartTime": "yesterday", "triageFindings": "ONT offline", "files": {}}
    reply = line.send("createJob", create(jobType="revisit", fault={**FAULT, **wrong}))
    for name in wrong:
        refused(reply, 422, "invalidMessage", field=f"/fault/{name}")


@case("createJob: a job that was cancelled, again", "createJob", ConformanceSide.PARTNER)
def create_cancelled(line: ConformanceClient) -> None:
    first = create()
    job = str(accepted(line.send("createJob", first), first).body["providerJobId"])
    over = cancel(job)
    accepted(line.send("cancelJob", over), over)
    reply = refused(line.send("createJob", fresh(first)), 409, "jobCancelled")
    if job not in str(reply.body["fault"]["detail"]):
        raise Broken("The detail lacks the providerJobId of the cancelled job.")


@case("createJob: the appointment ends before it starts", "createJob", ConformanceSide.PARTNER)
def create_backwards(line: ConformanceClient) -> None:
    message = create(appointment={"start": now(days=2), "end": now(days=1)})
    refused(line.send("createJob", message), 422, "invalidMessage")


@case("createJob: all problems at once", "Refusals", ConformanceSide.PARTNER)
def create_all_problems(line: ConformanceClient) -> None:
    message = create(jobType="holiday")
    del message["siteContact"]
    reply = refused(line.send("createJob", message), 422, "invalidMessage", field="/siteContact")
    refused(reply, 422, field="/jobType")


@case("createJob: unknown members are ignored", "Transport", ConformanceSide.PARTNER)
def create_unknown(line: ConformanceClient) -> None:
    message = create(aNewMember={"of": ["a", "later", "version"]})
    accepted(line.send("createJob", message), message)


@case("createJob: an unknown property flag is taken", "Transport", ConformanceSide.PARTNER)
def create_flag(line: ConformanceClient) -> None:
    message = create()
    message["property"]["flags"] = ["CHP", "NEWFLAG"]
    accepted(line.send("createJob", message), message)


@case("createJob: other alphabets", "Transport", ConformanceSide.PARTNER)
def create_alphabets(line: ConformanceClient) -> None:
    message = create()
    message["siteContact"]["name"] = "Žofie Ó Ceallaigh 王 🏠"
    accepted(line.send("createJob", message), message)


@cases(
    "createJob: an instant like {0}",
    "Transport",
    ConformanceSide.PARTNER,
    over=("Z", "+00:00", "+05:30", ".123Z"),
)
def create_instant(line: ConformanceClient, ending: str) -> None:
    message = create(sentAt=now()[:19] + ending)
    accepted(line.send("createJob", message), message)


@case("createJob: the same message again", "Members of every request", ConformanceSide.PARTNER)
def create_again(line: ConformanceClient) -> None:
    message = create()
    first, second = line.send("createJob", message), line.send("createJob", message)
    if accepted(first, message).body != accepted(second, message).body:
        raise Broken("The second answer is not the first.")


@case("createJob: the same messageId, another body", "Members of every request", ConformanceSide.PARTNER)
def create_reused(line: ConformanceClient) -> None:
    message = create()
    accepted(line.send("createJob", message), message)
    refused(line.send("createJob", {**message, "jobType": "civils"}), 409, "messageIdReused")


@case(
    "createJob: a refused message does not hold its id", "Members of every request", ConformanceSide.PARTNER
)
def create_corrected(line: ConformanceClient) -> None:
    message = create()
    refused(line.send("createJob", {**message, "jobType": "holiday"}), 422, "invalidMessage")
    accepted(line.send("createJob", message), message)


@case("createJob: the same job in another message", "createJob", ConformanceSide.PARTNER)
def create_same_job(line: ConformanceClient) -> None:
    first = create()
    again = fresh(first)
    jobs = {accepted(line.send("createJob", body), body).body["providerJobId"] for body in (first, again)}
    if len(jobs) != 1:
        raise Broken("One sellerJobId got two providerJobIds.")


@case("createJob: the same sellerJobId, another content", "createJob", ConformanceSide.PARTNER)
def create_other_content(line: ConformanceClient) -> None:
    first = create()
    accepted(line.send("createJob", first), first)
    refused(line.send("createJob", fresh(first, jobType="civils")), 409, "duplicateJob")


@case("createJob: ten times at once", "createJob", ConformanceSide.PARTNER)
def create_at_once(line: ConformanceClient) -> None:
    message = create()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        replies = list(pool.map(lambda _turn: line.send("createJob", message), range(AT_ONCE)))
    if len({accepted(reply, message).body["providerJobId"] for reply in replies}) != 1:
        raise Broken("One message made several jobs.")
