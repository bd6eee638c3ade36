"""Pictures of one code on a label as an engineer's camera sees it: blurred, turned, tilted, small, dark, in glare.

Made by code from a seed, so that every engine reads the same ones; the attempts were tuned on other seeds.
"""

import io
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

import barcode
import segno
from PIL import Image, ImageChops, ImageDraw, ImageFilter
from ppf.datamatrix import DataMatrix

WIDTH, HEIGHT = 1280, 720
# drawn this much larger and made smaller at the end, as a lens does
FINE = 2
KINDS = ("qr", "code128", "datamatrix")
Modules = list[list[bool]]


@dataclass(frozen=True)
class View:
    """How the camera sees it. `module` is a module's edge in pixels; places are parts of the picture."""

    module: float = 4.0
    turn: float = 0.0
    tilt: float = 0.0
    blur: float = 0.0
    motion: int = 0
    light: float = 1.0
    glare: bool = False
    noise: int = 10
    quality: int = 88
    x: float = 0.5
    y: float = 0.5


CELLS: dict[str, Callable[[Random], View]] = {
    "clean": lambda _: View(),
    "2 px": lambda _: View(module=2.0),
    "1.6 px": lambda _: View(module=1.6),
    "turned": lambda chance: View(module=3.0, turn=chance.uniform(0, 360)),
    "tilt 45°": lambda chance: View(module=4.0, tilt=45, turn=chance.uniform(-6, 6)),
    "blur": lambda _: View(module=3.0, blur=0.55),
    "motion": lambda _: View(module=3.0, motion=4),
    "light 10 %": lambda _: View(module=3.0, light=0.1, noise=14),
    "glare": lambda _: View(module=3.5, glare=True),
    "jpeg q12": lambda _: View(module=3.0, quality=12),
    "cellar": lambda chance: View(module=2.6, light=0.25, noise=18, turn=chance.uniform(-15, 15), blur=0.2),
    "off-centre": lambda chance: View(
        module=2.6,
        turn=chance.uniform(-20, 20),
        x=chance.choice([0.24, 0.76]),
        y=chance.choice([0.3, 0.7]),
    ),
}


@dataclass(frozen=True)
class Specimen:
    """One picture, a JPEG as a phone would send it, and what stands on it."""

    kind: str
    cell: str
    text: str
    content: bytes


def specimens(*, seed: int, each: int) -> Iterator[Specimen]:
    """`each` pictures for every kind of code and every way of seeing it."""
    for kind in KINDS:
        for cell, seen in CELLS.items():
            for number in range(each):
                chance = Random(f"{seed} {kind} {cell} {number}")
                view = seen(chance)
                # nobody holds the phone at the very same distance twice
                view = replace(view, module=view.module * chance.uniform(0.92, 1.08))
                text = text_of(kind, chance)
                yield Specimen(kind, cell, text, picture(modules_of(kind, text), view, chance))


def text_of(kind: str, chance: Random) -> str:
    fsan, serial_number = f"CXNK{chance.getrandbits(32):08X}", f"{chance.randrange(10**12):012d}"
    return f"S/N:{serial_number};FSAN:{fsan};MAC:0017E4A1B2C3" if kind == "qr" else fsan


def modules_of(kind: str, text: str) -> Modules:
    """Rows of dark and light modules, with the quiet zone of the code's own standard."""
    if kind == "qr":
        return [
            [bool(module) for module in row] for row in segno.make_qr(text, error="m").matrix_iter(border=4)
        ]
    if kind == "datamatrix":
        rows = [[bool(module) for module in row] for row in DataMatrix(text).matrix]
        side = [False] * 2
        blank = [[False] * (len(rows[0]) + 4)] * 2
        return [*blank, *([*side, *row, *side] for row in rows), *blank]
    (bars,) = barcode.get_barcode_class("code128")(text).build()
    row = [False] * 10 + [character == "1" for character in bars] + [False] * 10
    return [row] * 36


def picture(modules: Modules, view: View, chance: Random) -> bytes:
    """What the sensor makes of one code, as a JPEG."""
    return _photographed(_label(modules, view.module * FINE), view, chance)


def whole_label(codes: list[tuple[str, str]], view: View, chance: Random) -> bytes:
    """A label with several codes below each other, each (kind, text)."""
    strips = [_label(modules_of(kind, text), view.module * FINE) for kind, text in codes]
    label = Image.new("L", (max(part.width for part in strips), sum(part.height for part in strips)), 232)
    for number, strip in enumerate(strips):
        label.paste(strip, (0, sum(part.height for part in strips[:number])))
    return _photographed(label, view, chance)


