"""The codes on a photo of a label. Reads what a plain reader misses by looking again: larger, turned, sharpened.

`static/js/phone/scan/ladder.js` climbs the same ladder on the phone; docs/scanning.md says what each rung is worth.
"""

import math
from collections.abc import Callable, Iterator

import zxingcpp
from PIL import Image, ImageFilter
from zxingcpp import BarcodeFormat, BarcodeFormats

MATRIX = BarcodeFormats((BarcodeFormat.QRCode, BarcodeFormat.DataMatrix))
BARS = BarcodeFormats((BarcodeFormat.Code128,))
ALL = BarcodeFormats((BarcodeFormat.QRCode, BarcodeFormat.DataMatrix, BarcodeFormat.Code128))
# as large as phones send them; small print is lost in smaller ones
LONG_EDGE = 1600
# rows of a bar code lie on each other: their mean has less grain than each
ROWS = 12
# every eighth row crosses the bars often enough
STRIDE = 8
TURNS = range(15, 180, 15)
BILINEAR, BICUBIC, BOX = Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.BOX

Rung = Callable[[Image.Image], Iterator[str]]


def read(picture: Image.Image, *, enough: Callable[[list[str]], bool] = bool) -> list[str]:
    """What stands in the codes of a grey picture, each once. Climbs until `enough` says yes to what was found."""
    found: dict[str, None] = {}
    for rung in RUNGS:
        found |= dict.fromkeys(rung(picture))
        if enough([*found]):
            break
    return [*found]


def _texts(picture: Image.Image, formats: BarcodeFormats, *, harder: bool = True) -> Iterator[str]:
    """`harder` looks for turned and very large codes too."""
    codes = zxingcpp.read_barcodes(
        picture, formats=formats, try_rotate=harder, try_downscale=harder, try_invert=False
    )
    return (code.text for code in codes)


def _as_it_is(picture: Image.Image) -> Iterator[str]:
    return _texts(picture, ALL, harder=False)


def _middle(picture: Image.Image) -> Iterator[str]:
    """Where people hold the label; and for grain and blur, bars only, as a picture of few rows."""
    middle = _enlarged(picture, part=0.6)
    yield from _texts(middle, ALL)
    rows = middle.resize((middle.width, max(1, middle.height // ROWS)), BOX)
    yield from _texts(rows, BARS, harder=False)
    yield from _texts(rows.filter(ImageFilter.UnsharpMask(3, 300, 0)), BARS, harder=False)


def _inmost(picture: Image.Image) -> Iterator[str]:
    return _texts(_enlarged(picture, part=0.35), MATRIX)


def _turned(picture: Image.Image) -> Iterator[str]:
    """Bars in any direction, anywhere."""
    for turn in TURNS:
        yield from _texts(_squeezed(picture, turn), BARS, harder=False)


def _sharpened(picture: Image.Image) -> Iterator[str]:
    """Out of focus. Not for bars: sharpened noise has made a wrong digit with a right check digit."""
    middle = _enlarged(picture, part=0.5, size=0.625, by=BICUBIC)
    return _texts(middle.filter(ImageFilter.UnsharpMask(2.2, 500, 0)), MATRIX)


def _harder(picture: Image.Image) -> Iterator[str]:
    return _texts(picture, MATRIX)


RUNGS: tuple[Rung, ...] = (_as_it_is, _middle, _inmost, _turned, _sharpened, _harder)


def _enlarged(
    picture: Image.Image, *, part: float, size: float = 1, by: Image.Resampling = BILINEAR
) -> Image.Image:
    """The middle of the picture, as large as the whole times `size`."""
    width, height = picture.size
    left, top = width * (1 - part) / 2, height * (1 - part) / 2
    box = (left, top, width - left, height - top)
    size_now = (max(1, round(width * size)), max(1, round(height * size)))
    return picture.resize(size_now, by, box=box)


def _squeezed(picture: Image.Image, degrees: float) -> Image.Image:
    """Turned around its middle, and only every eighth row of it."""
    edge = max(picture.size)
    turn = math.radians(degrees)
    a, d = math.cos(turn), -math.sin(turn)
    b, e = -d * STRIDE, a * STRIDE
    half_width, half_height = edge / 2, edge / STRIDE / 2
    c = picture.width / 2 - a * half_width - b * half_height
    f = picture.height / 2 - d * half_width - e * half_height
    size = (edge, max(1, edge // STRIDE))
    return picture.transform(size, Image.Transform.AFFINE, (a, b, c, d, e, f), BILINEAR)
