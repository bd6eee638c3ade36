"""The tables of order-provisioning.md against our data, row by row, and the page that says which test shows what."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from seller_sandbox.orders import limits, reasons, regrades
from seller_sandbox.orders.appointments.mborc_rules import MBORC_RULES
from seller_sandbox.orders.late_orders.exclusion_codes import ExclusionCode
from seller_sandbox.orders.notification_kinds import EVENT_ROWS, RULE_ROWS, NotificationKind
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import IN_FLIGHT, TRANSITIONS, OrderCondition, OrderEventKind, OrderState
from seller_sandbox.tests.conformance_page import DocumentRow
from seller_sandbox.tests.orders.conformance import DOCUMENT, PAGE, list_rows

E, S = OrderEventKind, OrderState
STATES = {"Pending": {S.PENDING}, "Acknowledged": {S.ACKNOWLEDGED}, "Committed": {S.COMMITTED}}
STATES |= {"Completed": {S.COMPLETED}, "Rejected": {S.REJECTED}, "Cancelled": {S.CANCELLED}, "(none)": set()}
STATES |= {"Acknowledged or Committed": {S.ACKNOWLEDGED, S.COMMITTED}, "any in-flight": set(IN_FLIGHT)}
# by the trigger and condition of the document's row; "waiting for appointment" is the mark Delay (D16)
EVENTS = {
    ("orderRequest received", "accepted for processing"): E.RECEIVED,
    ("seller validation", "passes"): E.VALIDATED,
    ("seller validation", "fails (see Errors)"): E.REJECTED,
    (
        "seller commits",
        "for a complex order only after the Standard Install appointment is booked",
    ): E.COMMITTED,
    ("completion", "service provisioned (for managed install, installation confirmed)"): E.COMPLETED,
    ("modify order", "service is live"): E.MODIFIED,
    ("buyer cancelOrder", "order in early stages"): E.BUYER_CANCELLED,
    (
        "seller cancel",
        "order can no longer progress (for example property no longer serviceable)",
    ): E.SELLER_CANCELLED,
    ("cabinet release date later than appointment date", "slip detected"): E.CABINET_SLIPPED,
    ("order has no appointment key", ""): E.DELAYED,
    ("pre-order", "cabinet release date in the future"): E.DELAYED,
    ("deadline expiry in a complex order", "see Limits"): E.TIMED_OUT,
    ("amendRequest", "validation passes"): E.AMENDMENT_ACCEPTED,
    ("amendRequest", "validation fails"): E.AMENDMENT_REJECTED,
}
# the reasons that answer each row of Errors; the last two rows are answered otherwise
ERRORS: dict[str, tuple[Reason, ...]] = {
    "Project reference invalid or outside the project dates": (reasons.PROJECT,),
    "Buyer order reference missing or duplicate": (reasons.REFERENCE_MISSING, reasons.REFERENCE_DUPLICATE),
    "Buyer order reference longer than 36 characters": (reasons.REFERENCE_TOO_LONG,),
    "UPRN missing or not numeric": (reasons.UPRN_INVALID,),
    "Product not FTTH, or not permitted for account or location": (
        reasons.PRODUCT_NOT_FTTH,
        reasons.PRODUCT_NOT_FOR_ACCOUNT,
        reasons.PRODUCT_NOT_FOR_LOCATION,
    ),
    "Product same as the active service (regrade)": (reasons.PRODUCT_SAME,),
    "Auxiliary services unrecognised, not permitted with the product or not permitted for the account": (
        reasons.AUXILIARY_UNKNOWN,
        reasons.AUXILIARY_NOT_FOR_PRODUCT,
        reasons.AUXILIARY_NOT_FOR_ACCOUNT,
    ),
    "Gross errors in service configuration": (
        reasons.CONFIGURATION_VLAN,
        reasons.CONFIGURATION_NNI,
        reasons.CONFIGURATION_PROFILE,
        reasons.CONFIGURATION_LENGTH,
    ),
    "Property type not FTTH": (reasons.PROPERTY_TYPE,),
    "RFS status not RFS_1 (or NOT_RFS_2 for a pre-order)": (reasons.RFS_STATUS,),
    "Appointment key for wrong UPRN, wrong product or expired": (
        reasons.KEY_WRONG_UPRN,
        reasons.KEY_WRONG_PRODUCT,
        reasons.KEY_EXPIRED,
    ),
    "Amendment to product or UPRN": (reasons.AMEND_PRODUCT_OR_UPRN,),
    "Comment on a closed case": (reasons.AMEND_CASE_CLOSED,),
    "Losing-provider or gaining-provider date amendment that breaks the date rules": (
        reasons.AMEND_BEFORE_CEASE,
        reasons.AMEND_AFTER_PONR,
    ),
    "Appointment not possible": (),
    "Reservation for an order in a property needing Extended Install (LOC flag WSD or SUR)": (
        reasons.DELAY_SURVEY,
    ),
}
# the numbers of each row of Limits; rows without one are times or dates that follow from others
LIMITS: dict[str, tuple[int, ...]] = {
    "Buyer order reference length": (limits.REFERENCE_CHARACTERS,),
    "Wait for appointment on a new install": (limits.APPOINTMENT_WINDOW_DAYS,),
    "Regrade order without requested date": (limits.REGRADE_WINDOW_DAYS,),
    "Regrade order lead time": (),
    "Switch lead time": (),
    "WLTO lead time": (limits.WLTO_WORKING_DAYS, limits.OWN_WLTO_DAYS),
    "One Touch Switch change": (limits.WLTO_WORKING_DAYS,),
    "Complex order: remote survey": (limits.REMOTE_SURVEY_WORKING_DAYS,),
    "Complex order: accept or reject desktop estimate, add orderSurvey appointment": (
        limits.ESTIMATE_WINDOW_DAYS,
    ),
    "Complex order: accept or reject finalized cost, then add orderExternal appointment": (
        limits.COST_WINDOW_DAYS,
    ),
    "Complex order: add orderInternal appointment after external build": (limits.INTERNAL_WINDOW_DAYS,),
    "Cease notice": (),
    "Amendment cut-off for Switch and WLTO": (),
    "Missed-appointment lateness threshold": (limits.LATE_HOUR.hour - 12,),
}

# how many rules each numbered list has
NUMBERED = {
    "Transport and message": 7,
    "Missed Appointment": 7,
    "Amendment": 8,
    "Switch and WLTO": 6,
    "Regrade": 7,
    "Endpoints": 6,
    "Authentication": 4,
    "Complex-order": 5,
}


def test_copy_is_the_document() -> None:
    """Issue 13, Shown to work when."""
    if not DOCUMENT.is_file():
        pytest.skip("the interface document is not on this machine")

    assert [row.row for row in PAGE.rows] == list(list_rows(DOCUMENT.read_text()))


def test_page_is_current() -> None:
    """Issue 13, Shown to work when."""
    command = "python -m seller_sandbox.tests.orders.conformance > docs/conformance-orders.md"
    assert PAGE.path.read_text() == PAGE.text(), f"run: {command}"


def test_every_named_test_is_there() -> None:
    """Issue 13, Shown to work when."""
    assert PAGE.unknown_tests() == []


def test_every_row_has_a_test_or_says_why_it_has_none() -> None:
    """Issue 13, Shown to work when."""
    assert [row for row in PAGE.rows if not row.tests and not row.note] == []
    assert len([row for row in PAGE.rows if not row.tests]) == 2


def test_every_order_test_names_a_section() -> None:
    """Issue 13, 3: in its docstring, in that of its file, or by a row of the document that names it."""
    named = {name for row in PAGE.rows for name in row.tests}
    section = _named_section()

    assert [
        name
        for name, docstrings in _order_tests()
        if name not in named and not any(section.search(text) for text in docstrings)
    ] == []


def _named_section() -> re.Pattern[str]:
    """A heading of the document before a number or a mark, rules by their number, a decision or the issue."""
    headings = {name for row in PAGE.rows for name in (row.section, row.heading)} - {"", "Rules"}
    names = {re.split(r" \(| for | Notification", name)[0] for name in headings} | {"States", "Regrade"}
    texts = "|".join(re.escape(name) for name in sorted(names))
    return re.compile(rf"\b({texts})([,;:.)]| \d)|\b[Rr]ules? \d|\bD\d|\b[Ii]ssue (13|section)")


def _order_tests() -> Iterator[tuple[str, list[str]]]:
    """Each test of this folder as the document's rows name it, with its docstring and its file's."""
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        module = ast.parse(file.read_text())
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                docstrings = [ast.get_docstring(each) or "" for each in (node, module)]
                yield f"orders/{file.name}::{node.name}", docstrings


def test_every_rule_that_a_test_names_is_there() -> None:
    """Issue 13, 3: a number behind the name of a list is that of one of its rules."""
    most = {name: max(_rule_numbers(name), default=0) for name in NUMBERED}
    lists = "|".join(NUMBERED)
    named = re.compile(rf"\b({lists})(?: rules?)? ((?:\d+(?:, | and | to )?)+)")

    found = [
        (test, match.group())
        for test, docstrings in _order_tests()
        for match in named.finditer(" ".join(docstrings))
        # reasons have three digits, days two
        if any(int(number) > most[match[1]] for number in re.findall(r"\b\d\b", match[2]))
    ]

    assert most == NUMBERED
    assert found == []


def _rule_numbers(name: str) -> Iterator[int]:
    """Of the rules in the sections, and under the headings, that begin with this name."""
    for row in PAGE.rows:
        number = re.match(r"(\d+)\. ", row.row)
        if number and name in {row.section[: len(name)], row.heading[: len(name)]}:
            yield int(number[1])


def test_transitions() -> None:
    """14 rows: state, trigger, condition, next state. States, Transitions."""
    rows = [row.cells for row in PAGE.rows_of("States", "Transitions")]

    assert [(trigger, condition) for _, trigger, condition, *_ in rows] == list(EVENTS)
    for before, trigger, condition, after, _ in rows:
        transition = TRANSITIONS[EVENTS[trigger, condition]]
        assert STATES[before] <= transition.sources, trigger
        assert transition.target is None or STATES[after] == {transition.target}, trigger
        assert transition.target or after in {before, "unchanged", "waiting for appointment"}, trigger


def test_states() -> None:
    rows = PAGE.rows_of("States", "Order states")
    named = [row.text.split(",")[0] for row in rows if row.row.startswith("- ")]

    labels = [S.PENDING, S.ACKNOWLEDGED, S.COMMITTED, S.COMPLETED, S.REJECTED, S.CANCELLED]
    assert [name.replace(" (KCI3)", "") for name in named] == [
        state.label.replace(" (KCI3)", "") for state in labels
    ]


def test_conditions() -> None:
    """The document's four, and the delay that its events name (D16)."""
    (sentence,) = [row.text for row in PAGE.rows_of("States", "Order states") if "sub-states" in row.text]

    named = sentence.rstrip(".").partition(": ")[2].split(", ")
    assert [*named, "Delay"] == OrderCondition.labels


