"""The full product of events and states against a list written by hand."""

import pytest

from dispatch.states import EVENTS, EventKind, JobState, Owner, is_legal, owner_of

LEGAL = {
    "received": "",
    "located": "unassigned assigned en_route on_site",
    "engineer_assigned": "unassigned assigned en_route on_site",
    "rescheduled": "assigned",
    "second_changed": "assigned en_route on_site",
    "unassigned": "assigned en_route",
    "en_route": "assigned",
    "on_site": "assigned en_route",
    "handover_requested": "en_route on_site",
    "ont_scanned": "on_site",
    "ont_provisioned": "assigned en_route on_site in_review",
    "submitted": "on_site",
    "sent_back": "in_review",
    "closed": "unassigned assigned en_route on_site in_review",
    "cancelled": "unassigned assigned en_route",
    "held": "unassigned assigned en_route",
    "released": "unassigned assigned en_route on_site in_review",
    "pinned": "assigned",
    "unpinned": "assigned",
    "note_added": "unassigned assigned en_route on_site in_review closed cancelled",
    "line_checked": "unassigned assigned en_route on_site in_review closed cancelled",
    "reported_late": "unassigned assigned en_route on_site in_review closed cancelled",
}


@pytest.mark.parametrize("kind", EventKind)
@pytest.mark.parametrize("state", JobState)
def test_event_is_legal_only_where_the_list_says(kind: EventKind, state: JobState) -> None:
    assert is_legal(kind, state=state) == (state.value in LEGAL[kind.value].split())


@pytest.mark.parametrize("kind", EventKind)
def test_only_the_pack_can_begin_a_job(kind: EventKind) -> None:
    assert is_legal(kind, state=None) == (kind == EventKind.RECEIVED)


def test_every_event_has_a_rule() -> None:
    assert set(EVENTS) == set(EventKind)


def test_state_says_who_must_act() -> None:
    assert {state: owner_of(state) for state in JobState} == {
        JobState.UNASSIGNED: Owner.DISPATCHER,
        JobState.ASSIGNED: Owner.ENGINEER,
        JobState.EN_ROUTE: Owner.ENGINEER,
        JobState.ON_SITE: Owner.ENGINEER,
        JobState.CLOSED: Owner.NOBODY,
        JobState.IN_REVIEW: Owner.DISPATCHER,
        JobState.CANCELLED: Owner.NOBODY,
    }
