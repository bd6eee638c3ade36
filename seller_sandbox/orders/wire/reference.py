"""The generated parts of docs/order-messages.md: tables from the schemas and kinds, examples from the functions."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC

from seller_sandbox import clock
from seller_sandbox.orders.notification_kinds import EVENT_ROWS, RULE_ROWS, NotificationKind
from seller_sandbox.orders.wire import examples, notifications, parsing, paths
from seller_sandbox.orders.wire.answer_examples import ANSWERS
from seller_sandbox.orders.wire.namespaces import BASE, EXTENSION, INTERFACE, base, ext
from seller_sandbox.orders.wire.request_layouts import LAYOUTS
from seller_sandbox.soap import schema_model, schemas
from seller_sandbox.soap.namespaces import SCHEMA
from seller_sandbox.soap.schema_model import ElementRow

REGION = re.compile(r"(?P<begin><!-- begin (?P<name>[\w ]+) -->\n).*?(?P<end><!-- end -->\n)", re.DOTALL)
HEADER = {base("message"), base("buyer"), base("seller")}
ELEMENT_HEADS = "| element | type | how often | name from | meaning |\n|---|---|---|---|---|"
# the answers' message ids are new each time
NEW_ID = re.compile(rb"<messageId>[0-9a-f-]{36}</messageId>")
ANSWER_ID = b"<messageId>3f1a0b52-5f0c-4f3e-8f62-6f4f7a2f4a11</messageId>"
REJECTED_WITH_DATE_RULES = "Errors; Switch and WLTO rules"


def render(page: str) -> str:
    """The page with its generated parts made anew. Raises KeyError for a part that nobody makes."""
    with clock.at(examples.MOMENT.astimezone(UTC)):
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


def _name(tag: str) -> str:
    return tag.replace(f"{{{BASE}}}", "").replace(f"{{{EXTENSION}}}", "ext:").replace(f"{{{SCHEMA}}}", "xs:")


# --- paths and elements -------------------------------------------------------------------------------------
def _paths() -> Iterator[str]:
    rows = []
    for path in paths.PATHS[1:]:
        request = next(request for _, own, request in examples.REQUESTS if own == path)
        name = _name(LAYOUTS[type(request)].tag)
        kind = f" with `{request.kind}`" if path in paths.ORDER_KINDS else ""
        answer = "orderResponse" if path in paths.ORDER_KINDS else name.removesuffix("Request") + "Response"
        rows.append((f"`POST /{path}`", f"`{name}`{kind}", f"`{answer}`"))
    return _table(("path", "request", "answer"), rows)


def _header() -> Iterator[str]:
    yield ELEMENT_HEADS
    for row in schema_model.types(INTERFACE)[base("ProductsRequest")].children:
        if row.tag in HEADER:
            yield from _expanded(row, "")


def _elements() -> Iterator[str]:
    for row in schema_model.messages(INTERFACE).values():
        if not _is_message(row):
            continue
        yield f"### {_name(row.tag)}\n\n{row.text}. The element's name is {_source(row)}.\n"
        children = _children(row.type_name)
        if not children:
            yield "Empty.\n"
            continue
        yield ELEMENT_HEADS
        yield from _rows_of_message(children)
        yield ""


def _is_message(row: ElementRow) -> bool:
    return row.tag.startswith(f"{{{BASE}}}") and not row.type_name.endswith("}Identifier")


def _rows_of_message(children: Iterable[ElementRow]) -> Iterator[str]:
    children = [*children]
    if first := next((row for row in children if row.tag in HEADER), None):
        often = _occurrence(first)
        yield f"| [header](#header) | | {often} | | the three elements `message`, `buyer` and `seller` |"
    for row in children:
        if row.tag not in HEADER:
            yield from _expanded(row, "")


def _expanded(row: ElementRow, prefix: str) -> Iterator[str]:
    """The element's own row and those of what is inside; types of several messages have a section of their own."""
    path = f"{prefix}{_name(row.tag)}"
    yield f"| `{path}` | {_type(row)} | {_occurrence(row)} | {_source(row)} | {row.text} |"
    if row.type_name not in {*_shared(), base("OrderClosed")}:
        for child in _children(row.type_name):
            yield from _expanded(child, f"{path}/")


def _children(type_name: str) -> tuple[ElementRow, ...]:
    found = schema_model.types(INTERFACE).get(type_name)
    return found.children if found else ()


