"""The generated parts of docs/order-messages.md: tables from the schemas and kinds, examples from the functions."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC

from seller_sandbox import clock
from seller_sandbox.jobs import codes
from seller_sandbox.orders import closure_outcomes
from seller_sandbox.orders.closure_outcomes import ClosureOutcome, OutcomeKind
from seller_sandbox.orders.notification_kinds import EVENT_ROWS, RULE_ROWS, NotificationKind
from seller_sandbox.orders.wire import examples, notifications, parsing, paths
from seller_sandbox.orders.wire.answer_examples import ANSWERS
from seller_sandbox.orders.wire.namespaces import BASE, INTERFACE, base, ext
from seller_sandbox.orders.wire.request_layouts import LAYOUTS
from seller_sandbox.soap import schema_model, schema_tables, schemas
from seller_sandbox.soap.schema_model import ElementRow
from seller_sandbox.soap.schema_tables import ELEMENT_HEADS, SchemaTables, example, table

HEADER = {base("message"), base("buyer"), base("seller")}
# the answers' message ids are new each time
NEW_ID = re.compile(rb"<messageId>[0-9a-f-]{36}</messageId>")
ANSWER_ID = b"<messageId>3f1a0b52-5f0c-4f3e-8f62-6f4f7a2f4a11</messageId>"
REJECTED_WITH_DATE_RULES = "Errors; Switch and WLTO rules"
# container types that more than one message uses
SHARED = frozenset(
    {
        *map(base, ("ServiceConfiguration", "AuxiliaryServices", "AppointmentType", "Appointment", "Slot")),
        *map(base, ("RejectionReason", "CancellationReason", "BuyerReferences", "SiteInformation")),
        ext("NniIdentifiers"),
        ext("ComplexOrder"),
    }
)
NEW_KEY = "a new key within 30 days"
AFTER_RESULT = "after provisioning result 1 or 2, else Delay 234 and " + NEW_KEY
EFFECTS = {
    OutcomeKind.COMPLETE: f"Completed {AFTER_RESULT}",
    OutcomeKind.COMPLETE_WITH_WARNING: f"Completed with warning 592 {AFTER_RESULT}",
    OutcomeKind.DELAY_FOR_APPOINTMENT: f"Delay {{reason}}; {NEW_KEY}",
    OutcomeKind.MISSED_BY_END_USER: f"appointment missed by the end user; Delay {{reason}}; {NEW_KEY}",
    OutcomeKind.MISSED_BY_SELLER: f"appointment missed by the seller; Delay {{reason}}; {NEW_KEY}",
    OutcomeKind.MISSED_BEYOND_CONTROL: (
        f"appointment missed by the seller with MBORC Y; Delay {{reason}}; {NEW_KEY}"
    ),
    OutcomeKind.CANCEL: "Cancelled by the seller: {reason}",
    OutcomeKind.REPAIR: "Delay {reason}; a new appointment (KCI2 again) and a new pack after the repair",
    OutcomeKind.CHERRY_PICKER: "a new appointment (KCI2 again) at once; the new pack has the flag CHP",
    OutcomeKind.MILESTONE: "goes on with the next stage of its complex course",
    OutcomeKind.REVIEW: "Delay {reason} until a person at the seller decides",
    OutcomeKind.REFUSE: "no order has such a job: refused with 422; a lenient seller: Delay 235",
}
TABLES = SchemaTables(INTERFACE, SHARED, unopened=frozenset({base("OrderClosed")}))


def render(page: str) -> str:
    """The page with its generated parts made anew. Raises KeyError for a part that nobody makes."""
    with clock.at(examples.MOMENT.astimezone(UTC)):
        return schema_tables.fill(page, PARTS)


# --- paths and elements -------------------------------------------------------------------------------------
def _paths() -> Iterator[str]:
    rows = []
    for path in paths.PATHS[1:]:
        request = next(request for _, own, request in examples.REQUESTS if own == path)
        name = TABLES.name(LAYOUTS[type(request)].tag)
        kind = f" with `{request.kind}`" if path in paths.ORDER_KINDS else ""
        answer = "orderResponse" if path in paths.ORDER_KINDS else name.removesuffix("Request") + "Response"
        rows.append((f"`POST /{path}`", f"`{name}`{kind}", f"`{answer}`"))
    return table(("path", "request", "answer"), rows)


def _header() -> Iterator[str]:
    yield ELEMENT_HEADS
    for row in schema_model.types(INTERFACE)[base("ProductsRequest")].children:
        if row.tag in HEADER:
            yield from TABLES.rows([row])


def _elements() -> Iterator[str]:
    for row in schema_model.messages(INTERFACE).values():
        if not _is_message(row):
            continue
        yield f"### {TABLES.name(row.tag)}\n\n{row.text}. The element's name is {schema_tables.source(row)}.\n"
        children = TABLES.children(row.type_name)
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
        often = schema_tables.occurrence(first)
        yield f"| [header](#header) | | {often} | | the three elements `message`, `buyer` and `seller` |"
    for row in children:
        if row.tag not in HEADER:
            yield from TABLES.rows([row])


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
    return table(
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


# --- closure codes ------------------------------------------------------------------------------------------
def _closure_codes() -> Iterator[str]:
    rows = (
        (f"`{code}`", codes.describe(code), codes.job_type_of(code) or "any", _effect(outcome))
        for code, outcome in closure_outcomes.outcomes().items()
    )
    return table(("closure code", "meaning", "job", "the order"), rows)


def _effect(outcome: ClosureOutcome) -> str:
    reason = f"{outcome.reason.code} {outcome.reason.message}" if outcome.reason else ""
    return EFFECTS[outcome.kind].format(reason=reason)


# --- examples -----------------------------------------------------------------------------------------------
def _requests() -> Iterator[str]:
    for title, path, request in examples.REQUESTS:
        yield from example(f"{title} (`POST /{path}`)", parsing.build(request))


def _answers() -> Iterator[str]:
    for title, make in ANSWERS:
        yield from example(title, NEW_ID.sub(ANSWER_ID, make()))


def _notifications() -> Iterator[str]:
    for kind in NotificationKind:
        yield from example(f"`{kind}`", notifications.notification(examples.members(kind)))


def _schema_files() -> Iterator[str]:
    about = {
        name: schemas.content(INTERFACE, name).decode().split("<!--")[1].split("-->")[0].strip()
        for name in INTERFACE.files
    }
    return table(("file", "holds"), ((f"`GET /schemas/{name}`", text) for name, text in about.items()))


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "paths": _paths,
    "header": _header,
    "elements": _elements,
    "types": TABLES.types,
    "kinds": _kinds,
    "closure codes": _closure_codes,
    "request examples": _requests,
    "answer examples": _answers,
    "notification examples": _notifications,
    "schema files": _schema_files,
}