def test_event_rows() -> None:
    """16 rows, and three kinds that only the rules name."""
    assert [row.cells[0] for row in PAGE.rows_of("Events", "Events")] == [name for name, _ in EVENT_ROWS]
    rules = " ".join(row.row for row in PAGE.rows if "rules" in row.heading or row.section == "Errors")
    for name, _ in RULE_ROWS:
        assert name in rules
    answered = {kind for _, kinds in EVENT_ROWS for kind in kinds} | {kind for _, kind in RULE_ROWS}
    assert answered == set(NotificationKind)


def _table(section: str, heading: str = "") -> list[DocumentRow]:
    """Without the sentences around it."""
    return [row for row in PAGE.rows_of(section, heading) if row.row.startswith("|")]


def test_error_rows() -> None:
    rows = [row.cells[0] for row in _table("Errors")]

    assert rows == list(ERRORS)
    assert len(rows) == 16
    used = [reason.code for found in ERRORS.values() for reason in found]
    assert len(used) == len(set(used)), "each condition has a code of its own"
    assert reasons.PROJECT.code == "511"


def test_limits() -> None:
    rows = {row.cells[0]: row.cells[1] for row in PAGE.rows_of("Limits")}

    assert list(rows) == list(LIMITS)
    for name, numbers in LIMITS.items():
        text = [int(number) for number in re.findall(r"\d+", rows[name])]
        assert text == list(numbers), name
    assert "two business days" in rows["Switch lead time"]
    assert (limits.SWITCH_DATE_WORKING_DAYS, limits.SWITCH_APPOINTMENT_WORKING_DAYS) == (1, 2)


