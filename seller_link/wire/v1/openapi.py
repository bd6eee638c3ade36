"""The contract as one OpenAPI 3.1 document, made of the very schema files that validate.

What the seller calls here are `paths`; what we call there are `webhooks`, the part of OpenAPI 3.1 for requests that
the reader of the document has to answer. So both directions fit into one document and tools keep them apart.
"""

import json
from pathlib import Path
from typing import Any

from django.conf import settings

from seller_link.wire.v1 import contract, refusals
from seller_link.wire.v1.refusals import Detail, Refusal

EXAMPLES = Path(__file__).parent / "examples"
VERSION = "1.1.0"
INBOUND = ("createJob", "cancelJob", "notifyJob")
OUTBOUND = {"notifyJob": "notifyJob.partner", "closeJob": "closeJob"}
DESCRIPTIONS = {
    "createJob": (
        "A job pack. The same sellerJobId with the same content gets the same providerJobId; once that job was "
        "cancelled, 409 jobCancelled."
    ),
    "cancelJob": (
        "By providerJobId or sellerJobId. Accepted until the engineer is on site; a job that is cancelled already "
        "answers 200 again."
    ),
    "notifyJob": "A provisioning result. For a closed or cancelled job it is accepted and kept as a late fact.",
}
OUTBOUND_DESCRIPTIONS = {
    "notifyJob": "Engineer assigned, en route, on site, ONT scanned: in the order of events for each job.",
    "closeJob": "The job is closed, with its closure code, answers and photos; always a job's last message.",
}
IDEMPOTENCY = (
    "messageId is the idempotency key of every request. The same id with the same body gets the stored answer again "
    "and has no second effect; the same id with another body gets 409 messageIdReused. A refused message does not "
    "hold its id. Answers are sent only after the message and its effect are committed."
)
AT_ANY = [
    refusals.invalid_body("The body is not a JSON object."),
    refusals.missing_credentials(),
    refusals.access_denied(),
    refusals.method_not_allowed(),
    refusals.message_id_reused(),
    refusals.too_large(1024 * 1024),
    refusals.unsupported_media_type(),
    refusals.invalid_message([Detail("/sentAt", "missingProperty", "sentAt is required.")]),
    refusals.retry_later(),
]
AT = {
    "createJob": [
        refusals.duplicate_job("J-7K3M-92QX", is_closed=False, is_started=False),
        refusals.job_cancelled("J-7K3M-92QX"),
    ],
    "cancelJob": [refusals.job_not_found(), refusals.installation_started(), refusals.job_closed()],
    "notifyJob": [refusals.job_not_found()],
}
WHY = {
    400: "Not JSON, not an object, wrong encoding, a NUL or half a surrogate pair in a text, or nested too deep.",
    401: "No client certificate.",
    403: "Another certificate, or an address that is not on the list.",
    404: "No job has this providerJobId or sellerJobId.",
    405: "Anything but POST.",
    409: "It conflicts with what is stored; nothing has changed.",
    413: "Larger than agreed.",
    415: "Not application/json.",
    422: "It breaks the contract; every place at once.",
    503: "It could not be stored; nothing has changed. Send it again after Retry-After seconds.",
}


def document() -> dict[str, Any]:
    """OpenAPI 3.1; the same every time."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Seller link of the installation partner",
            "version": VERSION,
            "description": IDEMPOTENCY,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": settings.SELLER_INBOUND_PATH or "/", "description": "The seller server"}],
        "security": [{"mutualTLS": []}],
        "paths": {f"/{name}": {"post": _inbound(name)} for name in INBOUND},
        "webhooks": {name: {"post": _outbound(name, file)} for name, file in OUTBOUND.items()},
        "components": {
            "securitySchemes": {
                "mutualTLS": {
                    "type": "mutualTLS",
                    "description": "TLS 1.2 or newer; authority, subject and address as agreed.",
                }
            },
            "schemas": _schemas(),
        },
    }


def _inbound(name: str) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": DESCRIPTIONS[name],
        "tags": ["seller to partner"],
        "requestBody": _body(name, {name: example(name)}),
        "responses": {"200": _accepted(), **_refusals([*AT_ANY, *AT[name]])},
    }


def _outbound(name: str, file: str) -> dict[str, Any]:
    shown_example = example(file)
    return {
        "operationId": f"{name}ToSeller",
        "summary": OUTBOUND_DESCRIPTIONS[name],
        "tags": ["partner to seller"],
        "requestBody": _body(file, shown_example if file == "notifyJob.partner" else {name: shown_example}),
        "responses": {
            "200": _accepted(),
            "4XX": {
                "description": "Refused for good, but 408, 425 and 429: the job's later messages wait for a person.",
                "content": _json("fault"),
            },
            "5XX": {"description": "Not taken; we send the same messageId again.", "content": _json("fault")},
        },
    }


def _body(schema: str, examples: dict[str, Any]) -> dict[str, Any]:
    content = _json(schema)
    content["application/json"]["examples"] = {name: {"value": value} for name, value in examples.items()}
    return {"required": True, "content": content}


def _accepted() -> dict[str, Any]:
    return {
        "description": "Stored with its effect, or stored before: then this is the first answer again.",
        "content": _json("answer"),
    }


def _refusals(refusals: list[Refusal]) -> dict[str, Any]:
    """One response for each status, with an example for each fault code."""
    found: dict[str, Any] = {}
    for refusal in sorted(refusals, key=lambda refusal: refusal.status):
        response = found.setdefault(
            str(refusal.status), {"description": WHY[refusal.status], "content": _json("fault")}
        )
        examples = response["content"]["application/json"].setdefault("examples", {})
        examples[refusal.faultcode] = {"value": refusal.body()}
        for name, value in refusal.headers:
            response.setdefault("headers", {})[name] = {"schema": {"type": "string"}, "example": value}
    return found


def _json(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}


def _schemas() -> dict[str, Any]:
    names = ["answer", "fault", *INBOUND, *OUTBOUND.values()]
    whole = {name: contract.schema(name) for name in names}
    found = {name: _nullable(member) for name, member in whole["answer"]["$defs"].items()}
    for name, schema in whole.items():
        own = {key: value for key, value in schema.items() if key not in {"$schema", "$defs"}}
        found[name] = own if name in {"answer", "fault"} else _nullable(own)
    rewritten: dict[str, Any] = json.loads(
        json.dumps(found)
        .replace('"#/$defs/', '"#/components/schemas/')
        .replace('"format": "instant"', '"format": "date-time"')
    )
    return rewritten


def _nullable(schema: Any) -> Any:
    """The same schema where every optional member may be null: that is, absent (job-messages.md, Transport)."""
    if isinstance(schema, list):
        return [_nullable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: _nullable(value) for key, value in schema.items()}
    if "type" not in schema or "properties" not in schema:
        return changed
    required = schema.get("required", [])
    changed["properties"] = {
        name: item if name in required else {"anyOf": [item, {"type": "null"}]}
        for name, item in changed["properties"].items()
    }
    return changed


def example(name: str) -> dict[str, Any]:
    """The example of a message, as integrators see it; for notifyJob.partner one for each event."""
    found: dict[str, Any] = json.loads((EXAMPLES / f"{name}.json").read_text())
    return found


def text() -> str:
    """As it is kept in docs/."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"
