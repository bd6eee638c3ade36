"""The request for one service, and what its answer says in domain terms.

An answer is read by name: what the seller adds is passed over, and a value that nobody knows is "not reported".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone
from lxml import etree

from dispatch.line_checks import LineNode, LineReading
from dispatch.models import LinePart, NodeColour
from seller_link.wire.diagnostics import envelope
from seller_link.wire.diagnostics.envelope import NotReadable, plain, text_of
from seller_link.wire.diagnostics.reported_states import COLOURS, CONNECTION_STATES, ONT_STATES, PORT_STATES
from seller_link.wire.v1.contract import is_instant, is_near, parse_instant

VERSION = "1.1"
NAMESPACE = "urn:sandbox-seller:diagnostics"
OPERATION = "requestServiceDiagnostics"
MEDIA_TYPE = "text/xml; charset=utf-8"
DONE = "0"
MAX_NODES = 40
CONFIGURATIONS = {"localConfiguration": "local", "nationalConfiguration": "national"}


@dataclass(frozen=True)
class ServiceRefused:
    """The seller answered that it will not test this service; its reason."""

    reason: str


def request(*, service: str, partner: str, message_id: UUID) -> bytes:
    """The envelope that asks for one service; `partner`: as the seller knows us. Raises ValueError for a character that
    XML can't carry."""
    members = {
        "apiVersion": VERSION,
        "buyerIdentifier": partner,
        "sentAt": timezone.now().isoformat(timespec="seconds"),
        "messageId": str(message_id),
        "serviceId": service,
    }
    root = etree.Element(_name(OPERATION), nsmap={None: NAMESPACE})
    for name, text in members.items():
        etree.SubElement(root, _name(name)).text = text
    return envelope.wrap(root)


def answer(content: bytes, *, service: str, message_id: UUID) -> LineReading | ServiceRefused:
    """What the seller answered to this request. Raises NotReadable: not the documented XML, a SOAP fault, or the
    answer to another request."""
    root = envelope.unwrap(content)
    fault = envelope.fault_text(root)
    if fault is not None:
        raise NotReadable(f"the seller answered with a fault ({fault})")
    if root.tag != _name(f"{OPERATION}Response"):
        raise NotReadable("the answer is not the documented XML")
    if _text(root, "messageId").lower() != str(message_id):
        raise NotReadable("the answer belongs to another message")
    if _text(root, "responseCode") != DONE:
        return ServiceRefused(_text(root, "errorMessage"))
    found = root.find(f"{_name('faultDetails')}/{_name('supplierDiagnostics')}")
    if found is None or _text(root, "serviceId") != plain(service):
        raise NotReadable("the answer is not the documented XML")
    return _reading(found)


def refusal(content: bytes) -> str:
    """What the seller says in an answer that is no 200; empty when that can't be read."""
    try:
        root = envelope.unwrap(content)
    except NotReadable:
        return ""
    fault = envelope.fault_text(root)
    return _text(root, "errorMessage") if fault is None else fault


def _reading(found: etree._Element) -> LineReading:
    code = _text(found, "nextBestAction", "code")
    if not code or len(code) > 20:
        raise NotReadable("the answer is not the documented XML")
    return LineReading(
        code=code,
        current_status=_text(found, "currentStatus"),
        result=_text(found, "nextBestAction", "result"),
        action=_text(found, "nextBestAction", "action"),
        ont=_part(found, "ontStatus", ONT_STATES),
        connection=_part(found, "cfmStatus", CONNECTION_STATES),
        port=_part(found, "uniPortStatus", PORT_STATES),
        path_usage=COLOURS.get(_text(found, "servicePathUsage"), NodeColour.UNKNOWN),
        nodes=_nodes(found),
    )


def _part(found: etree._Element, name: str, states: Mapping[str, str]) -> LinePart:
    return LinePart(
        state=states.get(_text(found, name, "status"), "unknown"),
        last_event_at=_moment(_text(found, name, "lastEventAt")),
        changed_from=states.get(_text(found, name, "changedFrom"), ""),
    )


def _moment(text: str) -> datetime | None:
    """None also for a time that no network can have noted."""
    moment = parse_instant(text) if text and is_instant(text) else None
    return moment if moment and is_near(moment) else None


def _nodes(found: etree._Element) -> tuple[LineNode, ...]:
    nodes = [
        LineNode(path, _text(node, "name")[:40], COLOURS.get(_text(node, "ragStatus"), NodeColour.UNKNOWN))
        for name, path in CONFIGURATIONS.items()
        for node in found.findall(f"{_name(name)}/{_name('node')}")
    ]
    return tuple(nodes[:MAX_NODES])


def _text(element: etree._Element, *path: str) -> str:
    return text_of(element.find("/".join(map(_name, path))))


def _name(local: str) -> str:
    return f"{{{NAMESPACE}}}{local}"
