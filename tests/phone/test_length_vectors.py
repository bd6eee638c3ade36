"""The longest texts that the server takes from a phone; the phone's answer_validation.js is held to the same file."""

import json
from pathlib import Path

import pytest
from rest_framework.serializers import Serializer

from closures import answer_validation
from closures.models import Photo
from phone import serializers

FILE = Path(__file__).parents[1] / "data" / "length_vectors.json"
LENGTHS = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("serializer", "field", "name"),
    [
        (serializers.CloseSerializer(), "remarks", "remarks"),
        (serializers.HandOverSerializer(), "reason", "handover_reason"),
        (serializers.PhotoSerializer(), "signer", "signer"),
    ],
)
def test_longest_text_is_the_phone_s(serializer: Serializer[object], field: str, name: str) -> None:
    assert serializer.fields[field].max_length == LENGTHS[name]


def test_longest_answer_is_the_phone_s() -> None:
    assert LENGTHS["answer"] == answer_validation.MAX_CHARACTERS


def test_who_signs_fits_the_column() -> None:
    assert Photo._meta.get_field("signer").max_length == LENGTHS["signer"]