def _photographed(label: Image.Image, view: View, chance: Random) -> bytes:
    seen = _placed(label, view, chance)
    if view.blur:
        seen = seen.filter(ImageFilter.GaussianBlur(view.blur * view.module * FINE))
    seen = seen.reduce(FINE)
    if view.motion:
        seen = _moved(seen, view.motion, chance)
    if view.glare:
        seen = _in_glare(seen, view, chance)
    seen = seen.point(lambda level: level * view.light + 4)
    seen = _noisy(seen, view.noise, chance)
    content = io.BytesIO()
    seen.convert("RGB").save(content, "JPEG", quality=view.quality)
    return content.getvalue()


def _label(modules: Modules, module: float) -> Image.Image:
    """The code on white, with a line of print below."""
    bits = bytes(20 if dark else 232 for row in modules for dark in row)
    code = Image.frombytes("L", (len(modules[0]), len(modules)), bits)
    large = code.resize((code.width * 16, code.height * 16), Image.Resampling.NEAREST)
    size = (round(code.width * module), round(code.height * module))
    code = large.resize(size, Image.Resampling.BOX)
    margin = round(6 * module)
    label = Image.new("L", (size[0] + 2 * margin, size[1] + 4 * margin), 232)
    label.paste(code, (margin, margin))
    pen = ImageDraw.Draw(label)
    for line in range(3):
        top = size[1] + margin + round((line + 1) * 4 * module)
        pen.text((margin, top), "ONT  MODEL 100-05678  MADE IN ...", fill=40)
    return label


def _placed(label: Image.Image, view: View, chance: Random) -> Image.Image:
    """On a wall that is not quite even, turned and tilted around its own middle."""
    width, height = WIDTH * FINE, HEIGHT * FINE
    wall = Image.frombytes("L", (16, 9), bytes(chance.randrange(90, 165) for _ in range(144)))
    scene = wall.resize((width, height), Image.Resampling.BICUBIC)
    middle = (width * view.x + chance.uniform(-60, 60), height * view.y + chance.uniform(-40, 40))
    # from the picture's places to the label's: what Pillow asks for
    angle, tilt = math.radians(view.turn), math.radians(view.tilt)
    cosine, sine, squeezed, depth = math.cos(angle), math.sin(angle), 1 / math.cos(tilt), 0.0
    if view.tilt:
        depth = -math.sin(tilt) / (3.2 * width)
    rows = [(cosine * squeezed, sine * squeezed), (-sine, cosine)]
    a, b = rows[0]
    d, e = rows[1]
    c = -(a * middle[0] + b * middle[1])
    f = -(d * middle[0] + e * middle[1])
    g, h = depth * a, depth * b
    weight = 1 + depth * c
    half = (label.width / 2, label.height / 2)
    data = (
        a + half[0] * g, b + half[0] * h, c + half[0] * weight,
        d + half[1] * g, e + half[1] * h, f + half[1] * weight,
        g, h,
    )  # fmt: skip
    scaled = tuple(value / weight for value in data)
    perspective, smooth = Image.Transform.PERSPECTIVE, Image.Resampling.BICUBIC
    turned = label.transform((width, height), perspective, scaled, smooth)
    mask = Image.new("L", label.size, 255).transform((width, height), perspective, scaled, smooth)
    scene.paste(turned, (0, 0), mask)
    return scene


def _moved(seen: Image.Image, pixels: int, chance: Random) -> Image.Image:
    """A hand that shakes along one line while the shutter is open."""
    angle = chance.uniform(0, math.tau)
    whole = seen
    for step in range(1, pixels):
        way = (round(math.cos(angle) * step), round(math.sin(angle) * step))
        whole = Image.blend(whole, ImageChops.offset(seen, *way), 1 / (step + 1))
    return whole


def _in_glare(seen: Image.Image, view: View, chance: Random) -> Image.Image:
    """A lamp's round white spot next to the code's middle, fading out."""
    glare = Image.radial_gradient("L").point(lambda far: max(0, 255 - 2.1 * far))
    wide = round(chance.uniform(150, 230))
    glare = glare.resize((wide, round(wide * chance.uniform(0.6, 1))))
    lamp = Image.new("L", seen.size, 0)
    angle = chance.uniform(0, math.tau)
    far = chance.uniform(30, 75)
    x = WIDTH * view.x + far * math.cos(angle) - glare.width / 2
    y = HEIGHT * view.y + far * math.sin(angle) - glare.height / 2
    lamp.paste(glare, (round(x), round(y)))
    return ImageChops.add(seen, lamp)


def _noisy(seen: Image.Image, amplitude: int, chance: Random) -> Image.Image:
    """A sensor's grain: two even noises, one on the other."""
    for _ in range(2):
        grain = Image.frombytes("L", seen.size, chance.randbytes(seen.width * seen.height))
        grain = grain.point(lambda level: level * amplitude / 255)
        seen = ImageChops.add(seen, grain, offset=-(amplitude // 2))
    return seen
