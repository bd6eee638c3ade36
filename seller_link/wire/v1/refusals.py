"""Refusals as the seller reads them (job-messages.md, Refusals)."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engineers.input_values import parse_foreign_json

# of each text of a fault that is too long to be stored whole
LONGEST_TEXT = 500
STATUS, CODE = re.compile(r"\d{3}"), re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")


@dataclass(frozen=True, order=True)
class Detail:
    """One problem: a JSON pointer to the member, one of the four codes, a sentence."""

    field: str
    code: str
    message: str

    @classmethod
    def at(cls, parts: Sequence[str], code: str, message: str) -> "Detail":
        escaped = [part.replace("~", "~0").replace("/", "~1") for part in parts]
        return cls("/" + "/".join(escaped), code, message)


@dataclass(eq=False)
class Refusal(Exception):
    """An HTTP status and a fault body; raised anywhere on the way in, nothing has changed."""

    status: int
    faultcode: str
    message: str
    details: tuple[Detail, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()

    def body(self) -> dict[str, Any]:
        details = [
            {"field": detail.field, "code": detail.code, "message": detail.message} for detail in self.details
        ]
        return {"fault": {"faultcode": self.faultcode, "faultmessage": self.message, "detail": details}}


@dataclass(frozen=True)
class ReadFault:
    """A refusal of the other side as far as it keeps to the contract; `code`, `message` and the texts of a detail may
    be empty."""

    status: str
    code: str
    message: str
    details: tuple[Detail, ...]


def read_fault(text: str) -> ReadFault | None:
    """A stored refusal, `<status> <body>`; None where the body has nothing of a fault as the contract has it. A missing
    text is empty, and a detail that cannot be read is left out."""
    status, _blank, body = text.partition(" ")
    try:
        fault = parse_foreign_json(body)["fault"]
        details = filter(None, map(_read_detail, fault.get("detail") or []))
        found = ReadFault(status, _text(fault, "faultcode"), _text(fault, "faultmessage"), tuple(details))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    return found if found.code or found.message or found.details else None


def _read_detail(detail: Any) -> Detail | None:
    if not isinstance(detail, dict):
        return None
    field, code, message = (_text(detail, name) for name in ("field", "code", "message"))
    # the code says what is wrong where no sentence does
    return Detail(field or "/", code, message or code) if field or code or message else None


def _text(members: dict[str, Any], name: str) -> str:
    value = members.get(name)
    return "" if value is None else str(value)


def fault_code(text: str) -> str:
    """Status and faultcode of a stored refusal, where both are as the contract has them: nothing that could name a
    person."""
    status, fault = text.partition(" ")[0], read_fault(text)
    code = fault.code if fault and CODE.fullmatch(fault.code) else ""
    return f"{status} {code}".rstrip() if STATUS.fullmatch(status) else ""


def describe_fault(text: str) -> str:
    """A stored refusal in one line: each field with its sentence (a fault of the whole message has none), or what came
    where it is no fault."""
    fault = read_fault(text)
    if fault is None:
        return text
    details = [
        f"{detail.field}: {detail.message}".removeprefix("/: ").removesuffix(": ") for detail in fault.details
    ]
    return " ".join([fault.status, *(details or [fault.message or fault.code])])


def shorten_fault(text: str, *, longest: int) -> str:
    """A refusal, `<status> <body>`, in `longest` characters, of which a fault needs a few thousand: it stays JSON with
    the beginning of each text and its first details, and the last detail says how many are left out. What is no fault
    is cut."""
    if len(text) <= longest:
        return text
    fault = read_fault(text)
    if fault is None:
        return text[:longest]
    details = [_shorten_detail(detail) for detail in fault.details]
    left, fitting = longest - len(_write_fault(fault, (), left_out=len(details))), 0
    for detail in details:
        left -= len(json.dumps(vars(detail), ensure_ascii=False)) + len(", ")
        if left < 0:
            break
        fitting += 1
    return _write_fault(fault, tuple(details[:fitting]), left_out=len(details) - fitting)


def shorten_answer(status: int | None, answer: str, *, longest: int) -> str:
    """The body of any answer, a fault as shorten_fault leaves it."""
    return shorten_fault(f"{status} {answer}", longest=longest).partition(" ")[2]


def _shorten_detail(detail: Detail) -> Detail:
    return Detail(detail.field[:LONGEST_TEXT], detail.code[:LONGEST_TEXT], detail.message[:LONGEST_TEXT])


def _write_fault(fault: ReadFault, details: tuple[Detail, ...], *, left_out: int) -> str:
    note = Detail("/", "", f"Further details left out: {left_out}.")
    short = Refusal(
        0, fault.code[:LONGEST_TEXT], fault.message[:LONGEST_TEXT], (*details, note) if left_out else details
    )
    return f"{fault.status} {json.dumps(short.body(), ensure_ascii=False)}"


def invalid_body(message: str, *, path: Sequence[str] = ()) -> Refusal:
    """`path` to the member that is wrong; none for the whole message."""
    return Refusal(400, "invalidBody", message, (Detail.at(path, "invalidFormat", message),))


def invalid_message(details: Iterable[Detail]) -> Refusal:
    found = tuple(details)
    text = "The message breaks the contract in 1 place." if len(found) == 1 else ""
    return Refusal(
        422, "invalidMessage", text or f"The message breaks the contract in {len(found)} places.", found
    )


def missing_credentials() -> Refusal:
    return Refusal(401, "missingCredentials", "A client certificate is required.")


def access_denied() -> Refusal:
    return Refusal(403, "accessDenied", "This certificate or address is not on the allow list.")


def unknown_operation() -> Refusal:
    return Refusal(404, "operationNotFound", "Unknown operation. Use createJob, cancelJob or notifyJob.")


def method_not_allowed() -> Refusal:
    return Refusal(405, "methodNotAllowed", "Use POST.", headers=(("Allow", "POST"),))


def too_large(limit_bytes: int) -> Refusal:
    return Refusal(413, "tooLarge", f"A message can be at most {limit_bytes} bytes.")


def header_too_large(limit_bytes: int) -> Refusal:
    return Refusal(413, "tooLarge", f"Request headers can be at most {limit_bytes} bytes.")


def unsupported_media_type() -> Refusal:
    return Refusal(415, "unsupportedMediaType", "Send Content-Type: application/json.")


# our own choice, not the contract's: long enough for a restart of the database
RETRY_AFTER_SECONDS = 5
RETRY_STATUS = 503


def retry_later() -> Refusal:
    return Refusal(
        RETRY_STATUS,
        "tryAgain",
        "The message was not stored. Send it again.",
        headers=(("Retry-After", str(RETRY_AFTER_SECONDS)),),
    )


def job_not_found(member: str = "providerJobId") -> Refusal:
    detail = Detail(f"/{member}", "invalidValue", f"No job has this {member}.")
    return Refusal(404, "jobNotFound", "Unknown job.", (detail,))


def duplicate_job(provider_job_id: str, *, is_closed: bool, is_started: bool) -> Refusal:
    known = f"The {'closed ' if is_closed else ''}job {provider_job_id} has this sellerJobId"
    if is_closed:
        remedy = "Create a job with a new one."
    elif is_started:
        remedy = "The engineer was or is on site. Call the dispatch office."
    else:
        remedy = "Cancel it and create a job with a new one."
    detail = Detail("/sellerJobId", "invalidValue", f"{known} with different content. {remedy}")
    return Refusal(409, "duplicateJob", "The job exists with different content.", (detail,))


def job_cancelled(provider_job_id: str) -> Refusal:
    text = (
        f"The job {provider_job_id} has this sellerJobId and was cancelled. Create a new job with a new one."
    )
    return Refusal(
        409, "jobCancelled", "The job was cancelled.", (Detail("/sellerJobId", "invalidValue", text),)
    )


def message_id_reused() -> Refusal:
    detail = Detail("/messageId", "invalidValue", "This messageId was used for another body. Use a new one.")
    return Refusal(409, "messageIdReused", "The messageId is taken.", (detail,))


def installation_started(member: str = "providerJobId") -> Refusal:
    text = "The engineer of this job was or is on site. Call the dispatch office; they can end the visit."
    return Refusal(
        409,
        "installationStarted",
        "The engineer was or is on site; the job can no longer be cancelled.",
        (Detail(f"/{member}", "invalidValue", text),),
    )


def job_closed(member: str = "providerJobId") -> Refusal:
    text = "This job is closed and cannot be cancelled. Another visit needs a job of its own (createJob)."
    return Refusal(409, "jobClosed", "The job is closed.", (Detail(f"/{member}", "invalidValue", text),))
