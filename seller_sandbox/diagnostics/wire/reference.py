"""The generated parts of docs/diagnostics-messages.md: tables from schema and data, examples from the functions."""

import re
from collections.abc import Callable, Iterable, Iterator

from seller_sandbox import clock
from seller_sandbox.diagnostics import data_tables, next_best_actions, service_paths
from seller_sandbox.diagnostics.models import CfmStatus, OntStatus, UniPortStatus
from seller_sandbox.diagnostics.wire import examples, requests
from seller_sandbox.diagnostics.wire.namespaces import INTERFACE
from seller_sandbox.soap import schema_model
from seller_sandbox.soap.namespaces import SCHEMA
from seller_sandbox.soap.schema_model import ElementRow

REGION = re.compile(r"(?P<begin><!-- begin (?P<name>[\w ]+) -->\n).*?(?P<end><!-- end -->\n)", re.DOTALL)
SOURCES = {"document": "the document's", "public": "public", "ours": "ours"}
PORTS = (UniPortStatus.UP, UniPortStatus.DOWN, UniPortStatus.BLANK)


def render(page: str) -> str:
    """The page with its generated parts made anew. Raises KeyError for a part that nobody makes."""
    with clock.at(examples.MOMENT):
        return REGION.sub(_region, page)


def _region(found: re.Match[str]) -> str:
    lines = "\n".join(PARTS[found["name"]]())
    return f"{found['begin']}{lines}\n{found['end']}"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    heads = [*heads]
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield f"| {' | '.join(row)} |"


# --- elements ---------------------------------------------------------------------------------------------
def _elements() -> Iterator[str]:
    for row in schema_model.messages(INTERFACE).values():
        yield f"### {INTERFACE.plain(row.tag)}\n\n{row.text}. The element's name is {SOURCES[row.source]}.\n"
        children = schema_model.types(INTERFACE)[row.type_name].children
        expanded = (line for child in children for line in _expanded(child, ""))
        yield from _table(("element", "type", "how often", "name from", "meaning"), expanded)
        yield ""


def _expanded(row: ElementRow, prefix: str) -> Iterator[tuple[str, ...]]:
    """The element's own row and those of what is inside."""
    path = f"{prefix}{INTERFACE.plain(row.tag)}"
    children = _children(row)
    often = "1" if (row.least, row.most) == (1, "1") else f"{row.least}..{row.most}"
    often = often.replace("unbounded", "∞")
    yield f"`{path}`", "container" if children else _type(row), often, SOURCES[row.source], row.text
    for child in children:
        yield from _expanded(child, f"{path}/")


def _children(row: ElementRow) -> tuple[ElementRow, ...]:
    found = schema_model.types(INTERFACE).get(row.type_name)
    return found.children if found else ()


def _type(row: ElementRow) -> str:
    if row.type_name.startswith(f"{{{SCHEMA}}}"):
        return row.type_name.rpartition("}")[2]
    name = INTERFACE.plain(row.type_name)
    return f"[{name}](#{name.lower()})"


def _types() -> Iterator[str]:
    for name, row in schema_model.types(INTERFACE).items():
        if row.children:
            continue
        yield f"### {INTERFACE.plain(name)}\n\n{row.text}\n"
        if row.values:
            rows = ((f"`{value}`" if value else "(empty)", text) for value, text in row.values.items())
            yield from _table(("value", "meaning"), rows)
            yield ""


# --- rules ------------------------------------------------------------------------------------------------
def _codes() -> Iterator[str]:
    rows = (
        (f"`{row.code}`", row.current_status, row.result, row.action)
        for row in next_best_actions.by_code().values()
    )
    return _table(("code", "currentStatus", "result", "action"), rows)


def _decisions() -> Iterator[str]:
    codes = next_best_actions.codes_by_statuses()
    rows = (
        (ont.value, cfm.value, *(codes[ont.value, cfm.value, port.value] for port in PORTS))
        for ont in OntStatus
        for cfm in CfmStatus
    )
    return _table(("ONT", "CFM", "UniPort Up", "UniPort Down", "UniPort blank"), rows)


def _nodes() -> Iterator[str]:
    minutes = data_tables.read("node_load")["peak_minutes"]
    rows = (
        (
            name,
            *(_position(name, access) for access in ("Local", "National")),
            f"{minutes[name]} minutes",
        )
        for name in service_paths.NAMES
    )
    return _table(("node", "localConfiguration", "nationalConfiguration", "peak over"), rows)


def _position(name: str, access: str) -> str:
    names = service_paths.configurations()[access]
    return str(names.index(name) + 1) if name in names else ""


# --- examples ---------------------------------------------------------------------------------------------
def _requests() -> Iterator[str]:
    for title, request in examples.REQUESTS:
        yield from _example(title, requests.build(request))


def _answers() -> Iterator[str]:
    for title, make in examples.ANSWERS:
        yield from _example(title, make())


def _example(title: str, content: bytes) -> Iterator[str]:
    yield f"#### {title}\n\n```xml\n{content.decode().strip()}\n```\n"


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "elements": _elements,
    "types": _types,
    "codes": _codes,
    "decisions": _decisions,
    "nodes": _nodes,
    "request examples": _requests,
    "answer examples": _answers,
}
