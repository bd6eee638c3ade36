"""What can still be read of a message that is kept as text, also of one that was refused or never understood."""

import json
import re
from datetime import datetime
from typing import Any

from seller_link.wire.v1 import contract
from seller_link.wire.v1.contract import parse_instant

READABLE_ID = re.compile("[0-9A-Za-z-]{1,64}")


def decode_stored_body(raw: bytes) -> str:
    """A refused body as far as a database and a person can read it."""
    return raw.decode("utf-8", errors="replace").replace("\0", "␀")


def read_message_id(raw: bytes) -> str:
    """The message id of a refused body, when it has one that can be read."""
    return _read_member("messageId", raw)


def read_job_ids(raw: bytes) -> tuple[str, str]:
    """Our job id and the seller's in a refused body, each "" when it cannot be read."""
    return _read_member("providerJobId", raw), _read_member("sellerJobId", raw)


def _read_member(member: str, raw: bytes) -> str:
    """A member of the body itself; where that is no JSON, the first one that looks like it."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        found = re.search(rb'"%s"\s*:\s*"([0-9A-Za-z-]{1,64})"' % member.encode(), raw)
        return found.group(1).decode() if found else ""
    value = body.get(member) if isinstance(body, dict) else None
    return value if isinstance(value, str) and READABLE_ID.fullmatch(value) else ""


def read_event_time(raw: str, *, received_at: datetime) -> datetime | None:
    """When what a stored message reports happened, by the seller's clock where that is right; None where it cannot be
    read, or is no time that a page could show."""
    occurred_at = _stored_instant("occurredAt", raw)
    if occurred_at is not None:
        return occurred_at if contract.is_near(occurred_at) else None
    sent_at = _stored_instant("sentAt", raw)
    return None if sent_at is None else contract.event_time(sent_at, received_at=received_at)


def read_wrong_clock(raw: str, *, received_at: datetime) -> str:
    """`sentAt` as it was written, where it is more than 24 hours from our clock; else empty."""
    sent_at = _stored_instant("sentAt", raw)
    is_wrong = sent_at is not None and contract.is_clock_wrong(sent_at, received_at)
    return str(json.loads(raw)["sentAt"]) if is_wrong else ""


def _stored_instant(member: str, raw: str) -> datetime | None:
    try:
        return parse_instant(json.loads(raw)[member])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _harmless(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, True)


# members of any message or answer that say nothing about a person, by their path: ids, codes, times, numbers, order
# references and product. Whatever else a seller sends, also under a name that nobody knows, may say anything
HARMLESS_MEMBERS: dict[str, Any] = {
    **_harmless(
        "messageId", "sentAt", "correlationId", "sellerJobId", "providerJobId", "previousProviderJobId"
    ),
    **_harmless("event", "occurredAt", "plannedStart", "plannedEnd", "scanId", "closedAt"),
    **_harmless("closureCode", "secondaryClosureCode", "secondaryClosureCodeDescription"),
    **_harmless("jobType", "serviceIdentifier", "expectedDurationMinutes"),
    "orderReferences": _harmless("buyerOrderReference", "sellerOrderReference"),
    "product": _harmless("productName", "lineProfile"),
    "property": _harmless("classification", "flags"),
    "appointment": _harmless("reservationKey", "start", "end"),
    "ont": _harmless("vendor", "model", "fsan", "serialNumber"),
    "reason": _harmless("code"),
    "engineer": _harmless("id"),
    "coordinates": _harmless("accuracyMetres"),
    # `details` is kept with the provisioning result, unless it names somebody who was erased
    "result": _harmless("id", "success"),
    "questions_answers": _harmless("question", "question_code", "response_received", "source"),
    "fault": {
        **_harmless("buyerFaultReference", "maintainerFaultReference", "faultType", "faultStartTime"),
        # of an answer that refuses a message
        "faultcode": True,
        "detail": _harmless("field", "code"),
    },
}
