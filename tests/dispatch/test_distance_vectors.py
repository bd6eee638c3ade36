"""The distance of one pair and of all pairs at once: two implementations, one file of vectors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dispatch.driving.travel import distance_metres
from dispatch.planning.engine.travel_matrix import distance_matrix

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "distance_vectors.json").read_text())["vectors"]
EXPECTED = [vector["metres"] for vector in VECTORS]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_distance_of_one_pair(vector: dict[str, Any]) -> None:
    start, end = tuple(vector["start"]), tuple(vector["end"])

    assert distance_metres(start, end) == pytest.approx(vector["metres"], abs=0.001)
    assert distance_metres(end, start) == pytest.approx(vector["metres"], abs=0.001)


def test_distances_of_all_pairs() -> None:
    starts, ends = (np.array([vector[end] for vector in VECTORS], dtype=float) for end in ("start", "end"))

    there, back = distance_matrix(starts, ends), distance_matrix(ends, starts)

    assert there.diagonal() == pytest.approx(EXPECTED, abs=0.001)
    assert back.diagonal() == pytest.approx(EXPECTED, abs=0.001)


def test_both_agree_on_every_pair() -> None:
    starts, ends = ([tuple(vector[end]) for vector in VECTORS] for end in ("start", "end"))
    single = [[distance_metres(start, end) for end in ends] for start in starts]

    found = distance_matrix(np.array(starts, dtype=float), np.array(ends, dtype=float))

    assert found == pytest.approx(np.array(single), abs=0.001)
