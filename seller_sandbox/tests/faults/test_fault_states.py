"""docs/fault-states.md is what faults/states.py says, and the table says what the document and D4 to D9 say."""

from pathlib import Path

import pytest

from seller_sandbox.faults.state_page import states_page
from seller_sandbox.faults.states import (
    ENDED,
    OPEN,
    TRANSITIONS,
    FaultEventKind,
    FaultNotificationKind,
    FaultState,
)

PAGE = Path(__file__).resolve().parents[3] / "docs" / "fault-states.md"
_S, _E = FaultState, FaultEventKind


def test_page_is_current() -> None:
    command = "python -m seller_sandbox.manage fault_states > docs/fault-states.md"
    assert PAGE.read_text() == states_page(), f"run: {command}"


def test_each_event_has_a_row() -> None:
    assert set(TRANSITIONS) == set(FaultEventKind)


def test_each_notification_belongs_to_an_event() -> None:
    assert {row.notification for row in TRANSITIONS.values()} - {None} == set(FaultNotificationKind)


@pytest.mark.parametrize(
    ("target", "sources"),
    [
        (_S.ACCEPTED, {_S.PENDING}),
        (_S.REJECTED, {_S.PENDING}),
        (_S.IN_PROGRESS, {_S.ACCEPTED, _S.RE_OPENED, _S.ON_HOLD}),
        (_S.ON_HOLD, {_S.IN_PROGRESS}),
        (_S.RESOLVED, OPEN),
        (_S.RE_OPENED, {_S.RESOLVED}),
        (_S.CLOSED, {_S.RESOLVED}),
        (_S.CANCELLED, OPEN),
    ],
)
def test_what_leads_to_a_state(target: FaultState, sources: set[FaultState]) -> None:
    rows = [row for row in TRANSITIONS.values() if row.target == target]

    assert set().union(*(row.sources for row in rows)) == sources


def test_no_state_follows_an_end() -> None:
    assert not [kind for kind, row in TRANSITIONS.items() if row.sources & ENDED and row.target]
