"""What the seller sends, read back into domain words: for a buyer's side that is ours, and for tests."""

from dataclasses import dataclass
from typing import Any

from lxml import etree

from seller_sandbox.orders.wire.namespaces import INTERFACE, base
from seller_sandbox.orders.wire.notification_layouts import NOTIFICATION
from seller_sandbox.orders.wire.response_layouts import RESPONSES
from seller_sandbox.soap import envelope, validation
from seller_sandbox.soap.layout import Group
from seller_sandbox.soap.problems import InvalidMessage, MessageProblem

_LAYOUTS = {base(name): parts for name, parts in {**RESPONSES, "notifyOfOrderStatus": NOTIFICATION}.items()}


@dataclass(frozen=True)
class SellerMessage:
    """`name` is the element in the Body; `values` are as its layout declares them."""

    name: str
    values: dict[str, Any]


def read(content: bytes) -> SellerMessage:
    """An answer or a notification of the seller. Raises NotXml or InvalidMessage, also for a fault."""
    element = envelope.open_envelope(content)
    name = etree.QName(element).localname
    parts = _LAYOUTS.get(element.tag)
    if parts is None:
        remedy = "Read faults with callback.read."
        raise InvalidMessage(MessageProblem("Envelope/Body", f"{name} is no message of the seller", remedy))
    validation.validate(element, INTERFACE)
    values: dict[str, Any] = {}
    Group(element.tag, parts).read(element, values)
    return SellerMessage(name, values)
