"""Tables of elements, types and values for a page about an interface, made from its schema files."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from seller_sandbox.soap import schema_model
from seller_sandbox.soap.interfaces import Interface
from seller_sandbox.soap.namespaces import SCHEMA
from seller_sandbox.soap.schema_model import ElementRow

REGION = re.compile(r"(?P<begin><!-- begin (?P<name>[\w ]+) -->\n).*?(?P<end><!-- end -->\n)", re.DOTALL)
ELEMENT_HEADS = "| element | type | how often | name from | meaning |\n|---|---|---|---|---|"
SOURCES = {"document": "the document's", "public": "public", "ours": "ours"}

Lines = Iterator[str]


def fill(page: str, parts: dict[str, Callable[[], Lines]]) -> str:
    """The page with its generated parts made anew. Raises KeyError for a part that nobody makes."""

    def region(found: re.Match[str]) -> str:
        lines = "\n".join(parts[found["name"]]())
        return f"{found['begin']}{lines}\n{found['end']}"

    return REGION.sub(region, page)


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Lines:
    heads = [*heads]
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield f"| {' | '.join(row)} |"


def example(title: str, content: bytes) -> Lines:
    yield f"#### {title}\n\n```xml\n{content.decode().strip()}\n```\n"


@dataclass(frozen=True)
class SchemaTables:
    """`shared` are tags of container types with a section of their own; `unopened` ones that are not shown inside."""

    interface: Interface
    shared: frozenset[str]
    unopened: frozenset[str] = frozenset()

    def name(self, tag: str) -> str:
        return self.interface.plain(tag).replace(f"{{{SCHEMA}}}", "xs:")

    def children(self, type_name: str) -> tuple[ElementRow, ...]:
        found = schema_model.types(self.interface).get(type_name)
        return found.children if found else ()

    def rows(self, children: Iterable[ElementRow], prefix: str = "") -> Lines:
        """Each element's own row and those of what is inside."""
        for row in children:
            path = f"{prefix}{self.name(row.tag)}"
            yield f"| `{path}` | {self._type(row)} | {occurrence(row)} | {source(row)} | {row.text} |"
            if row.type_name not in self.shared | self.unopened:
                yield from self.rows(self.children(row.type_name), f"{path}/")

    def types(self) -> Lines:
        """The shared containers, and every simple type with its rule and values."""
        for tag, row in schema_model.types(self.interface).items():
            name = self.name(tag)
            heading = f'### <a id="{_anchor(name)}"></a>{name}\n\n{row.text}\n'
            if tag in self.shared:
                yield f"{heading}\n{ELEMENT_HEADS}"
                yield from self.rows(row.children)
                yield ""
            elif not row.children and row.text and not tag.endswith(("}Flag", "}Empty")):
                yield heading
                if any(row.values.values()):
                    yield from table(
                        ("value", "meaning"), ((f"`{key}`", text) for key, text in row.values.items())
                    )
                    yield ""

    def _type(self, row: ElementRow) -> str:
        name = self.name(row.type_name)
        if name.startswith("xs:"):
            return name.removeprefix("xs:")
        if name.endswith(("Flag", "Empty")) and not name.endswith("OrderFlag"):
            return "empty"
        is_linked = row.type_name in self.shared or not self.children(row.type_name)
        return f"[{name}](#{_anchor(name)})" if is_linked else "container"


def occurrence(row: ElementRow) -> str:
    if row.is_choice:
        return "one of these"
    most = "∞" if row.most == "unbounded" else row.most
    return "1" if (row.least, most) == (1, "1") else f"{row.least}..{most}"


def source(row: ElementRow) -> str:
    return SOURCES[row.source]


def _anchor(name: str) -> str:
    return f"type-{name.removeprefix('ext:').lower()}"
