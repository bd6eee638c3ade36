"""The contract with the seller for people: each operation, its members, an example, its refusals."""

import json
from dataclasses import dataclass
from typing import Any

from seller_link.wire import openapi


@dataclass(frozen=True)
class Example:
    name: str
    body: str


@dataclass(frozen=True)
class RefusalExample:
    status: str
    codes: str
    reason: str


@dataclass(frozen=True)
class ApiOperation:
    """`anchor` is unique on the page: one name may stand for both directions."""

    name: str
    anchor: str
    summary: str
    examples: list[Example]
    refusals: list[RefusalExample]


@dataclass(frozen=True)
class ApiDocsPage:
    version: str
    idempotency: str
    from_seller: list[ApiOperation]
    to_seller: list[ApiOperation]


def api_docs_page() -> ApiDocsPage:
    document = openapi.document()
    info = document["info"]
    return ApiDocsPage(
        info["version"],
        info["description"],
        [
            _operation(path.removeprefix("/"), operation["post"])
            for path, operation in document["paths"].items()
        ],
        [_operation(name, operation["post"]) for name, operation in document["webhooks"].items()],
    )


def _operation(name: str, operation: dict[str, Any]) -> ApiOperation:
    examples = operation["requestBody"]["content"]["application/json"]["examples"]
    return ApiOperation(
        name,
        operation["operationId"],
        operation["summary"],
        [Example(title, _pretty(example["value"])) for title, example in examples.items()],
        [
            _refusal(status, response)
            for status, response in operation["responses"].items()
            if not status.startswith("2")
        ],
    )


def _refusal(status: str, response: dict[str, Any]) -> RefusalExample:
    examples = response["content"]["application/json"].get("examples", {})
    return RefusalExample(status, ", ".join(examples), response["description"])


def _pretty(body: dict[str, Any]) -> str:
    return json.dumps(body, indent=2, ensure_ascii=False)
