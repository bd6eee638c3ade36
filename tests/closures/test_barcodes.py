"""The attempts of closures/photos/barcodes.py on pictures that a plain reader misses, and the guard before it."""

import io
from random import Random

import pytest
from PIL import Image

from closures.photos import barcodes, image_validation
from closures.photos.image_validation import BadPicture
from tests.bench.labels import View, modules_of, picture

TEXT = "CXNK00ABCDEF"


def seen(kind: str, view: View) -> Image.Image:
    return image_validation.grey(
        picture(modules_of(kind, TEXT), view, Random(5)), long_edge=barcodes.LONG_EDGE
    )


@pytest.mark.parametrize("kind", ["qr", "code128", "datamatrix"])
@pytest.mark.parametrize(
    "view",
    [
        View(),
        View(module=1.7),
        View(module=3, turn=63),
        View(module=3, turn=90),
        View(module=3, light=0.2),
        View(module=2.6, turn=160, x=0.72, y=0.35),
    ],
    ids=["plain", "small", "turned", "upright", "dark", "at the edge"],
)
def test_code_is_read(kind: str, view: View) -> None:
    assert barcodes.read_codes(seen(kind, view)) == [TEXT]


@pytest.mark.parametrize("kind", ["qr", "code128"])
def test_code_out_of_focus_is_read(kind: str) -> None:
    assert barcodes.read_codes(seen(kind, View(module=3, blur=0.55))) == [TEXT]


def test_nothing_is_read_from_nothing() -> None:
    assert barcodes.read_codes(Image.new("L", (640, 480), 128)) == []


def test_tiny_picture_is_no_fault() -> None:
    assert barcodes.read_codes(Image.new("L", (1, 1))) == []


def test_climbs_until_it_is_enough() -> None:
    asked: list[list[str]] = []

    barcodes.read_codes(seen("qr", View()), enough=lambda found: bool(asked.append(found)))

    assert asked == [[TEXT]] * 2 * len(barcodes.DECODE_ATTEMPTS)


@pytest.mark.parametrize(
    ("raw", "code"),
    [(b"", "wrong_type"), (b"GIF89a", "wrong_type"), (b"\xff\xd8" + b"\xff\xda\x00\x02" * 200, "unreadable")],
)
def test_what_is_no_picture_is_refused(raw: bytes, code: str) -> None:
    with pytest.raises(BadPicture) as refusal:
        image_validation.grey(raw, long_edge=1600)

    assert [problem.code for problem in refusal.value.problems] == [code]


def test_cut_picture_is_refused() -> None:
    raw = picture(modules_of("qr", TEXT), View(), Random(1))

    with pytest.raises(BadPicture):
        image_validation.grey(raw[: len(raw) // 2], long_edge=1600)


@pytest.mark.parametrize(
    ("mode", "form"),
    [
        ("RGB", "JPEG"),
        ("L", "JPEG"),
        ("CMYK", "JPEG"),
        ("P", "PNG"),
        ("RGBA", "PNG"),
        ("I;16", "PNG"),
        ("1", "PNG"),
    ],
)
def test_every_mode_becomes_grey_and_small(mode: str, form: str) -> None:
    content = io.BytesIO()
    Image.new(mode, (3000, 1000)).save(content, form)

    grey = image_validation.grey(content.getvalue(), long_edge=1600)

    assert (grey.mode, grey.size) == ("L", (1600, 533))
