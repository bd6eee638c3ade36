"""Declares the layout of a message once, for reading and for writing.

A part knows its element's tag, reads the element into a dict of values in domain words, and writes it from one. What is
read has passed the schema; what is written comes in the order in which the parts are declared, without what is empty.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from lxml import etree

Values = dict[str, Any]
# control characters that XML 1.0 cannot carry, and half surrogate pairs
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# what XML takes for blanks in a token
BLANKS = re.compile("[ \t\n\r]+")
MAX_TEXT = 2000


class Part(Protocol):
    """`tag` is in Clark notation."""

    @property
    def tag(self) -> str: ...

    def read(self, element: etree._Element, values: Values) -> None: ...

    def write(self, parent: etree._Element, values: Values) -> None: ...


def text_of(element: etree._Element) -> str:
    return (element.text or "").strip()


def writable(text: str) -> str:
    """Texts of people may hold what XML cannot carry, and be longer than the schemas allow."""
    return NOT_XML.sub("\ufffd", text)[:MAX_TEXT]


@dataclass(frozen=True)
class Text:
    """An element with text, an xs:token. `parse` may give any type; `render` gives its text.

    `always` writes the element also without a text: of texts by people that the schema wants to see.
    """

    name: str
    tag: str
    parse: Callable[[str], Any] | None = None
    render: Callable[[Any], str] = str
    always: bool = False

    def read(self, element: etree._Element, values: Values) -> None:
        text = self.text_in(element)
        values[self.name] = self.parse(text) if self.parse else text

    def text_in(self, element: etree._Element) -> str:
        """As the schema has counted its length: blanks in a row are one."""
        return BLANKS.sub(" ", text_of(element))

    def write(self, parent: etree._Element, values: Values) -> None:
        value = values.get(self.name)
        if value is not None and value != "":
            etree.SubElement(parent, self.tag).text = writable(self.render(value))
        elif self.always:
            etree.SubElement(parent, self.tag)


@dataclass(frozen=True)
class FreeText(Text):
    """An xs:string, whose blanks and lines stay as a person has written them."""

    def text_in(self, element: etree._Element) -> str:
        return text_of(element)


@dataclass(frozen=True)
class Flag:
    """An element that says all by being there."""

    name: str
    tag: str
    text: str | None = None

    def read(self, _: etree._Element, values: Values) -> None:
        values[self.name] = True

    def write(self, parent: etree._Element, values: Values) -> None:
        if values.get(self.name):
            etree.SubElement(parent, self.tag).text = self.text


@dataclass(frozen=True)
class Choice:
    """A container of exactly one empty element, whose local name is the value."""

    name: str
    tag: str

    def read(self, element: etree._Element, values: Values) -> None:
        values[self.name] = etree.QName(element[0]).localname

    def write(self, parent: etree._Element, values: Values) -> None:
        if value := values.get(self.name):
            container = etree.SubElement(parent, self.tag)
            etree.SubElement(container, etree.QName(etree.QName(self.tag).namespace, value))


@dataclass(frozen=True)
class Names:
    """A container of any of some empty elements, whose local names are the values; it is there also without one."""

    name: str
    tag: str

    def read(self, element: etree._Element, values: Values) -> None:
        values[self.name] = [etree.QName(child).localname for child in element]

    def write(self, parent: etree._Element, values: Values) -> None:
        container = etree.SubElement(parent, self.tag)
        for name in values.get(self.name) or ():
            etree.SubElement(container, etree.QName(etree.QName(self.tag).namespace, name))


@dataclass(frozen=True)
class Texts:
    """A container of one text element as often as needed; `always` writes the container of an empty list, too."""

    name: str
    tag: str
    item_tag: str
    always: bool = False

    def read(self, element: etree._Element, values: Values) -> None:
        values[self.name] = [text_of(child) for child in element]

    def write(self, parent: etree._Element, values: Values) -> None:
        texts = values.get(self.name)
        if not texts and (texts is None or not self.always):
            return
        container = etree.SubElement(parent, self.tag)
        for text in texts:
            etree.SubElement(container, self.item_tag).text = writable(text)


@dataclass(frozen=True)
class Lines:
    """A text element as often as needed, among its siblings; the value is a list without the empty ones."""

    name: str
    tag: str

    def read(self, element: etree._Element, values: Values) -> None:
        texts = values.setdefault(self.name, [])
        if text := text_of(element):
            texts.append(text)

    def write(self, parent: etree._Element, values: Values) -> None:
        for text in values.get(self.name) or ():
            etree.SubElement(parent, self.tag).text = writable(text)


@dataclass(frozen=True)
class Group:
    """An element with parts inside. With a `name` they are a value of their own, otherwise values of the parent.

    `always` writes the element also when nothing is inside; `sets` are values that the element stands for.
    """

    tag: str
    parts: Sequence[Part]
    name: str = ""
    sets: tuple[tuple[str, Any], ...] = ()
    always: bool = False

    @cached_property
    def _by_tag(self) -> dict[str, Part]:
        return {part.tag: part for part in self.parts}

    def read(self, element: etree._Element, values: Values) -> None:
        inside = values.setdefault(self.name, {}) if self.name else values
        inside.update(self.sets)
        by_tag = self._by_tag
        for child in element:
            by_tag[child.tag].read(child, inside)

    def write(self, parent: etree._Element, values: Values) -> None:
        inside = values.get(self.name) if self.name else values
        if inside is None or any(inside.get(name) != value for name, value in self.sets):
            return
        element = etree.SubElement(parent, self.tag)
        for part in self.parts:
            part.write(element, inside)
        if not len(element) and not self.always:
            parent.remove(element)


@dataclass(frozen=True)
class Many:
    """A repeated element with parts inside; the value is a list of dicts."""

    name: str
    tag: str
    parts: Sequence[Part]

    @cached_property
    def _row(self) -> Group:
        return Group(self.tag, self.parts, always=True)

    def read(self, element: etree._Element, values: Values) -> None:
        row: Values = {}
        self._row.read(element, row)
        values.setdefault(self.name, []).append(row)

    def write(self, parent: etree._Element, values: Values) -> None:
        for row in values.get(self.name) or ():
            self._row.write(parent, row)
