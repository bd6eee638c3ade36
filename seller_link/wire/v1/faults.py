"""Refusals as the seller reads them (job-messages.md, Refusals)."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


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
    """A refusal of the other side as far as it keeps to the contract; `code` and `message` may be empty."""

    status: str
    code: str
    message: str
    details: tuple[Detail, ...]


def read_fault(text: str) -> ReadFault | None:
    """A stored refusal, `<status> <body>`; None where the body is no fault as the contract has it."""
    status, _blank, body = text.partition(" ")
    try:
        fault = json.loads(body)["fault"]
        details = tuple(
            Detail(str(detail["field"]), str(detail.get("code", "")), str(detail["message"]))
            for detail in fault.get("detail") or []
        )
        return ReadFault(status, str(fault.get("faultcode", "")), str(fault.get("faultmessage", "")), details)
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None


def describe_fault(text: str) -> str:
    """A stored refusal in one line: each field with its sentence (a fault of the whole message has none), or what came
    where it is no fault."""
    fault = read_fault(text)
    if fault is None:
        return text
    details = [f"{detail.field}: {detail.message}".removeprefix("/: ") for detail in fault.details]
    return " ".join(filter(None, [fault.status, *details])) if details else f"{fault.status} {fault.message}"


def invalid_body(message: str) -> Refusal:
    return Refusal(400, "invalidBody", message, (Detail("/", "invalidFormat", message),))


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


def retry_later(*, after_seconds: int = RETRY_AFTER_SECONDS) -> Refusal:
    return Refusal(
        RETRY_STATUS,
        "tryAgain",
        "The message was not stored. Send it again.",
        headers=(("Retry-After", str(after_seconds)),),
    )


def job_not_found(member: str = "providerJobId") -> Refusal:
    detail = Detail(f"/{member}", "invalidValue", f"No job has this {member}.")
    return Refusal(404, "jobNotFound", "Unknown job.", (detail,))


def duplicate_job(provider_job_id: str, *, is_closed: bool) -> Refusal:
    known = f"The {'closed ' if is_closed else ''}job {provider_job_id} has this sellerJobId"
    remedy = "Create" if is_closed else "Cancel it and create"
    detail = Detail(
        "/sellerJobId", "invalidValue", f"{known} with different content. {remedy} a job with a new one."
    )
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


def installation_started() -> Refusal:
    text = "The engineer of this job is on site. Call the dispatch office; they can end the visit."
    return Refusal(
        409,
        "installationStarted",
        "The engineer is on site; the job can no longer be cancelled.",
        (Detail("/providerJobId", "invalidValue", text),),
    )


def job_closed() -> Refusal:
    text = "This job is closed and cannot be cancelled. Another visit needs a job of its own (createJob)."
    return Refusal(409, "jobClosed", "The job is closed.", (Detail("/providerJobId", "invalidValue", text),))
