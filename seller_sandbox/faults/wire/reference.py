"""The generated parts of docs/fault-messages.md: tables from schema and states, examples from the functions."""

from collections.abc import Callable, Iterator

from seller_sandbox import clock
from seller_sandbox.faults import validation
from seller_sandbox.faults.states import TRANSITIONS, FaultNotificationKind
from seller_sandbox.faults.wire import examples, notifications, parsing
from seller_sandbox.faults.wire.namespaces import INTERFACE, tag
from seller_sandbox.faults.wire.request_layouts import PATHS
from seller_sandbox.faults.wire.responses import FaultResponseCode
from seller_sandbox.soap import schema_model, schema_tables
from seller_sandbox.soap.schema_tables import ELEMENT_HEADS, SchemaTables, example, table

SHARED = frozenset(
    tag(name)
    for name in ("Contact", "Files", "ReportedFaultDetails", "Slot", "RejectionReason", "AppointmentType")
)
TABLES = SchemaTables(INTERFACE, SHARED)
DOWNLOADS = (
    ("faultReport.txt", "The schema that validates every message of this page"),
    ("changeLog.txt", "Ten newest changes of each of the two interfaces"),
)
CODE_TEXTS = {
    FaultResponseCode.OK: "Taken",
    FaultResponseCode.INVALID: "The message breaks the schema, or came to the path of another message",
    FaultResponseCode.MESSAGE_ID_REUSED: "The messageId was used for another message",
    FaultResponseCode.REFERENCE_USED: "The buyerFaultReference was used before",
    FaultResponseCode.UNKNOWN_FAULT_REPORT: "The buyer has no fault report with these references",
    FaultResponseCode.WRONG_STATE: "Not possible in the state of the fault report",
    FaultResponseCode.NOT_AMENDABLE: "serviceAffected cannot be amended",
    FaultResponseCode.KEY_REFUSED: "The appointment reservation key cannot be used, or is not due",
}
REASON_TEXTS = {
    validation.MISSING: "Mandatory information is missing; one reason for each element",
    validation.INVALID_SERVICE: "The ServiceID is unknown, ceased or another buyer's",
    validation.KEY_NEEDED: "A Service Outage without a key that can be used",
    validation.KEY_NOT_ALLOWED: "Another type with a key",
}


def render(page: str) -> str:
    """The page with its generated parts made anew. Raises KeyError for a part that nobody makes."""
    with clock.at(examples.MOMENT):
        return schema_tables.fill(page, PARTS)


def _paths() -> Iterator[str]:
    messages = schema_model.messages(INTERFACE)
    rows = [(f"`POST /{path}`", messages[tag(path)].text, f"`{path}Response`") for path in PATHS]
    rows += [(f"`GET /{name}`", text, "the file") for name, text in DOWNLOADS]
    return table(("path", "purpose", "answer"), rows)


def _kinds() -> Iterator[str]:
    rows = []
    for kind in FaultNotificationKind:
        events = [event.label for event, row in TRANSITIONS.items() if row.notification == kind]
        needed = ", ".join(notifications.REQUIRED.get(kind, ()))
        rows.append((f"`POST /{kind.value}`", kind.label, "; ".join(events), needed.replace("_", " ")))
    return table(("path at the buyer", "purpose", "sent when", "always carries"), rows)


def _elements() -> Iterator[str]:
    """A message of several names, like the notifications, is shown once."""
    names: dict[str, list[str]] = {}
    for row in schema_model.messages(INTERFACE).values():
        names.setdefault(row.type_name, []).append(TABLES.name(row.tag))
    for type_name, elements in names.items():
        found = schema_model.types(INTERFACE)[type_name]
        yield f"### {elements[0] if len(elements) == 1 else TABLES.name(type_name)}\n"
        yield f"Element {', '.join(f'`{name}`' for name in elements)}. {found.text}\n\n{ELEMENT_HEADS}"
        yield from TABLES.rows(found.children)
        yield ""


def _codes() -> Iterator[str]:
    return table(
        ("responseCode", "meaning"), ((str(int(code)), CODE_TEXTS[code]) for code in FaultResponseCode)
    )


def _reasons() -> Iterator[str]:
    return table(
        ("rejectionReasonCode", "meaning"), ((f"`{code}`", text) for code, text in REASON_TEXTS.items())
    )


def _mandatory() -> Iterator[str]:
    contacts = [f"{name}/{part}" for name in validation.CONTACTS.values() for part in ("name", "phone")]
    yield from (f"- `{name}`" for name in (*validation.MANDATORY.values(), *contacts))


def _requests() -> Iterator[str]:
    for title, request in examples.REQUESTS:
        yield from example(f"{title} (`POST /{parsing.path_of(request)}`)", parsing.build(request))


def _answers() -> Iterator[str]:
    for title, make in examples.ANSWERS:
        yield from example(title, make())


def _notifications() -> Iterator[str]:
    for kind in FaultNotificationKind:
        yield from example(f"`{kind.value}`", notifications.notification(kind, examples.members(kind)))


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "paths": _paths,
    "notifications": _kinds,
    "response codes": _codes,
    "rejection reasons": _reasons,
    "mandatory": _mandatory,
    "elements": _elements,
    "types": TABLES.types,
    "request examples": _requests,
    "answer examples": _answers,
    "notification examples": _notifications,
}
