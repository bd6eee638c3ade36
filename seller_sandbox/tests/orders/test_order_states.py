"""docs/order-states.md is what orders/states.py says, and the table says what the document's States say."""

from pathlib import Path

import pytest

from seller_sandbox.orders.state_page import states_page
from seller_sandbox.orders.states import ENDED, TRANSITIONS, OrderCondition, OrderEventKind, OrderState
from seller_sandbox.tests.orders import samples

PAGE = Path(__file__).resolve().parents[3] / "docs" / "order-states.md"
# what may still happen to an order that has ended: it changes no state
AFTER_THE_END = {
    OrderEventKind.CANCELLATION_REJECTED,
    OrderEventKind.MISSED_APPOINTMENT_NOTIFIED,
    OrderEventKind.LATE_PROVISION_NOTIFIED,
    OrderEventKind.CASE_CLOSED,
    OrderEventKind.AMENDMENT_REJECTED,
    OrderEventKind.VISIT_ENDED,
    OrderEventKind.VISIT_CANCELLED,
    OrderEventKind.NOTED,
}


def test_page_is_current() -> None:
    command = "python -m seller_sandbox.manage order_states > docs/order-states.md"
    assert PAGE.read_text() == states_page(), f"run: {command}"


def test_page_shows_a_move_a_fact_and_a_beginning() -> None:
    """States, Transitions."""
    lines = states_page().splitlines()

    assert "    [*] --> pending: Order received" in lines
    assert "    committed --> completed: Completed" in lines
    assert any(line.startswith("| `delayed` | Delayed |  |  | · | · |") for line in lines)


def test_each_event_has_a_row() -> None:
    """Events."""
    assert set(TRANSITIONS) == set(OrderEventKind)


def test_rejected_follows_only_pending() -> None:
    """States, seller validation fails."""
    sources = [row.sources for row in TRANSITIONS.values() if row.target == OrderState.REJECTED]

    assert sources == [frozenset({OrderState.PENDING})]


def test_no_state_follows_an_end() -> None:
    """States, Transitions."""
    after = {kind for kind, row in TRANSITIONS.items() if row.sources & ENDED}

    assert after == AFTER_THE_END
    assert not any(TRANSITIONS[kind].target for kind in after)


def test_completed_follows_committed_and_of_a_modify_order_pending() -> None:
    """States, completion; modify order."""
    rows = {kind: row.sources for kind, row in TRANSITIONS.items() if row.target == OrderState.COMPLETED}

    assert rows == {
        OrderEventKind.COMPLETED: frozenset({OrderState.COMMITTED}),
        OrderEventKind.MODIFIED: frozenset({OrderState.PENDING}),
    }


@pytest.mark.django_db
@pytest.mark.usefixtures("network")
def test_cancelled_order_is_delayed_no_more() -> None:
    """D16."""
    order = samples.placed()
    assert order.conditions == [OrderCondition.DELAY]

    order = samples.cancel(order)

    assert (order.state, order.conditions, order.delay_code) == (OrderState.CANCELLED, [], "")
