"""From the bytes of a request to its dataclass, and back (order-messages.md)."""

from seller_sandbox.orders.wire.namespaces import INTERFACE
from seller_sandbox.orders.wire.request_layouts import LAYOUTS
from seller_sandbox.orders.wire.requests import ParsedRequest
from seller_sandbox.soap import envelope, validation
from seller_sandbox.soap.problems import InvalidMessage, MessageProblem

_BY_TAG = {layout.tag: layout for layout in LAYOUTS.values()}
_NAMES = ", ".join(sorted(tag.rpartition("}")[2] for tag in _BY_TAG))


def parse(content: bytes) -> ParsedRequest:
    """Read any request of a buyer.

    Raises NotXml for what is not a document that we read, InvalidMessage with all problems for anything else that
    is not a request. What the document answers with Rejected passes (D2).
    """
    element = envelope.open_envelope(content)
    layout = _BY_TAG.get(element.tag)
    if layout is None:
        raise InvalidMessage(
            MessageProblem(
                "Envelope/Body",
                f"{element.tag[:200]} is not a request of this interface",
                f"Send one of {_NAMES} in the namespace of its schema.",
            )
        )
    validation.validate(element, INTERFACE)
    return layout.read(element)


def name_of(request: ParsedRequest) -> str:
    """The local name of the message's element."""
    return LAYOUTS[type(request)].tag.rpartition("}")[2]


def build(request: ParsedRequest) -> bytes:
    """The message of a request, as a buyer sends it."""
    body = envelope.new_body(INTERFACE.prefixes)
    LAYOUTS[type(request)].write(body, request)
    return envelope.write(body)