def _type(row: ElementRow) -> str:
    name = _name(row.type_name)
    if name.startswith("xs:"):
        return name.removeprefix("xs:")
    if name.endswith(("Flag", "Empty")) and not name.endswith("OrderFlag"):
        return "empty"
    is_linked = row.type_name in _shared() or not _children(row.type_name)
    return f"[{name}](#{_anchor(name)})" if is_linked else "container"


def _anchor(name: str) -> str:
    return f"type-{name.removeprefix('ext:').lower()}"


def _occurrence(row: ElementRow) -> str:
    if row.is_choice:
        return "one of these"
    most = "∞" if row.most == "unbounded" else row.most
    return "1" if (row.least, most) == (1, "1") else f"{row.least}..{most}"


def _source(row: ElementRow) -> str:
    return {"document": "the document's", "public": "public", "ours": "ours"}[row.source]


def _shared() -> set[str]:
    """Container types that more than one message uses."""
    names = ("ServiceConfiguration", "AuxiliaryServices", "AppointmentType", "Appointment", "Slot")
    more = ("RejectionReason", "CancellationReason", "BuyerReferences", "SiteInformation")
    return {base(name) for name in (*names, *more)} | {ext("NniIdentifiers"), ext("ComplexOrder")}


def _types() -> Iterator[str]:
    for name, row in schema_model.types(INTERFACE).items():
        if name in _shared():
            yield f'### <a id="{_anchor(_name(name))}"></a>{_name(name)}\n\n{row.text}\n\n{ELEMENT_HEADS}'
            for child in row.children:
                yield from _expanded(child, "")
            yield ""
        elif not row.children and row.text and not name.endswith(("}Flag", "}Empty")):
            yield f'### <a id="{_anchor(_name(name))}"></a>{_name(name)}\n\n{row.text}\n'
            if any(row.values.values()):
                yield from _table(
                    ("value", "meaning"), ((f"`{key}`", text) for key, text in row.values.items())
                )
                yield ""


# --- notifications ------------------------------------------------------------------------------------------
def _kinds() -> Iterator[str]:
    meanings = schema_model.types(INTERFACE)[base("NotificationKind")].values
    rows = (
        (
            f"`{kind}`",
            "; ".join(_rows_of_document(kind)),
            notifications.STATES.get(kind, "as it is").capitalize(),
            _needed(kind),
            meanings[kind],
        )
        for kind in NotificationKind
    )
    return _table(
        ("notificationKind", "row of the document", "orderStatus", "carries at least", "meaning"), rows
    )


def _rows_of_document(kind: NotificationKind) -> Iterator[str]:
    yield from (text for text, kinds in EVENT_ROWS if kind in kinds)
    yield from (f"{text} ({REJECTED_WITH_DATE_RULES})" for text, other in RULE_ROWS if other == kind)


def _needed(kind: NotificationKind) -> str:
    elements = {
        "reason": "rejectionReason",
        "nni_identifiers": "ext:nniIdentifiers",
        "missed_appointment": "missedAppointment",
        "delay": "delay",
        "unsolicited_cease": "unsolicitedCease",
        "late_provision": "lateProvision",
        "case": "case",
        "complex_order": "ext:isComplexOrder, ext:complexOrder",
    }
    name = elements.get(notifications.REQUIRED.get(kind, ""), "")
    return f"`{name}`" if name else ""


# --- examples -----------------------------------------------------------------------------------------------
def _requests() -> Iterator[str]:
    for title, path, request in examples.REQUESTS:
        yield from _example(f"{title} (`POST /{path}`)", parsing.build(request))


def _answers() -> Iterator[str]:
    for title, make in ANSWERS:
        yield from _example(title, NEW_ID.sub(ANSWER_ID, make()))


def _notifications() -> Iterator[str]:
    for kind in NotificationKind:
        yield from _example(f"`{kind}`", notifications.notification(examples.members(kind)))


def _example(title: str, content: bytes) -> Iterator[str]:
    yield f"#### {title}\n\n```xml\n{content.decode().strip()}\n```\n"


def _schema_files() -> Iterator[str]:
    about = {
        name: schemas.content(INTERFACE, name).decode().split("<!--")[1].split("-->")[0].strip()
        for name in INTERFACE.files
    }
    return _table(("file", "holds"), ((f"`GET /schemas/{name}`", text) for name, text in about.items()))


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "paths": _paths,
    "header": _header,
    "elements": _elements,
    "types": _types,
    "kinds": _kinds,
    "request examples": _requests,
    "answer examples": _answers,
    "notification examples": _notifications,
    "schema files": _schema_files,
}
