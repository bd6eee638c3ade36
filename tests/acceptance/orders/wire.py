"""XML to the seller's endpoints and JSON to its control interface, by the standard library and lxml."""

import json
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4
from xml.sax.saxutils import escape

from lxml import etree

SECONDS = 60
ENVELOPE = """<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"
  xmlns="urn:sandbox-seller:orders" xmlns:ext="urn:sandbox-seller:orders:extension"><soapenv:Body><{root}>
<message><messageId>{message_id}</messageId><correlationId>{correlation_id}</correlationId>
<sentAt>{sent_at}</sentAt></message>
<buyer><buyerIdentifier>{buyer}</buyerIdentifier></buyer>
<seller><sellerIdentifier>SANDBOX</sellerIdentifier></seller>{content}</{root}></soapenv:Body></soapenv:Envelope>"""


@dataclass(frozen=True)
class HttpAnswer:
    """A status and what came with it."""

    status: int
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    def text(self, name: str) -> str:
        """Of the first element with this name; empty when there is none."""
        found = next(etree.fromstring(self.content).iter(f"{{*}}{name}"), None)
        return "" if found is None else (found.text or "")

    def has(self, name: str) -> bool:
        return next(etree.fromstring(self.content).iter(f"{{*}}{name}"), None) is not None


def element(name: str, *values: str) -> str:
    """`<name>value</name>` for each value; a value is a text, or XML that begins with an element."""
    return "".join(
        f"<{name}>{value if value.startswith('<') else escape(value)}</{name}>" for value in values
    )


def envelope(root: str, content: str, *, buyer: str) -> bytes:
    """A message with a header of its own."""
    return ENVELOPE.format(
        root=root,
        content=content,
        buyer=buyer,
        message_id=uuid4(),
        correlation_id=uuid4(),
        sent_at=datetime.now(UTC).isoformat(timespec="seconds"),
    ).encode()


def fetch(request: urllib.request.Request, *, context: ssl.SSLContext | None = None) -> HttpAnswer:
    """The answer, whatever its status."""
    try:
        with urllib.request.urlopen(request, timeout=SECONDS, context=context) as answer:
            return HttpAnswer(answer.status, answer.read())
    except urllib.error.HTTPError as refused:
        with refused:
            return HttpAnswer(refused.code, refused.read())


@dataclass(frozen=True)
class EndpointCaller:
    """Speaks to an endpoint with one certificate."""

    endpoint: str
    certs: Path
    certificate: str

    @cached_property
    def context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self.certs / "ca.pem")
        context.load_cert_chain(
            self.certs / f"{self.certificate}.pem", self.certs / f"{self.certificate}.key"
        )
        return context

    def post(self, path: str, content: bytes, *, media_type: str) -> HttpAnswer:
        headers = {"Content-Type": media_type}
        request = urllib.request.Request(f"{self.endpoint}/{path}", data=content, headers=headers)
        return fetch(request, context=self.context)

    def post_xml(self, path: str, content: bytes) -> HttpAnswer:
        return self.post(path, content, media_type="text/xml; charset=utf-8")

    def post_json(self, path: str, body: dict[str, Any]) -> HttpAnswer:
        return self.post(path, json.dumps(body).encode(), media_type="application/json")


@dataclass(frozen=True)
class ControlCaller:
    """Speaks to the control interface."""

    address: str

    def get(self, path: str) -> Any:
        answer = fetch(urllib.request.Request(f"{self.address}/api/{path}"))
        assert answer.status == 200, f"GET {path}: {answer.status} {answer.content[:300]!r}"
        return answer.json

    def post(self, path: str, body: dict[str, Any], *, status: int | None = None) -> Any:
        """`status` is the one that is expected, by default any success."""
        headers = {"Content-Type": "application/json", "X-Sandbox-Control": "1"}
        content = json.dumps(body).encode()
        answer = fetch(urllib.request.Request(f"{self.address}/api/{path}", data=content, headers=headers))
        is_expected = answer.status == status if status else answer.status < 300
        assert is_expected, f"POST {path}: {answer.status} {answer.content[:300]!r}"
        return answer.json
