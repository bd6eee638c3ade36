"""The generated parts of docs/fault-messages.md: tables from schema and states, examples from the functions."""

from collections.abc import Callable, Iterator

from seller_sandbox import clock
from seller_sandbox.faults import validation
from seller_sandbox.faults.models import ClosureCode
from seller_sandbox.faults.states import TRANSITIONS, FaultNotificationKind, FaultState
from seller_sandbox.faults.ticket_closure_codes import ReachedBy, closure_codes
from seller_sandbox.faults.wire import examples, notifications, parsing, responses
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
# meaning, and the text of one
REASON_TEXTS = {
    validation.MISSING: (
        "Mandatory information is missing; one reason for each element",
        "faultDetails/description is missing. Send it.",
    ),
    validation.INVALID_SERVICE: (
        "The ServiceID is unknown, ceased or another buyer's",
        f"{examples.SERVICE} is not a live service of yours.",
    ),
    validation.KEY_NEEDED: (
        "A Service Outage without a key that can be used",
        "A Service Outage needs an appointment reservation key. Reserve a slot and send its key.",
    ),
    validation.KEY_NOT_ALLOWED: (
        "Another type with a key",
        "Performance Issue takes no appointment reservation key. Leave it out.",
    ),
}
WAYS = {
    ReachedBy.TRIAGE: "triage",
    ReachedBy.VISIT: "a visit's closure",
    ReachedBy.NETWORK_REPAIR: "a repair of the network",
    ReachedBy.MISSED_VISIT: "a visit that we missed",
    ReachedBy.CONSOLE: "`resolve`",
}
MISSED_CODE = "`<missedAppointment>…<code>{}</code></missedAppointment>`"
TICKET_CODE = "`<resolution><closureCode>{}</closureCode>…</resolution>`"


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
    rows = ((f"`{code}`", *texts) for code, texts in REASON_TEXTS.items())
    return table(("rejectionReasonCode", "meaning", "a text of it"), rows)


def _states() -> Iterator[str]:
    """Each with the message that tells a buyer of it; the answer to what brought it there says it, too."""
    names: dict[FaultState, list[str]] = {state: [] for state in FaultState}
    names[FaultState.PENDING] = ["addFaultReportResponse"]
    for row in TRANSITIONS.values():
        if row.target and row.notification and row.notification.value not in names[row.target]:
            names[row.target].append(row.notification.value)
    rows = (
        (f"`<status>{state.label}</status>`", ", ".join(f"`{name}`" for name in found))
        for state, found in names.items()
    )
    return table(("status", "the message that says so"), rows)


def _closure_codes() -> Iterator[str]:
    rows = (
        (
            f"`{code}`",
            ClosureCode(code).label,
            row.state,
            ", ".join(WAYS[way] for way in ReachedBy if way in row.reached_by),
            ", ".join(f"`{name}`" for name in row.messages),
            (TICKET_CODE if row.ends_ticket else MISSED_CODE).format(code),
        )
        for code, row in closure_codes().items()
    )
    return table(("code", "meaning", "the ticket", "set by", "messages", "as it is sent"), rows)


def _mandatory() -> Iterator[str]:
    contacts = [f"{name}/{part}" for name in validation.CONTACTS.values() for part in ("name", "phone")]
    yield from (f"- `{name}`" for name in (*validation.MANDATORY.values(), *contacts))


def _requests() -> Iterator[str]:
    for title, request in examples.REQUESTS:
        yield from example(f"{title} (`POST /{parsing.path_of(request)}`)", parsing.build(request))


def _answers() -> Iterator[str]:
    for title, make in examples.ANSWERS:
        yield from example(title, make())
    for code, (path, text) in examples.REFUSALS.items():
        content = responses.refusal(path, examples.REFUSED, code=code, message=text)
        yield from example(f"{path}: a 400 with responseCode {int(code)}", content)


def _notifications() -> Iterator[str]:
    for kind in FaultNotificationKind:
        yield from example(f"`{kind.value}`", notifications.notification(kind, examples.members(kind)))
    update = FaultNotificationKind.UPDATE
    content = notifications.notification(update, examples.members(update, **examples.RE_OPENED))
    yield from example(f"`{update.value}` of a ticket that was re-opened", content)


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "paths": _paths,
    "notifications": _kinds,
    "response codes": _codes,
    "rejection reasons": _reasons,
    "statuses": _states,
    "closure codes": _closure_codes,
    "mandatory": _mandatory,
    "elements": _elements,
    "types": TABLES.types,
    "request examples": _requests,
    "answer examples": _answers,
    "notification examples": _notifications,
}
