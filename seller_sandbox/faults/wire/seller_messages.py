"""What the seller sends about faults, read back into domain words: for a buyer's side that is ours, and for tests."""

from typing import Any

from lxml import etree

from seller_sandbox.faults.states import FaultNotificationKind
from seller_sandbox.faults.wire.namespaces import INTERFACE, tag
from seller_sandbox.faults.wire.notifications import NOTIFICATION
from seller_sandbox.faults.wire.responses import RESPONSES
from seller_sandbox.soap import envelope, validation
from seller_sandbox.soap.layout import Group
from seller_sandbox.soap.problems import InvalidMessage, MessageProblem

_LAYOUTS = {
    **{tag(f"{name}Response"): parts for name, parts in RESPONSES.items()},
    **{tag(kind.value): NOTIFICATION for kind in FaultNotificationKind},
}


def read(content: bytes) -> tuple[str, dict[str, Any]]:
    """The element in the Body and its values. Raises NotXml or InvalidMessage, also for a SOAP fault."""
    element = envelope.open_envelope(content)
    name = etree.QName(element).localname
    parts = _LAYOUTS.get(element.tag)
    if parts is None:
        remedy = "Read faults with soap.callback.read."
        raise InvalidMessage(MessageProblem("Envelope/Body", f"{name} is no message of the seller", remedy))
    validation.validate(element, INTERFACE)
    values: dict[str, Any] = {}
    Group(element.tag, parts).read(element, values)
    return name, values
