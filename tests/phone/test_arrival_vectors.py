"""What is displayed far from the premises, by the vectors that run against the phone's arrival_distance.js too."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from phone.arrival_distance import far_away_text

FILE = Path(__file__).parents[1] / "data" / "arrival_vectors.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8"))["vectors"]


def sentence_of(case: dict[str, Any]) -> str:
    position = case["position"]
    point = None if "missing_because" in position else (position["latitude"], position["longitude"])
    premises = tuple(case["premises"]) if case["premises"] else None
    return far_away_text(point, premises, accuracy_metres=position.get("accuracy_metres"))


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_server_says_what_the_phone_says(case: dict[str, Any]) -> None:
    sentence = (
        f"You tapped “I'm on site” {case['distance']} from the premises. Check that this is the right job. "
        "If it is, continue."
    )

    assert sentence_of(case) == (sentence if case["distance"] else "")


def test_distance_has_the_reader_s_comma() -> None:
    near = next(case for case in VECTORS if case["distance"] == "1.1 km")

    with translation.override("de"):
        assert "1,1 km" in sentence_of(near)
