"""The schema files as data: which element has which children, and what their documentation says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from lxml import etree

from seller_sandbox.soap import schemas
from seller_sandbox.soap.interfaces import Interface
from seller_sandbox.soap.namespaces import SCHEMA


def _xs(name: str) -> str:
    return f"{{{SCHEMA}}}{name}"


@dataclass(frozen=True)
class ElementRow:
    """One element as a schema declares it; `source` is document, public or ours; `most` is "unbounded" or a number.

    `is_choice`: exactly one of the elements that are marked so stands there.
    """

    tag: str
    type_name: str
    least: int
    most: str
    source: str
    text: str
    is_choice: bool = False


@dataclass(frozen=True)
class TypeRow:
    """A type of the schemas; a simple one has no children, and may be an enumeration: value to meaning."""

    text: str
    children: tuple[ElementRow, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)


@cache
def messages(interface: Interface) -> dict[str, ElementRow]:
    """The elements that the files declare at their top, by tag."""
    rows = [_element(interface, node) for root in _roots(interface) for node in root.findall(_xs("element"))]
    return {row.tag: row for row in rows}


@cache
def types(interface: Interface) -> dict[str, TypeRow]:
    """Every named type, by tag of its name."""
    found = {}
    for root in _roots(interface):
        for node in (*root.findall(_xs("complexType")), *root.findall(_xs("simpleType"))):
            found[_qualified(root, node.get("name"))] = _type(interface, node)
    return found


def simple_type_text(interface: Interface, path: list[str], root_tag: str) -> str:
    """What the simple type of an element asks for; "" for an element with children or one that is not declared."""
    type_name = messages(interface)[root_tag].type_name
    for tag in path:
        row = next((row for row in _children(interface, type_name) if row.tag == tag), None)
        if row is None:
            return ""
        type_name = row.type_name
    found = types(interface).get(type_name)
    return found.text if found and not found.children else ""


def _children(interface: Interface, type_name: str) -> tuple[ElementRow, ...]:
    found = types(interface).get(type_name)
    return found.children if found else ()


@cache
def _roots(interface: Interface) -> tuple[etree._Element, ...]:
    return tuple(etree.fromstring(schemas.content(interface, name)) for name in interface.files)


def _qualified(root: etree._Element, name: str) -> str:
    return f"{{{root.get('targetNamespace')}}}{name}"


def _of_prefix(node: etree._Element, name: str) -> str:
    prefix, _, local = name.partition(":")
    return f"{{{node.nsmap[prefix]}}}{local}"


def _type(interface: Interface, node: etree._Element) -> TypeRow:
    values = {found.get("value"): _documentation(found) for found in node.iter(_xs("enumeration"))}
    return TypeRow(_documentation(node), tuple(_rows(interface, node)), values)


def _rows(interface: Interface, node: etree._Element, *, is_choice: bool = False) -> Iterator[ElementRow]:
    for child in node.iterchildren(etree.Element):
        if child.tag == _xs("element"):
            yield _element(interface, child, is_choice=is_choice)
        elif child.tag == _xs("group"):
            yield from _group(interface, child)
        elif child.tag in {_xs("sequence"), _xs("choice"), _xs("all")}:
            yield from _rows(interface, child, is_choice=child.tag == _xs("choice"))


def _group(interface: Interface, node: etree._Element) -> Iterator[ElementRow]:
    """The elements of a group; none of them is required where the group is not."""
    name, is_optional = node.get("ref").rpartition(":")[2], node.get("minOccurs") == "0"
    groups = [group for root in _roots(interface) for group in root.findall(_xs("group"))]
    found = next(group for group in groups if group.get("name") == name)
    for row in _rows(interface, found):
        yield replace(row, least=0) if is_optional else row


def _element(interface: Interface, node: etree._Element, *, is_choice: bool = False) -> ElementRow:
    least, most = int(node.get("minOccurs", "1")), node.get("maxOccurs", "1")
    if reference := node.get("ref"):
        declared = messages(interface)[_of_prefix(node, reference)]
        return ElementRow(
            declared.tag, declared.type_name, least, most, declared.source, declared.text, is_choice
        )
    documentation = node.find(f"{_xs('annotation')}/{_xs('documentation')}")
    return ElementRow(
        tag=_qualified(node.getroottree().getroot(), node.get("name")),
        type_name=_of_prefix(node, node.get("type")),
        least=least,
        most=most,
        source=documentation.get("source"),
        text=_documentation(node),
        is_choice=is_choice,
    )


def _documentation(node: etree._Element) -> str:
    return " ".join(node.findtext(f"{_xs('annotation')}/{_xs('documentation')}", "").split())
