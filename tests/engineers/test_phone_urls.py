"""What a telephone dials for a number as people write it; tests/js/office_phone.test.mjs reads the same vectors."""

import json
from pathlib import Path

import pytest

from engineers.phone_urls import phone_url

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "phone_number_vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["text"])
def test_first_number_is_dialled(vector: dict[str, str]) -> None:
    assert phone_url(vector["text"]) == f"tel:{vector['dialled']}"
    assert phone_url(vector["text"], scheme="sms") == f"sms:{vector['dialled']}"


@pytest.mark.parametrize("text", ["", "none", "see the notes"])
def test_words_are_no_number(text: str) -> None:
    assert phone_url(text) == ""
