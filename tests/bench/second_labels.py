"""Pictures of ONT labels from a second generator, written without looking at the first one (tests/bench/labels.py).

A label is drawn flat, laid on a surface, turned, tilted, and spoiled by one condition, as a phone's camera sees it.
Every picture follows from symbology, condition and a seed alone; nothing here knows how our readers work.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import segno
from barcode import Code128
from barcode.writer import SVGWriter
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageFont
from ppf.datamatrix import DataMatrix

SYMBOLOGIES = ("qr", "code128", "datamatrix")
VENDORS = ("CXNK", "ALCL", "NOKW", "ADTN", "HWTC", "KAON", "GNXS")
FRAME = (1280, 960)
BIT_PATTERN = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Spoiled:
    """A picture, what its code says, and how large a module of it is in pixels."""

    image: Image.Image
    text: str
    module_px: float


def fsan(rng: random.Random) -> str:
    return rng.choice(VENDORS) + "".join(rng.choice("0123456789ABCDEF") for _ in range(8))


# --- the flat label ---


def modules_of(symbology: str, text: str) -> BIT_PATTERN:
    """Rows of 0 and 1, without a quiet zone."""
    if symbology == "qr":
        return tuple(
            tuple(int(bool(cell)) for cell in row) for row in segno.make(text, error="m", micro=False).matrix
        )
    if symbology == "datamatrix":
        return tuple(tuple(int(cell) for cell in row) for row in DataMatrix(text).matrix)
    bits = Code128(text, writer=SVGWriter()).build()[0]
    return tuple(tuple(int(bit) for bit in bits) for _ in range(max(18, len(bits) // 5)))


def flat_label(symbology: str, text: str, *, scale: int, rng: random.Random) -> Image.Image:
    """A printed label: the code with its quiet zone, the text below, a maker's line above, a frame."""
    rows = modules_of(symbology, text)
    width, height = len(rows[0]) * scale, len(rows) * scale
    quiet = scale * (10 if symbology == "code128" else 4)
    ink, paper = rng.randint(5, 55), rng.randint(205, 250)
    label = Image.new("L", (width + 2 * quiet + 8 * scale, height + 2 * quiet + 22 * scale), paper)
    pen = ImageDraw.Draw(label)
    font = ImageFont.load_default(size=3 * scale)
    pen.text(
        (5 * scale, 2 * scale), f"{rng.choice(('ONT', 'GPON', 'XGS-PON'))} {rng.randint(100, 999)}", ink, font
    )
    left, top = 4 * scale + quiet, 8 * scale + quiet
    for y, row in enumerate(rows):
        for x, bit in enumerate(row):
            if bit:
                corner = (left + x * scale, top + y * scale)
                pen.rectangle((*corner, corner[0] + scale - 1, corner[1] + scale - 1), fill=ink)
    pen.text((5 * scale, top + height + quiet), f"FSAN {text}", ink, font)
    pen.rectangle((0, 0, label.width - 1, label.height - 1), outline=ink, width=max(1, scale // 3))
    return label


# --- the frame of a camera ---


def _coefficients(target: list[tuple[float, float]], source: list[tuple[float, float]]) -> list[float]:
    """The eight numbers of a perspective that takes each target corner to its source corner (Gauss, 8 × 8)."""
    rows: list[list[float]] = []
    for (x, y), (u, v) in zip(target, source, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, v])
    for at in range(8):
        pivot = max(range(at, 8), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [value / rows[at][at] for value in rows[at]]
        for other in range(8):
            if other != at:
                rows[other] = [a - rows[other][at] * b for a, b in zip(rows[other], rows[at], strict=True)]
    return [row[8] for row in rows]


def laid(
    label: Image.Image, *, size: float, turn: float, tilt: float, rng: random.Random
) -> tuple[Image.Image, list[tuple[float, float]]]:
    """The label on a surface: `size` scales it, `turn` in degrees, `tilt` narrows its far side by that share."""
    w, h = label.width * size, label.height * size
    angle, centre = (
        math.radians(turn),
        (FRAME[0] / 2 + rng.uniform(-40, 40), FRAME[1] / 2 + rng.uniform(-40, 40)),
    )
    far = 1 - tilt
    flat = [(-w / 2 * far, -h / 2), (w / 2 * far, -h / 2), (w / 2, h / 2), (-w / 2, h / 2)]
    corners = [
        (
            centre[0] + x * math.cos(angle) - y * math.sin(angle),
            centre[1] + x * math.sin(angle) + y * math.cos(angle),
        )
        for x, y in flat
    ]
    source = [(0.0, 0.0), (label.width, 0.0), (label.width, label.height), (0.0, label.height)]
    numbers = _coefficients(corners, source)
    seen = label.transform(FRAME, Image.Transform.PERSPECTIVE, numbers, Image.Resampling.BICUBIC)
    there = Image.new("L", label.size, 255).transform(FRAME, Image.Transform.PERSPECTIVE, numbers)
    brightness = rng.randint(-70, 60)
    surface = Image.effect_noise(FRAME, rng.uniform(4, 14)).point(lambda v: v + brightness)
    return Image.composite(seen, surface, there), corners


def _noisy(image: Image.Image, sigma: float) -> Image.Image:
    return ImageChops.add(image, Image.effect_noise(image.size, sigma), offset=-128)


# --- what spoils it: image, corners, module in pixels, chance → image ---

Spoil = Callable[[Image.Image, list[tuple[float, float]], float, random.Random], Image.Image]


def _nothing(image: Image.Image, _corners: object, _module: float, _rng: random.Random) -> Image.Image:
    return image


def _out_of_focus(image: Image.Image, _corners: object, module: float, rng: random.Random) -> Image.Image:
    return image.filter(ImageFilter.GaussianBlur(module * rng.uniform(0.3, 0.52)))


def _shaken(image: Image.Image, _corners: object, module: float, rng: random.Random) -> Image.Image:
    """Moved while the shutter was open: the mean of copies along a short way."""
    way, angle = module * rng.uniform(0.7, 1.3), rng.uniform(0, math.tau)
    steps = 6
    mean = image
    for step in range(1, steps + 1):
        dx, dy = (way * step / steps * part for part in (math.cos(angle), math.sin(angle)))
        moved = image.transform(
            image.size, Image.Transform.AFFINE, (1, 0, dx, 0, 1, dy), Image.Resampling.BILINEAR
        )
        mean = Image.blend(mean, moved, 1 / (step + 1))
    return mean


def _grainy(image: Image.Image, _corners: object, _module: float, rng: random.Random) -> Image.Image:
    return _noisy(image, rng.uniform(18, 34))


def _glare(
    image: Image.Image, corners: list[tuple[float, float]], _module: float, rng: random.Random
) -> Image.Image:
    """A lamp mirrored in the film: blown out in the middle, and less and less around it."""
    xs, ys = [x for x, _y in corners], [y for _x, y in corners]
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    gain = rng.uniform(0, 0.5)
    across = min(wide, high) * rng.uniform(0.1, 0.22)
    x = min(xs) + wide * rng.uniform(0.25, 0.75)
    y = min(ys) + high * rng.uniform(0.3, 0.7)
    # brighter than white in the middle, falling off to nothing: code and light add up on the sensor
    falloff = Image.radial_gradient("L").point(lambda v: max(0, 255 - 2 * v)).resize((round(across * 2),) * 2)
    lamp = Image.new("L", image.size, 0)
    lamp.paste(falloff, (round(x - across), round(y - across)))
    return ImageChops.add(ImageChops.add(image, lamp), lamp.point(lambda v: v * gain))


def _dark(image: Image.Image, _corners: object, _module: float, rng: random.Random) -> Image.Image:
    """A tenth of the light: few grey levels are left, with the sensor's noise on them."""
    return _noisy(image.point(lambda v: v * 0.10), rng.uniform(1.0, 2.2))


def _faded(image: Image.Image, _corners: object, _module: float, rng: random.Random) -> Image.Image:
    return _noisy(ImageEnhance.Contrast(image).enhance(rng.uniform(0.16, 0.3)), 3)


def _shadow(image: Image.Image, _corners: object, _module: float, rng: random.Random) -> Image.Image:
    """A hand between lamp and label: everything on one side of a slanted line is a third as bright."""
    edge, lean = FRAME[0] * rng.uniform(0.35, 0.65), rng.uniform(-250, 250)
    shade = Image.new("L", image.size, 255)
    ImageDraw.Draw(shade).polygon([(0, 0), (edge + lean, 0), (edge - lean, FRAME[1]), (0, FRAME[1])], fill=85)
    return ImageChops.multiply(image, shade.filter(ImageFilter.GaussianBlur(rng.uniform(3, 25))))


def _scratched(
    image: Image.Image, corners: list[tuple[float, float]], module: float, rng: random.Random
) -> Image.Image:
    spoiled = image.copy()
    pen = ImageDraw.Draw(spoiled)
    xs, ys = [x for x, _y in corners], [y for _x, y in corners]
    for _ in range(rng.randint(2, 4)):
        ends = [(rng.uniform(min(xs), max(xs)), rng.uniform(min(ys), max(ys))) for _end in range(2)]
        pen.line(ends, fill=rng.choice((25, 150, 245)), width=max(1, round(module * rng.uniform(0.2, 0.4))))
    return spoiled


def _squeezed(image: Image.Image, _corners: object, _module: float, rng: random.Random) -> Image.Image:
    """A picture that was sent on with little quality: blocks of eight pixels with fewer waves each."""
    small = image.resize((image.width * 2 // 3, image.height * 2 // 3), Image.Resampling.BILINEAR)
    return _noisy(small.resize(image.size, Image.Resampling.BILINEAR), rng.uniform(3, 8))


@dataclass(frozen=True)
class Condition:
    """How large a module is (pixels), how far the label is turned (degrees) and tilted, and what spoils it."""

    module: tuple[float, float]
    turn: float
    tilt: tuple[float, float]
    spoil: Spoil = _nothing


CONDITIONS = {
    "clean": Condition((3, 5), 8, (0, 0.08)),
    "turned": Condition((3, 5), 180, (0, 0.08)),
    "tilted": Condition((3, 5), 12, (0.2, 0.38)),
    "small": Condition((1.7, 2.3), 8, (0, 0.06)),
    "out of focus": Condition((3, 5), 8, (0, 0.1), _out_of_focus),
    "shaken": Condition((3, 5), 8, (0, 0.1), _shaken),
    "grainy": Condition((3, 5), 8, (0, 0.1), _grainy),
    "glare": Condition((3, 5), 8, (0, 0.1), _glare),
    "10 % light": Condition((3, 5), 8, (0, 0.1), _dark),
    "faded": Condition((3, 5), 8, (0, 0.1), _faded),
    "shadow": Condition((3, 5), 8, (0, 0.1), _shadow),
    "scratched": Condition((3, 5), 8, (0, 0.1), _scratched),
    "squeezed": Condition((3, 5), 8, (0, 0.1), _squeezed),
}
DRAWN = 6


def picture(symbology: str, condition: str, *, seed: int) -> Spoiled:
    """The same arguments give the same picture, but for the grain of surface and sensor."""
    rng = random.Random(f"second {symbology} {condition} {seed}")
    wanted, text = CONDITIONS[condition], fsan(rng)
    module = rng.uniform(*wanted.module)
    if symbology == "code128":
        # twice as long as it is readable at a square code's size: seen from nearer
        module = min(module, FRAME[0] * 0.8 / (len(modules_of(symbology, text)[0]) + 28))
    label = flat_label(symbology, text, scale=DRAWN, rng=rng)
    image, corners = laid(
        label,
        size=module / DRAWN,
        turn=rng.uniform(-wanted.turn, wanted.turn),
        tilt=rng.uniform(*wanted.tilt),
        rng=rng,
    )
    soft = image.filter(ImageFilter.GaussianBlur(0.5))
    return Spoiled(wanted.spoil(soft, corners, module, rng), text, module)
