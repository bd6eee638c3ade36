"""The phone moves a job before the server knows: both by one file, which tests/js/moves.test.mjs reads too."""

import json
from itertools import product
from pathlib import Path

import pytest

from dispatch.states import ENDED_STATES, EVENTS, UNDER_WAY, EventKind, JobState, is_legal

FILE = Path(__file__).parents[1] / "data" / "move_vectors.json"
VECTORS = json.loads(FILE.read_text())["vectors"]
TAPS = {"en_route": EventKind.EN_ROUTE, "on_site": EventKind.ON_SITE, "close": EventKind.CLOSED}
# a job in review is a closed one for the phone, and one of nobody is not on it
ON_A_PHONE = {JobState.ASSIGNED} | UNDER_WAY | ENDED_STATES


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['tap']} of {vector['state']}")
def test_tap_moves_the_job_as_the_table_of_states_says(vector: dict[str, str | None]) -> None:
    kind = TAPS[str(vector["tap"])]
    is_allowed = is_legal(kind, state=JobState(str(vector["state"])))
    assert (EVENTS[kind].becomes if is_allowed else None) == vector["after"]


def test_every_state_of_a_phone_has_its_vectors() -> None:
    assert {(vector["tap"], vector["state"]) for vector in VECTORS} == set(product(TAPS, ON_A_PHONE))
