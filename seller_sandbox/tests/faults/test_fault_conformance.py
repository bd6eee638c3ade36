"""The tables of faults-and-diagnostics.md against our data, and the page that says which test shows what."""

import pytest
from django.conf import settings

from seller_sandbox.endpoints import operations
from seller_sandbox.faults import validation
from seller_sandbox.faults.models import ClosureCode
from seller_sandbox.faults.states import OPEN, TRANSITIONS, FaultEventKind, FaultNotificationKind, FaultState
from seller_sandbox.tests.faults.conformance import (
    DECISIONS,
    DOCUMENT,
    MISSING,
    PAGE,
    list_decisions,
    list_sentences,
)

E, S = FaultEventKind, FaultState
# by the trigger and condition of the document's row; triage starts work with an event of its own (D5)
EVENTS: dict[tuple[str, str], tuple[FaultEventKind, ...]] = {
    ("addFaultReport", "received"): (E.RECEIVED,),
    ("validation", "mandatory information present and ServiceID valid"): (E.VALIDATED,),
    ("validation", "mandatory information missing, or ServiceID invalid"): (E.REJECTED,),
    ("validation", "fault type Service Outage sent without an appointment reservation key"): (E.REJECTED,),
    ("validation", "non-TLOS fault type sent with an appointment reservation key"): (E.REJECTED,),
    ("supplier triage", "fault found on supplier network"): (E.TRIAGE_STARTED,),
    (
        "supplier needs information from buyer or end user",
        "delay outside the supplier's control",
    ): (E.HELD,),
    ("information received or appointment booked", ""): (E.INFORMATION_RECEIVED, E.APPOINTMENT_BOOKED),
    ("supplier deems fault resolved", ""): (E.RESOLVED,),
    ("resolveResponse accepts", ""): (E.RESOLUTION_ACCEPTED,),
    ("resolveResponse rejects", ""): (E.RESOLUTION_REJECTED,),
    ("no buyer reply for 48 hours", ""): (E.CLOSED_BY_SILENCE,),
}
STATES = {state.label: {state} for state in S} | {"(none)": set(), "any open": set(OPEN)}
REJECTIONS = {
    "Missing mandatory information.": validation.MISSING,
    "Invalid ServiceID.": validation.INVALID_SERVICE,
    "Fault type Service Outage without an appointment reservation key.": validation.KEY_NEEDED,
    "Non-TLOS fault type with an appointment reservation key.": validation.KEY_NOT_ALLOWED,
}


def test_copy_is_the_document() -> None:
    if not (DOCUMENT.is_file() and DECISIONS.is_file()):
        pytest.skip("the interface documents are not on this machine")
    passages = [*list_sentences(DOCUMENT.read_text()), *list_decisions(DECISIONS.read_text())]

    assert [(row.section, row.heading, row.row) for row in PAGE.rows] == passages


def test_page_is_current() -> None:
    command = "python -m seller_sandbox.tests.faults.conformance > docs/conformance-faults.md"
    assert PAGE.path.read_text() == PAGE.text(), f"run: {command}"


def test_every_named_test_is_there() -> None:
    assert PAGE.unknown_tests() == []


def test_every_sentence_has_a_test_or_says_why_it_has_none() -> None:
    assert [row for row in PAGE.rows if not row.tests and not row.note] == []
    assert [row for row in PAGE.rows if row.tests and row.note == MISSING] == []


def test_closure_codes() -> None:
    rows = [tuple(row.cells) for row in PAGE.rows_of("Resources", "Ticket closure codes")]

    assert rows == [(code.value, code.label) for code in ClosureCode]


def test_statuses() -> None:
    assert PAGE.rows_of("States")[0].text == f"Ticket statuses: {', '.join(S.labels)}."


def test_transitions() -> None:
    """12 rows: state, trigger, condition, next state."""
    rows = [row.cells for row in PAGE.rows_of("States") if row.row.startswith("|")]

    assert [(trigger, condition) for _, trigger, condition, *_ in rows] == list(EVENTS)
    for before, trigger, condition, after, _ in rows:
        found = [TRANSITIONS[kind] for kind in EVENTS[trigger, condition]]
        assert all(STATES[before] <= row.sources for row in found), trigger
        targets = {row.target for row in found}
        assert targets == STATES.get(after, {S.IN_PROGRESS}), trigger


def test_notifications() -> None:
    """The twelve, and the thirteenth that only a rule names."""
    rows = [row.cells[1:] for row in PAGE.rows_of("Endpoints", "Supplier to buyer")]

    kinds = [kind for kind in FaultNotificationKind if kind != FaultNotificationKind.UPDATE]
    assert rows == [[f"/{kind.value}", kind.label] for kind in kinds]
    rules = " ".join(row.text for row in PAGE.rows_of("Endpoints", "Rules"))
    assert FaultNotificationKind.UPDATE in rules


def test_operations_are_served_by_their_method_below_every_base_path() -> None:
    rows = [row.cells[:2] for row in PAGE.rows_of("Endpoints", "Buyer to supplier")]

    assert len(rows) == 10
    for base in settings.FAULT_BASE_PATHS:
        for method, path in rows:
            assert operations.find(base + path).methods == (method,)


def test_rejection_conditions() -> None:
    rows = [row.text for row in PAGE.rows_of("Errors", "Rejection conditions")]

    assert rows == list(REJECTIONS)
    assert len(set(REJECTIONS.values())) == 4
