"""From the bytes of a request to its dataclass, and back (docs/fault-messages.md)."""

from lxml import etree

from seller_sandbox.faults.wire.namespaces import INTERFACE, tag
from seller_sandbox.faults.wire.request_layouts import LAYOUTS
from seller_sandbox.faults.wire.requests import ParsedFaultRequest
from seller_sandbox.soap import envelope, validation
from seller_sandbox.soap.problems import InvalidMessage, MessageProblem

_BY_NAME = {layout.name: layout for layout in LAYOUTS.values()}


def read(element: etree._Element, *, path: str) -> ParsedFaultRequest:
    """The request in the Body of an envelope that came to the path of one operation.

    Raises InvalidMessage with all problems. What the document answers with Rejected passes (D2).
    """
    if element.tag != tag(path):
        raise InvalidMessage(
            MessageProblem(
                "Envelope/Body",
                f"{element.tag[:200]} is not the request of the path {path}",
                f"Send {path} in the namespace {INTERFACE.namespace}, each message to the path of its name.",
            )
        )
    validation.validate(element, INTERFACE)
    return _BY_NAME[path].read(element)


def parse(content: bytes, *, path: str) -> ParsedFaultRequest:
    """Raises NotXml or InvalidMessage."""
    return read(envelope.open_envelope(content), path=path)


def build(request: ParsedFaultRequest) -> bytes:
    """The message of a request, as a buyer sends it."""
    body = envelope.new_body(INTERFACE.prefixes)
    LAYOUTS[type(request)].write(body, request)
    return envelope.write(body)


def path_of(request: ParsedFaultRequest) -> str:
    return LAYOUTS[type(request)].name
