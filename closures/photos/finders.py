"""QR codes of which a lamp's spot or a scratch has taken one of the three finders, the squares in its corners.

A reader needs all three before it begins, though the code's error correction would bear the loss. So the lost one is
drawn again where the other two say that it was. `static/js/phone/scan/finders.js` does the same.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from PIL import Image

INK, PAPER = b"\x00", b"\xff"
INKED = re.compile(rb"\x00+")
THRESHOLD, WHITE = 128, 224
# rows between two looks for a finder; the smallest module that is looked for, in pixels
STRIDE, SMALLEST = 2, 1.4
# a label has few codes; more would be noise
MOST_FINDERS, MOST_TRIES = 5, 10
# modules between the middles of two finders: 14 in version 1, four more in each version
SHORTEST, STEP, VERSIONS = 14, 4, 8
SHIFTS = (-1.5, -1, -0.5, 0, 0.5, 1, 1.5)
PATTERN = tuple(product(range(-3, 4), repeat=2))


@dataclass(frozen=True)
class Finder:
    """Its middle, and how long a module of it is along rows and columns, in pixels."""

    x: float
    y: float
    module: float


@dataclass(frozen=True)
class Lost:
    """Where a finder is missing: its middle, one module to the right in the code, and the middle of its code."""

    x: float
    y: float
    right: tuple[float, float]
    centre: tuple[float, float]
    modules: int

    def position_of(self, across: float, down: float) -> tuple[float, float]:
        (ux, uy) = self.right
        return self.x + across * ux - down * uy, self.y + across * uy + down * ux


@dataclass(frozen=True)
class Sheet:
    """A picture of nothing but ink and paper."""

    data: bytes
    width: int
    height: int

    def row(self, y: int) -> bytes:
        return self.data[y * self.width : (y + 1) * self.width]

    def column(self, x: int) -> bytes:
        return self.data[x :: self.width]

    def is_ink(self, x: float, y: float) -> bool:
        column, row = math.floor(x), math.floor(y)
        inside = 0 <= column < self.width and 0 <= row < self.height
        return inside and not self.data[row * self.width + column]


def restore_finders(picture: Image.Image) -> Iterator[Image.Image]:
    """Small pictures of codes whose third finder was drawn again, the likeliest first."""
    sheet = sheet_of(picture)
    tried = [_settled(lost, sheet) for pair in combinations(finders(sheet), 2) for lost in missing(*pair)]
    tried.sort(key=lambda scored: -scored[0])
    for _likeness, lost in tried[:MOST_TRIES]:
        yield _drawn(picture, lost)


def sheet_of(picture: Image.Image) -> Sheet:
    data = picture.point([0] * THRESHOLD + [255] * (256 - THRESHOLD)).tobytes()
    return Sheet(data, *picture.size)


def finders(sheet: Sheet) -> list[Finder]:
    """What is 1:1:3:1:1 along a row and along the column through its middle, the surest first."""
    heaps: list[list[Finder]] = []
    for y in range(0, sheet.height, STRIDE):
        for x in _middles(sheet.row(y)):
            found = _crossed(sheet, x, y)
            if not found:
                continue
            heap = next((cluster for cluster in heaps if _is_same(cluster[0], found)), None)
            heaps.append([found]) if heap is None else heap.append(found)
    heaps.sort(key=lambda heap: -len(heap))
    return [_mean(heap) for heap in heaps[:MOST_FINDERS]]


def _middles(row: bytes) -> Iterator[int]:
    spans = [found.span() for found in INKED.finditer(row)]
    for (left, core), right in zip(pairwise(spans), spans[2:], strict=False):
        edges = (*left, *core, *right)
        if _is_finder([after - before for before, after in pairwise(edges)]):
            yield (core[0] + core[1]) // 2


def _is_finder(runs: list[int]) -> bool:
    module = sum(runs) / 7
    return module >= SMALLEST and all(
        abs(run - wanted * module) <= 0.6 * module * math.sqrt(wanted)
        for run, wanted in zip(runs, (1, 1, 3, 1, 1), strict=True)
    )


def _crossed(sheet: Sheet, x: int, y: int) -> Finder | None:
    """The finder whose middle is near this place, measured along the column and then along the row."""
    down = _runs(sheet.column(x), y)
    if not down:
        return None
    across = _runs(sheet.row(int(down[0])), x)
    if not across or not 0.6 < across[1] / down[1] < 1.7:
        return None
    return Finder(across[0], down[0], (across[1] + down[1]) / 2)


def _runs(line: bytes, at: int) -> tuple[float, float] | None:
    """The middle of the 1:1:3:1:1 around `at` and the length of its module."""
    before = line.rfind(PAPER, 0, at)
    ring_before = line.rfind(INK, 0, max(before, 0))
    start = line.rfind(PAPER, 0, max(ring_before, 0))
    after = line.find(PAPER, at)
    ring_after = line.find(INK, max(after, at))
    end = line.find(PAPER, max(ring_after, at))
    if min(before, ring_before, start, after, ring_after, end) < 0 or line[at]:
        return None
    edges = (start + 1, ring_before + 1, before + 1, after, ring_after, end)
    if not _is_finder([later - earlier for earlier, later in pairwise(edges)]):
        return None
    return (edges[2] + edges[3]) / 2, (end - start - 1) / 7


def _is_same(finder: Finder, other: Finder) -> bool:
    return max(abs(finder.x - other.x), abs(finder.y - other.y)) < 2 * finder.module


def _mean(heap: list[Finder]) -> Finder:
    many = len(heap)
    x, y = sum(finder.x for finder in heap) / many, sum(finder.y for finder in heap) / many
    return Finder(x, y, sum(finder.module for finder in heap) / many)


def missing(finder: Finder, other: Finder) -> Iterator[Lost]:
    """Where the third may have been, if the two stand on an edge of the code or across it."""
    for is_across in (False, True):
        way_x, way_y = other.x - finder.x, other.y - finder.y
        angle = math.atan2(way_y, way_x) - (math.pi / 4 if is_across else 0)
        edge = math.hypot(way_x, way_y) / (math.sqrt(2) if is_across else 1)
        # a row crosses a turned square on a longer way
        module = (finder.module + other.module) / 2 * max(abs(math.cos(angle)), abs(math.sin(angle)))
        versions = round((edge / module - SHORTEST) / STEP)
        between = SHORTEST + STEP * versions
        if not 0 <= versions < VERSIONS or abs(edge / module - between) > 1.7:
            continue
        right = (math.cos(angle) * edge / between, math.sin(angle) * edge / between)
        yield from _corners(finder, other, right, between, is_across=is_across)


def _corners(
    finder: Finder, other: Finder, right: tuple[float, float], between: int, *, is_across: bool
) -> Iterator[Lost]:
    centre_x, centre_y = (finder.x + other.x) / 2, (finder.y + other.y) / 2
    offset_x, offset_y = -right[1] * between, right[0] * between
    modules = between + 7
    if is_across:
        for x, y in ((finder.x + offset_x, finder.y + offset_y), (other.x - offset_x, other.y - offset_y)):
            yield Lost(x, y, right, (centre_x, centre_y), modules)
        return
    for side, near in product((1, -1), (finder, other)):
        centre = (centre_x + side * offset_x / 2, centre_y + side * offset_y / 2)
        yield Lost(near.x + side * offset_x, near.y + side * offset_y, right, centre, modules)


def _settled(lost: Lost, sheet: Sheet) -> tuple[int, Lost]:
    """Moved a little to where what is left of the finder fits best, and how many of its 49 modules fit there."""
    tries = (
        Lost(*lost.position_of(across, down), lost.right, lost.centre, lost.modules)
        for across, down in product(SHIFTS, repeat=2)
    )
    return max(((_likeness(candidate, sheet), candidate) for candidate in tries), key=lambda pair: pair[0])


def _likeness(lost: Lost, sheet: Sheet) -> int:
    return sum(
        sheet.is_ink(*lost.position_of(across, down)) == (max(abs(across), abs(down)) != 2)
        for across, down in PATTERN
    )


def _drawn(picture: Image.Image, lost: Lost) -> Image.Image:
    """The code with its margin cut out, the finder drawn into it."""
    (ux, uy), (x, y) = lost.right, lost.centre
    half = (lost.modules / 2 + 4) * (abs(ux) + abs(uy))
    box = (round(x - half), round(y - half), round(x + half), round(y + half))
    code = picture.crop(box)
    pixels = code.load()
    assert pixels is not None
    middle_x, middle_y, long = lost.x - box[0], lost.y - box[1], ux * ux + uy * uy
    reach = math.ceil(5 * (abs(ux) + abs(uy)))
    for row, column in product(
        range(max(0, round(middle_y) - reach), min(code.height, round(middle_y) + reach)),
        range(max(0, round(middle_x) - reach), min(code.width, round(middle_x) + reach)),
    ):
        dx, dy = column + 0.5 - middle_x, row + 0.5 - middle_y
        ring = max(abs(dx * ux + dy * uy), abs(dy * ux - dx * uy)) / long
        if ring < 4.5:
            pixels[column, row] = WHITE if 1.5 <= ring < 2.5 or ring >= 3.5 else 0
    return code
