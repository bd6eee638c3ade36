"""The codes on a photo of a label. Reads what a plain reader misses by looking again: larger, turned, sharpened.

`static/js/phone/scan/decode_attempts.js` makes the same kinds of attempts on the phone, in another order and with
filters of its own: what one reads, the other may miss. docs/scanning.md rates each attempt.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import zxingcpp
from PIL import Image, ImageFilter, ImageMath
from zxingcpp import BarcodeFormat, BarcodeFormats

from closures.photos import finders

MATRIX = BarcodeFormats((BarcodeFormat.QRCode, BarcodeFormat.DataMatrix))
QR = BarcodeFormats((BarcodeFormat.QRCode,))
BARS = BarcodeFormats((BarcodeFormat.Code128,))
ALL = BarcodeFormats((BarcodeFormat.QRCode, BarcodeFormat.DataMatrix, BarcodeFormat.Code128))
# as large as phones send them; small print is lost in smaller ones
LONG_EDGE = 1600
# rows of a bar code lie on each other: their mean has less grain than each
ROWS = 12
# of a turned picture every third row is taken, and four of those become their mean: twelve rows again, for less work
STRIDE, HEAP = 3, 4
TURNS = range(15, 180, 15)
# the light on a label is looked for in blocks of this many pixels, over this many blocks around each
BLOCK, AROUND = 8, 7
# paper in even light becomes this bright; what is darker than DARKEST all around holds nothing but noise
PAPER, DARKEST = 224, 12
# modules of fewer pixels than this are read twice alike before they count
SURE_MODULE = 2.0
BILINEAR, BICUBIC, BOX = Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.BOX


@dataclass(frozen=True)
class DecodedCode:
    """What stands in one code. It counts at once where it is sure, else when another look says the same."""

    text: str
    is_sure: bool


DecodeAttempt = Callable[[Image.Image], Iterator[DecodedCode]]


def read_codes(picture: Image.Image, *, enough: Callable[[list[str]], bool] = bool) -> list[str]:
    """What stands in the codes of a grey picture, each once. Each attempt reads the picture as it is, then in
    even light, until `enough` says yes to what was found.

    A square code repairs or refuses itself; a bar code has one check digit, which fits a wrong reading now and then, so
    it counts once two looks agree, and so does a square code of very small modules.
    """
    readings: Counter[str] = Counter()
    found: list[str] = []
    for attempt, look in _looks(picture):
        codes = {code.text: code.is_sure for code in attempt(look)}
        readings.update({text: 2 if is_sure else 1 for text, is_sure in codes.items()})
        found = [text for text, count in readings.items() if count >= 2]
        if enough(found):
            break
    return found


def _looks(picture: Image.Image) -> Iterator[tuple["DecodeAttempt", Image.Image]]:
    yield DECODE_ATTEMPTS[0], picture
    in_even_light = normalise_light(picture)
    yield DECODE_ATTEMPTS[0], in_even_light
    yield from product(DECODE_ATTEMPTS[1:], (picture, in_even_light))


def normalise_light(picture: Image.Image) -> Image.Image:
    """The picture as if the light on it were even: each pixel divided by the brightness of the paper around it.

    Dark rooms, a shadow across the label and the rim of a reflection become readable; ink stays ink.
    """
    blocks = picture.reduce(BLOCK).filter(ImageFilter.MaxFilter(AROUND)).filter(ImageFilter.MinFilter(AROUND))
    light = blocks.resize(picture.size, BILINEAR)
    even: Image.Image = ImageMath.lambda_eval(
        lambda context: context["convert"](
            context["min"](context["picture"] * PAPER / context["max"](context["light"], DARKEST), 255), "L"
        ),
        picture=picture,
        light=light,
    )
    return even


def _codes(
    picture: Image.Image, formats: BarcodeFormats, *, harder: bool = True, zoom: float = 1
) -> Iterator[DecodedCode]:
    """`harder` looks for turned and very large codes too; `zoom` is the factor by which the picture was enlarged."""
    codes = zxingcpp.read_barcodes(
        picture, formats=formats, try_rotate=harder, try_downscale=harder, try_invert=False
    )
    return (DecodedCode(code.text, _module_of(code) >= SURE_MODULE * zoom) for code in codes)


def _module_of(code: zxingcpp.Barcode) -> float:
    """A module's edge in pixels, along the code's shorter side; of a bar code nobody knows it."""
    if code.format not in MATRIX or not isinstance(code.extra, dict):
        return 0
    # a QR code's is a number, a Data Matrix's its rows and columns
    version = code.extra["Version"]
    rows, columns = map(int, version.split("x")) if "x" in version else [17 + 4 * int(version)] * 2
    corners = code.position
    wide = _distance(corners.top_left, corners.top_right) / columns
    high = _distance(corners.top_left, corners.bottom_left) / rows
    return min(wide, high)


def _distance(point: zxingcpp.Point, other: zxingcpp.Point) -> float:
    return math.hypot(point.x - other.x, point.y - other.y)


def _as_it_is(picture: Image.Image) -> Iterator[DecodedCode]:
    return _codes(picture, ALL, harder=False)


def _middle(picture: Image.Image) -> Iterator[DecodedCode]:
    """Where people hold the label; and for grain and blur, bars only, as a picture of few rows."""
    middle = _enlarged(picture, part=0.6)
    yield from _codes(middle, ALL, zoom=1 / 0.6)
    rows = _flattened(middle)
    yield from _codes(rows, BARS, harder=False)
    yield from _codes(rows.filter(ImageFilter.UnsharpMask(3, 300, 0)), BARS, harder=False)


def _whole_width(picture: Image.Image) -> Iterator[DecodedCode]:
    """Bars that are longer than the middle, in grain and in the dark."""
    return _codes(_flattened(picture), BARS, harder=False)


def _most_of_the_width(picture: Image.Image) -> Iterator[DecodedCode]:
    """The same with other rows lying on each other: another look at the same bars."""
    return _codes(_flattened(_enlarged(picture, part=0.8)), BARS, harder=False)


def _inmost(picture: Image.Image) -> Iterator[DecodedCode]:
    return _codes(_enlarged(picture, part=0.35), MATRIX, zoom=1 / 0.35)


def _turned(picture: Image.Image) -> Iterator[DecodedCode]:
    """Bars in any direction, anywhere."""
    for turn in TURNS:
        yield from _codes(_flattened(_squeezed(picture, turn), HEAP), BARS, harder=False)


def _sharpened(picture: Image.Image) -> Iterator[DecodedCode]:
    """Out of focus. Not for bars: sharpened noise has made a wrong digit with a right check digit."""
    middle = _enlarged(picture, part=0.5, size=0.625, by=BICUBIC)
    return _codes(middle.filter(ImageFilter.UnsharpMask(2.2, 500, 0)), MATRIX, zoom=0.625 / 0.5)


def _harder(picture: Image.Image) -> Iterator[DecodedCode]:
    return _codes(picture, MATRIX)


def _without_scratches(picture: Image.Image) -> Iterator[DecodedCode]:
    """Lines thinner than a module, for square codes."""
    return _codes(picture.filter(ImageFilter.MedianFilter(3)), MATRIX)


def _with_finders_restored(picture: Image.Image) -> Iterator[DecodedCode]:
    """A lamp's spot or a scratch on one of a QR code's three finders."""
    for code in finders.restore_finders(picture):
        yield from _codes(code, QR, harder=False)


DECODE_ATTEMPTS: tuple[DecodeAttempt, ...] = (
    _as_it_is,
    _middle,
    _whole_width,
    _most_of_the_width,
    _inmost,
    _with_finders_restored,
    _turned,
    _sharpened,
    _harder,
    _without_scratches,
)


def _flattened(picture: Image.Image, rows: int = ROWS) -> Image.Image:
    """The mean of every `rows` rows."""
    return picture.resize((picture.width, max(1, picture.height // rows)), BOX)


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
    """Turned around its middle, and only every third row of it."""
    edge = max(picture.size)
    turn = math.radians(degrees)
    a, d = math.cos(turn), -math.sin(turn)
    b, e = -d * STRIDE, a * STRIDE
    half_width, half_height = edge / 2, edge / STRIDE / 2
    c = picture.width / 2 - a * half_width - b * half_height
    f = picture.height / 2 - d * half_width - e * half_height
    size = (edge, max(1, edge // STRIDE))
    return picture.transform(size, Image.Transform.AFFINE, (a, b, c, d, e, f), BILINEAR)
