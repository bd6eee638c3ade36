"""What the seller wrote, turned into domain terms. Raises `refusals.Refusal` with all problems at once."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, is_dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import UUID

from dispatch.job_pack import (
    ExpectedOnt,
    JobPack,
    Premises,
    SiteAddress,
    SiteAdvice,
    SiteContact,
)
from dispatch.jobs import ProvisioningAnswer
from dispatch.states import JobType
from engineers.input_values import UNSTORABLE
from seller_link.wire.v1 import contract, refusals, unreadable_bodies
from seller_link.wire.v1.contract import parse_instant
from seller_link.wire.v1.fault_reports import fault_report
from seller_link.wire.v1.refusals import Detail
from seller_link.wire.v1.unreadable_bodies import MAX_DEPTH

OPERATIONS = ("createJob", "cancelJob", "notifyJob")
# up to here a float is a whole number without a loss
MAX_EXACT = 2**53


@dataclass(frozen=True)
class Envelope:
    """What every message carries; job ids empty where the message has none."""

    message_id: UUID
    sent_at: datetime
    seller_job_id: str
    provider_job_id: str


@dataclass(frozen=True)
class Cancellation:
    reason_code: str
    reason: str


@dataclass(frozen=True)
class Provisioning:
    answer: ProvisioningAnswer
    occurred_at: datetime


def parse(raw: bytes) -> dict[str, Any]:
    """The body as an object, or 400 invalidBody."""
    try:
        text = raw.decode("utf-8")
        body = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_number, object_pairs_hook=_object
        )
    except UnicodeDecodeError as problem:
        raise refusals.invalid_body("The body is not UTF-8.") from problem
    except (ValueError, RecursionError) as problem:
        raise unreadable_bodies.explain_unreadable(text, problem) from problem
    if not isinstance(body, dict):
        raise refusals.invalid_body("The body is not a JSON object.")
    _refuse_unstorable(text, body)
    return body


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)


def _number(text: str) -> float:
    """60.0 is 60 in JSON: a message that writes it the other way is still the same."""
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise ValueError(text)
    return int(number) if number.is_integer() and abs(number) < MAX_EXACT else number


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two values for one member: taking either would be a guess."""
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("a member twice")
    return found


def _refuse_unstorable(text: str, body: dict[str, Any]) -> None:
    """Texts that no database keeps faithfully, and nesting that only an attacker needs."""
    # UTF-8 has no half pairs and JSON no bare NUL: they come as escapes, which most bodies have none of
    escaped = "\\u" in text
    level: list[Any] = [body]
    for _depth in range(MAX_DEPTH):
        children = [child for value in level for child in _children(value)]
        if escaped and any(isinstance(child, str) and UNSTORABLE.search(child) for child in children):
            raise unreadable_bodies.explain_unstorable(body)
        level = [child for child in children if isinstance(child, dict | list)]
        if not level:
            return
    raise unreadable_bodies.nested_too_deeply()


