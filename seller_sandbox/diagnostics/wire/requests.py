"""requestServiceDiagnostics: from its bytes to a dataclass, and back."""

from dataclasses import asdict, dataclass
from datetime import datetime

from lxml import etree

from seller_sandbox.diagnostics.wire.namespaces import INTERFACE, INTERFACE_VERSION, tag
from seller_sandbox.soap import envelope, validation
from seller_sandbox.soap.layout import Group, Part, Text, Values
from seller_sandbox.soap.problems import InvalidMessage, MessageProblem
from seller_sandbox.soap.text_formats import render_instant

NAME = "requestServiceDiagnostics"
HEADER: tuple[Part, ...] = (
    Text("api_version", tag("apiVersion")),
    Text("buyer_identifier", tag("buyerIdentifier"), always=True),
    Text("sent_at", tag("sentAt"), datetime.fromisoformat, render_instant),
    Text("message_id", tag("messageId"), always=True),
)
REQUEST = Group(tag(NAME), (*HEADER, Text("service_identifier", tag("serviceId"))))


@dataclass(frozen=True)
class DiagnosticsRequest:
    """`sent_at` has an offset."""

    buyer_identifier: str
    sent_at: datetime
    message_id: str
    service_identifier: str
    api_version: str = INTERFACE_VERSION


def read(element: etree._Element) -> DiagnosticsRequest:
    """The request in the Body of an envelope. Raises InvalidMessage with all problems."""
    if element.tag != REQUEST.tag:
        raise InvalidMessage(
            MessageProblem(
                "Envelope/Body",
                f"{element.tag[:200]} is not the request of this path",
                f"Send {NAME} in the namespace {INTERFACE.namespace}.",
            )
        )
    validation.validate(element, INTERFACE)
    values: Values = {}
    REQUEST.read(element, values)
    return DiagnosticsRequest(**values)


def build(request: DiagnosticsRequest) -> bytes:
    """The message of a request, as a caller sends it."""
    body = envelope.new_body(INTERFACE.prefixes)
    REQUEST.write(body, asdict(request))
    return envelope.write(body)
