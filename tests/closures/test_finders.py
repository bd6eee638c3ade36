"""QR codes with a finder lost: tests/data/finder_vectors.json, which tests/js/finders.test.mjs reads too."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from closures.photos import barcodes, finders

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "finder_vectors.json").read_text("utf-8"))
# as many pixels as a module is wide, and as many modules of paper around the code
MODULE, MARGIN = 4, 12


def drawn(rows: list[str]) -> Image.Image:
    edge = len(rows) + 2 * MARGIN
    code = Image.new("L", (edge, edge), 224)
    for y, row in enumerate(rows):
        for x, character in enumerate(row):
            if character == "#":
                code.putpixel((x + MARGIN, y + MARGIN), 30)
    return code.resize((edge * MODULE, edge * MODULE), Image.Resampling.NEAREST)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{len(vector['rows'])} {vector['lost']}")
@pytest.mark.parametrize("turn", [0, 12, 63])
def test_code_that_lost_a_finder_is_read(vector: dict[str, Any], turn: float) -> None:
    picture = drawn(vector["rows"]).rotate(turn, barcodes.BICUBIC, fillcolor=224)
    plainly = [
        attempt for attempt in barcodes.DECODE_ATTEMPTS if attempt is not barcodes._with_finders_restored
    ]

    assert [code.text for attempt in plainly for code in attempt(picture)] == []
    assert {code.text for code in barcodes._with_finders_restored(picture)} == {vector["text"]}


def test_two_finders_are_found_and_what_is_left_of_the_third_is_none() -> None:
    found = finders.finders(finders.sheet_of(drawn(VECTORS[0]["rows"])))

    middles = sorted(
        (round(finder.x / MODULE - MARGIN, 1), round(finder.y / MODULE - MARGIN, 1)) for finder in found
    )
    assert middles == [(3.5, 17.5), (17.5, 3.5)]
    assert {round(finder.module, 1) for finder in found} == {float(MODULE)}


@pytest.mark.parametrize("size", [(1, 1), (2, 60), (60, 2)])
def test_tiny_picture_is_no_fault(size: tuple[int, int]) -> None:
    assert list(finders.restore_finders(Image.new("L", size))) == []
