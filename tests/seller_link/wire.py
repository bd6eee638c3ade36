"""Example messages of the seller's, with members changed or left out."""

import json
import uuid
from pathlib import Path
from typing import Any

# by path: callers in processes of their own have no Django
EXAMPLES = Path(__file__).parents[2] / "seller_link" / "wire" / "v1" / "examples"
LEFT_OUT = object()
# of createJob, as its example has them; more are only in some messages
OPTIONAL_MEMBERS = [
    "correlationId",
    "serviceIdentifier",
    "orderReferences__buyerOrderReference",
    "product__lineProfile",
    "property__address__town",
    "property__classification",
    "property__flags",
    "siteContact__email",
    "site",
    "site__hazards",
    "appointment__reservationKey",
    "expectedDurationMinutes",
    "ont",
    "network",
    "previousProviderJobId",
]


def message(operation: str, **changes: object) -> dict[str, Any]:
    """The example of an operation under a fresh message id; `property__uprn=LEFT_OUT` leaves a member out."""
    body: dict[str, Any] = json.loads((EXAMPLES / f"{operation}.json").read_text())
    body["messageId"] = str(uuid.uuid4())
    for name, value in changes.items():
        put(body, name.split("__"), value)
    return body


def put(body: dict[str, Any], path: list[str], value: object) -> None:
    for part in path[:-1]:
        body = body[part]
    if value is LEFT_OUT:
        del body[path[-1]]
    else:
        body[path[-1]] = value


def raw(body: object) -> bytes:
    return json.dumps(body).encode()
