"""Which files are pictures: tests/data/picture_vectors.json, which tests/js/image_formats.test.mjs runs as well."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from closures.photos import image_validation
from closures.photos.image_validation import BadPicture

ROOT = Path(__file__).parents[2]
VECTORS: list[dict[str, Any]] = json.loads((ROOT / "tests/data/picture_vectors.json").read_text())


def content_of(vector: dict[str, Any]) -> bytes:
    """The bytes in the file of vectors, or those of another file: the first `length` of them, with a `tail`."""
    if "file" not in vector:
        return base64.b64decode(vector["base64"])
    whole = (ROOT / vector["file"]).read_bytes()
    return whole[: vector.get("length")] + base64.b64decode(vector.get("tail", ""))


def problem_of(raw: bytes) -> str:
    try:
        image_validation.clean(raw)
    except BadPicture as refusal:
        return refusal.problems[0].code
    return ""


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_server_and_phone_judge_a_file_alike(vector: dict[str, Any]) -> None:
    """`server` where it differs: the phone looks at first and last bytes, the server at the picture."""
    assert problem_of(content_of(vector)) == vector.get("server", vector["problem"])