def _children(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return chain(value, value.values()) if isinstance(value, dict) else value


def without_nulls(value: Any) -> Any:
    """`null` for a member means that it is absent (job-messages.md, Transport), at every depth."""
    if isinstance(value, dict):
        return {name: without_nulls(member) for name, member in value.items() if member is not None}
    return [without_nulls(member) for member in value] if isinstance(value, list) else value


def check(operation: str, body: dict[str, Any]) -> None:
    """422 with every problem: the schema's, and those that a schema cannot say."""
    details = [*contract.problems(operation, body), *contract.instant_problems(operation, body)]
    if operation == "createJob":
        details += _order_problems(body) + _coordinate_problems(body) + contract.window_problems(body)
    if operation == "notifyJob":
        details += contract.result_problems(body)
    if details:
        raise refusals.invalid_message(details)


def _part(body: dict[str, Any], name: str) -> dict[str, Any]:
    part = body.get(name)
    return part if isinstance(part, dict) else {}


def _order_problems(body: dict[str, Any]) -> list[Detail]:
    orders = body.get("orderReferences")
    if (
        not isinstance(orders, dict)
        or orders.get("buyerOrderReference")
        or orders.get("sellerOrderReference")
    ):
        return []
    return [
        Detail(
            "/orderReferences", "missingProperty", "Give buyerOrderReference, sellerOrderReference or both."
        )
    ]


def _coordinate_problems(body: dict[str, Any]) -> list[Detail]:
    present = {"latitude", "longitude"} & {*_part(body, "property")}
    if len(present) != 1:
        return []
    missing = ({"latitude", "longitude"} - present).pop()
    return [Detail(f"/property/{missing}", "missingProperty", "Give both coordinates or neither.")]


def envelope(body: dict[str, Any]) -> Envelope:
    return Envelope(
        message_id=UUID(body["messageId"]),
        sent_at=parse_instant(body["sentAt"]),
        seller_job_id=body.get("sellerJobId", ""),
        provider_job_id=body.get("providerJobId", ""),
    )


def job_pack(body: dict[str, Any]) -> JobPack:
    """createJob as a job pack; unknown members are ignored, also when two packs are compared."""
    orders, product = body["orderReferences"], body["product"]
    pack = JobPack(
        seller_job_id=body["sellerJobId"],
        job_type=JobType(body["jobType"]),
        product_name=product["productName"],
        line_profile=product.get("lineProfile", ""),
        premises=_premises(body["property"]),
        contact=SiteContact(**_texts(body["siteContact"], name="name", phone="phone", email="email")),
        window_start=parse_instant(body["appointment"]["start"]),
        window_end=parse_instant(body["appointment"]["end"]),
        reservation_key=body["appointment"].get("reservationKey", ""),
        buyer_order_reference=orders.get("buyerOrderReference", ""),
        seller_order_reference=orders.get("sellerOrderReference", ""),
        service_identifier=body.get("serviceIdentifier", ""),
        duration_minutes=_whole(body.get("expectedDurationMinutes")),
        advice=SiteAdvice(
            **_texts(
                body.get("site", {}),
                access_restrictions="accessRestrictions",
                preferred_ont_location="preferredOntLocation",
                hazards="hazards",
                notes="notes",
            )
        ),
        ont=ExpectedOnt(
            **_texts(
                body.get("ont", {}), vendor="vendor", model="model", fsan="fsan", serial_number="serialNumber"
            )
        ),
        network=body.get("network", {}),
        previous_provider_job_id=body.get("previousProviderJobId", ""),
        fault=fault_report(body["fault"]) if body.get("fault") else None,
    )
    return replace(pack, content_sha256=fingerprint(_content(pack)))


def _content(pack: JobPack) -> dict[str, Any]:
    """Without what profile 1.1 added and this pack does not have: a job of 1.0 that comes again is still the same."""
    return {name: value for name, value in vars(pack).items() if name != "fault" or value}


def _premises(property_body: dict[str, Any]) -> Premises:
    address = property_body["address"]
    # a system with three fields for lines sends all of them
    lines = tuple(line for line in address["lines"] if line)
    coordinates = property_body.get("latitude"), property_body.get("longitude")
    # a system that does not know them writes zeros; no premises lie in the sea off Africa
    latitude, longitude = (None, None) if coordinates == (0, 0) else coordinates
    return Premises(
        uprn=property_body["uprn"],
        address=SiteAddress(lines, address.get("town", ""), address["postcode"]),
        latitude=latitude,
        longitude=longitude,
        classification=property_body.get("classification", ""),
        flags=tuple(property_body.get("flags", [])),
    )


def _texts(part: dict[str, Any], **names: str) -> dict[str, str]:
    return {ours: part.get(theirs, "") for ours, theirs in names.items()}


def _whole(minutes: float | None) -> int | None:
    """JSON Schema calls 60.0 an integer too."""
    return None if minutes is None else int(minutes)


def cancellation(body: dict[str, Any]) -> Cancellation:
    reason = body.get("reason", {})
    return Cancellation(reason_code=reason.get("code", ""), reason=reason.get("message", ""))


def provisioning(body: dict[str, Any]) -> Provisioning:
    result = body["result"]
    scan_id = UUID(body["scanId"]) if "scanId" in body else None
    answer = ProvisioningAnswer(
        result_id=int(result["id"]),
        success=result["success"],
        details=result.get("details", ""),
        scan_id=scan_id,
    )
    return Provisioning(answer, parse_instant(body["occurredAt"]))


def answer(body: dict[str, Any], *, provider_job_id: str) -> dict[str, Any]:
    """The answer to an accepted request (job-messages.md, Members of every request), ids as they came."""
    return {
        "messageId": body["messageId"],
        "correlationId": body.get("correlationId"),
        "providerJobId": provider_job_id,
    }


def fingerprint(content: Any) -> str:
    """Equal for equal content, whatever the order of members and the blanks between them."""
    return hashlib.sha256(_canonical.encode(content).encode()).hexdigest()


def _members_or_text(value: Any) -> Any:
    return vars(value) if is_dataclass(value) else str(value)


_canonical = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_members_or_text
)


def format_body(body: dict[str, Any]) -> str:
    """The body as it is kept, unknown members included."""
    return json.dumps(body, ensure_ascii=False)
