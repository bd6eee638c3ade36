"""The answers to requestServiceDiagnostics: a result, or what is wrong (fault-decisions.md, D13, D18)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from lxml import etree

from seller_sandbox import clock
from seller_sandbox.diagnostics.line_states import ReportedStatus
from seller_sandbox.diagnostics.line_tests import LineTest, NodeColour
from seller_sandbox.diagnostics.wire.namespaces import INTERFACE, INTERFACE_VERSION, tag
from seller_sandbox.diagnostics.wire.requests import HEADER, DiagnosticsRequest
from seller_sandbox.soap import envelope
from seller_sandbox.soap.layout import Group, Many, Part, Text, Values, text_of
from seller_sandbox.soap.text_formats import render_instant

NAME = "requestServiceDiagnosticsResponse"
MAX_REPEATED = 100
# one reason for all, so that nobody learns which services others have
UNKNOWN_SERVICE = (
    "serviceId: {} is not a service that you can test. Send a live service of your own, or as a partner the "
    "serviceIdentifier of an open job."
)


class DiagnosticsResponseCode(IntEnum):
    """responseCode; the document shows none of its values."""

    OK = 0
    INVALID = 1
    UNKNOWN_SERVICE = 10


@dataclass(frozen=True)
class OptionalText:
    """An element that may be empty: None is left out, and "" is a value as any other."""

    name: str
    tag: str

    def read(self, element: etree._Element, values: Values) -> None:
        values[self.name] = text_of(element)

    def write(self, parent: etree._Element, values: Values) -> None:
        if values.get(self.name) is not None:
            etree.SubElement(parent, self.tag).text = values[self.name] or None


def _status(name: str, element: str) -> Group:
    parts: tuple[Part, ...] = (
        Text("status", tag("status"), always=True),
        Text("last_event_at", tag("lastEventAt"), datetime.fromisoformat, render_instant),
        OptionalText("changed_from", tag("changedFrom")),
    )
    return Group(tag(element), parts, name=name)


def _nodes(name: str, element: str) -> Group:
    node = Many(name, tag("node"), (Text("name", tag("name")), Text("rag_status", tag("ragStatus"))))
    return Group(tag(element), (node,))


DIAGNOSTICS: tuple[Part, ...] = (
    Text("buyer_identifier", tag("buyerIdentifier")),
    Text("current_status", tag("currentStatus")),
    Text("current_uni_port_status", tag("currentUniportStatus"), always=True),
    Text("service_path_usage", tag("servicePathUsage")),
    _status("ont", "ontStatus"),
    _status("cfm", "cfmStatus"),
    _status("uni_port", "uniPortStatus"),
    _nodes("local_nodes", "localConfiguration"),
    _nodes("national_nodes", "nationalConfiguration"),
    Group(
        tag("nextBestAction"),
        (Text("code", tag("code")), Text("result", tag("result")), Text("action", tag("action"))),
        name="next_best_action",
    ),
)
RESPONSE = Group(
    tag(NAME),
    (
        *HEADER,
        Text("response_code", tag("responseCode"), int),
        Text("error_message", tag("errorMessage")),
        Text("service_identifier", tag("serviceId")),
        Group(
            tag("faultDetails"),
            (Group(tag("supplierDiagnostics"), DIAGNOSTICS),),
            name="diagnostics",
        ),
    ),
)


def result(request: DiagnosticsRequest, test: LineTest) -> bytes:
    """The result of a test, also of one that could not run."""
    return _write(
        {
            **_header(request.buyer_identifier, request.message_id),
            "response_code": int(DiagnosticsResponseCode.OK),
            "service_identifier": request.service_identifier,
            "diagnostics": {"buyer_identifier": request.buyer_identifier, **_diagnostics(test)},
        }
    )


def refusal(element: etree._Element, *, code: DiagnosticsResponseCode, message: str) -> bytes:
    """The body of a 400; of the request's header it repeats what can be read."""
    names = (_text(element, "buyerIdentifier"), _text(element, "messageId"))
    return _write({**_header(*names), "response_code": int(code), "error_message": message})


def read(content: bytes) -> Values:
    """An answer, read back. Raises NotXml; what is read is not checked against the schema."""
    values: Values = {}
    RESPONSE.read(envelope.open_envelope(content), values)
    return values


def _header(buyer_identifier: str, message_id: str) -> Values:
    return {
        "api_version": INTERFACE_VERSION,
        "buyer_identifier": buyer_identifier,
        "sent_at": clock.now(),
        "message_id": message_id,
    }


def _diagnostics(test: LineTest) -> Values:
    about_line = {
        "ont": _status_values(test.ont),
        "cfm": _status_values(test.cfm),
        "uni_port": _status_values(test.uni_port),
        "local_nodes": _node_values(test.local_nodes),
        "national_nodes": _node_values(test.national_nodes),
    }
    return {
        "current_status": test.current_status,
        "current_uni_port_status": test.uni_port.status,
        "service_path_usage": test.service_path_usage,
        **(about_line if test.could_run else {}),
        "next_best_action": {"code": test.code, "result": test.result, "action": test.action},
    }


def _status_values(reported: ReportedStatus) -> Values:
    return {
        "status": reported.status,
        "last_event_at": reported.last_event_at,
        "changed_from": reported.changed_from,
    }


def _node_values(nodes: Iterable[NodeColour]) -> list[Values]:
    return [{"name": name, "rag_status": colour} for name, colour in nodes]


def _text(element: etree._Element, name: str) -> str:
    """The first element of this name, wherever it stands; longer ones than the schema lets in are cut."""
    found = next(element.iter(f"{{*}}{name}"), None)
    return "" if found is None else text_of(found)[:MAX_REPEATED]


def _write(values: Values) -> bytes:
    body = envelope.new_body(INTERFACE.prefixes)
    RESPONSE.write(body, values)
    return envelope.write(body)