def test_exclusion_codes() -> None:
    rows = [tuple(row.cells) for row in PAGE.rows_of("Resources", "Exclusion")]

    assert rows == [(code.value, code.label) for code in ExclusionCode]


def test_mborc_rows() -> None:
    rows = [row.cells for row in _table("Resources", "MBORC")]

    ours = [
        [kind.value, rule.late_provision.value, rule.late_repair.value, rule.missed_appointment.value]
        for kind, rule in MBORC_RULES.items()
    ]
    assert rows == ours


def test_regrade_pairs() -> None:
    """Two pairs in both directions and eight in one; the misprint is read as National 160 to Local 160 (D12)."""
    both, single = [], []
    for row in PAGE.rows_of("Resources", "Regrade"):
        ends = [_product_of(end) for end in re.split(" and | to ", row.text)]
        (both if " and " in row.text else single).append(tuple(ends))
    misprint = (("National", 160), ("National", 160))
    single[single.index(misprint)] = (("National", 160), ("Local", 160))

    assert {pair for found in both for pair in (found, found[::-1])} == set(regrades.WITHOUT_ACCESS_CHANGE)
    assert single == list(regrades.WITH_ACCESS_CHANGE)


def _product_of(text: str) -> tuple[str, int]:
    access = "National" if "National" in text else "Local"
    return access, 160 if "160 Mbps" in text else 1000


def test_other_codes() -> None:
    text = " ".join(row.text for row in PAGE.rows_of("Resources", "Other codes"))

    for reason in (reasons.DELAY_SURVEY, reasons.DELAY_CABINET, reasons.DELAY_PET, reasons.NOT_MOVING):
        assert reason.code in text
