"""SOAP envelopes of a buyer, made and read with the standard library (docs/order-messages.md).

What is sent is nested dicts in the order of the schema: a text, True for an empty element, a dict for a container, a
list for an element that is repeated. What is empty is left out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
BASE = "urn:sandbox-seller:orders"
EXTENSION = "urn:sandbox-seller:orders:extension"
FAULTS = "urn:sandbox-seller:faults"
DIAGNOSTICS = "urn:sandbox-seller:diagnostics"
PREFIX = "ext:"

Members = Mapping[str, Any]


def write(name: str, members: Members, *, namespace: str = BASE) -> bytes:
    """One message in its envelope; `namespace` is that of its interface."""
    envelope = Element(f"{{{SOAP}}}Envelope")
    body = ElementTree.SubElement(envelope, f"{{{SOAP}}}Body")
    _fill(ElementTree.SubElement(body, _tag(name, namespace)), members, namespace)
    content: bytes = ElementTree.tostring(envelope, encoding="utf-8", xml_declaration=True)
    return content


def _fill(parent: Element, members: Members, namespace: str) -> None:
    for name, value in members.items():
        for single in value if isinstance(value, list) else [value]:
            if single not in ("", None, False, {}):
                _add(parent, name, single, namespace)


def _add(parent: Element, name: str, value: Any, namespace: str) -> None:
    element = ElementTree.SubElement(parent, _tag(name, namespace))
    if isinstance(value, Mapping):
        _fill(element, value, namespace)
    elif value is not True:
        element.text = str(value)


def _tag(name: str, namespace: str) -> str:
    is_extension = name.startswith(PREFIX)
    return f"{{{EXTENSION if is_extension else namespace}}}{name.removeprefix(PREFIX)}"


@dataclass(frozen=True)
class Message:
    """One message of the seller; names are local names, as prefixes and namespaces say nothing more here."""

    element: Element

    @property
    def name(self) -> str:
        return _local(self.element)

    @property
    def namespace(self) -> str:
        return self.element.tag.partition("}")[0].removeprefix("{")

    def text(self, name: str) -> str:
        """The text of the first element with this name, empty without one."""
        return next((element.text or "" for element in self.all(name)), "")

    def has(self, name: str) -> bool:
        return any(True for _ in self.all(name))

    def all(self, name: str) -> Iterator[Element]:
        return (element for element in self.element.iter() if _local(element) == name)

    def parts(self, name: str) -> list["Message"]:
        return [Message(element) for element in self.all(name)]

    def children(self) -> list[str]:
        return [_local(child) for child in self.element]


def read(content: str | bytes) -> Message:
    """The only element of the Body. Raises ValueError for anything else."""
    try:
        # by the seller, whom a buyer knows by its certificate
        envelope = ElementTree.fromstring(content)  # noqa: S314
    except ElementTree.ParseError as problem:
        raise ValueError(f"not XML: {problem}") from problem
    body = envelope.find(f"{{{SOAP}}}Body")
    if body is None or len(body) != 1:
        raise ValueError("not a SOAP envelope with one element in its Body")
    return Message(body[0])


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2]
