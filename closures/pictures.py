"""Is this a picture, and a harmless one? Decoded in full, turned upright, written anew: pure, no Django model.

`verify()` alone accepts truncated files and files with a tail, so nothing of the original bytes is kept.
"""

import hashlib
import io
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PIL import Image, UnidentifiedImageError

from closures import heic
from dispatch.problems import Problem, Refused

FORMATS = ("JPEG", "PNG", "WEBP")
HEIC_SECONDS = 30
ORIENTATION = 0x0112
# TIFF 6.0, Orientation: what turns the picture upright
UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
MOST_PIXELS = 40_000_000
# a progressive JPEG has about ten; each costs a decoder 20 ms at 40 megapixels, and 60 bytes buy one
MOST_SCANS = 100
START_OF_IMAGE, START_OF_SCAN, END_OF_IMAGE = b"\xff\xd8", b"\xff\xda", b"\xff\xd9"
# in a JPEG, 0xff before any other byte than these begins a segment
MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
QUALITY = 85
# DecompressionBombWarning is raised from here on; twice that is Pillow's own error
Image.MAX_IMAGE_PIXELS = MOST_PIXELS


class BadPicture(Refused):
    """The bytes are not a picture that we keep; the message that announced it stays."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__([Problem(code, "photo", message)])


@dataclass(frozen=True)
class Picture:
    """A clean JPEG without camera data, and the hashes of what came and of what is kept."""

    content: bytes
    width: int
    height: int
    sha256: str
    stored_sha256: str
    original_type: str


def clean(raw: bytes) -> Picture:
    """Raises BadPicture with a sentence: wrong type, truncated, too many pixels, more scans than a camera makes."""
    with _refused_in_words():
        _check_scans(raw)
        return _clean(raw)


def grey(raw: bytes, *, long_edge: int) -> Image.Image:
    """To look at and not to keep: made small while it is decoded, nothing of it is written. Raises BadPicture."""
    with _refused_in_words():
        _check_scans(raw)
        source, formats = _source(raw)
        with Image.open(io.BytesIO(source), formats=formats) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise Image.DecompressionBombError
            opened.draft("L", (long_edge, long_edge))
            seen = _rgb(opened).convert("L") if opened.mode != "L" else opened.copy()
        seen.thumbnail((long_edge, long_edge), Image.Resampling.BILINEAR)
        return seen


@contextmanager
def _refused_in_words() -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as problem:
        raise BadPicture(
            "too_many_pixels", f"A photo has at most {MOST_PIXELS // 10**6} megapixels."
        ) from problem
    except UnidentifiedImageError as problem:
        raise BadPicture("wrong_type", "A photo is a JPEG, PNG, WebP or HEIC file.") from problem
    except (OSError, SyntaxError, ValueError, EOFError, RuntimeError) as problem:
        raise BadPicture("unreadable", "The photo is damaged or incomplete. Take it again.") from problem


def _source(raw: bytes) -> tuple[bytes, tuple[str, ...]]:
    """What Pillow opens and as which: a HEIC is decoded by a process of its own."""
    return (_heic_pixels(raw), ("PPM",)) if _is_heic(raw) else (raw, FORMATS)


def _is_heic(raw: bytes) -> bool:
    return raw[4:8] == b"ftyp"


def _clean(raw: bytes) -> Picture:
    source, formats = _source(raw)
    _check_sums(source, formats)
    with Image.open(io.BytesIO(source), formats=formats) as opened:
        if opened.width * opened.height > MOST_PIXELS:
            raise Image.DecompressionBombError
        original_type = "HEIF" if _is_heic(raw) else str(opened.format)
        opened.load()
        upright = _rgb(_upright(opened))
    # a JPEG's comment would be written anew from here
    upright.info.clear()
    content = io.BytesIO()
    upright.save(content, "JPEG", quality=QUALITY, optimize=True)
    kept = content.getvalue()
    return Picture(
        content=kept,
        width=upright.width,
        height=upright.height,
        sha256=hashlib.sha256(raw).hexdigest(),
        stored_sha256=hashlib.sha256(kept).hexdigest(),
        original_type=original_type,
    )


def _check_scans(raw: bytes) -> None:
    """Before a decoder begins. Reads up to the image's end: a phone may append a film."""
    place = len(START_OF_IMAGE)
    scans = 0
    while raw.startswith(START_OF_IMAGE) and (marker := MARKER.search(raw, place)):
        if marker[0] == END_OF_IMAGE:
            return
        scans += marker[0] == START_OF_SCAN
        if scans > MOST_SCANS:
            raise ValueError("more scans than a camera makes")
        place = marker.end() + int.from_bytes(raw[marker.end() : marker.end() + 2], "big")


def _check_sums(source: bytes, formats: tuple[str, ...]) -> None:
    """A PNG's checksums are read by `verify` only, which leaves the picture unusable."""
    with Image.open(io.BytesIO(source), formats=formats) as opened:
        if opened.format == "PNG" and opened.width * opened.height <= MOST_PIXELS:
            opened.verify()


def _rgb(opened: Image.Image) -> Image.Image:
    """Pillow cuts sixteen-bit grey off at 255 where it should be divided."""
    if opened.mode.startswith("I"):
        opened = opened.point(lambda level: level / 256).convert("L")
    return opened.convert("RGB")


def _upright(opened: Image.Image) -> Image.Image:
    """By the orientation alone: Pillow's own function writes all camera data anew and fails on odd data."""
    try:
        turn = UPRIGHT.get(opened.getexif().get(ORIENTATION, 1))
    except Exception:  # camera data that cannot be read is no reason to refuse the picture
        return opened
    return opened if turn is None else opened.transpose(turn)


def _heic_pixels(raw: bytes) -> bytes:
    command = [sys.executable, "-I", heic.__file__, str(MOST_PIXELS)]
    try:
        done = subprocess.run(  # noqa: S603  # our own command
            command, input=raw, capture_output=True, timeout=HEIC_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as problem:
        raise ValueError("decoding took too long") from problem
    if done.returncode == heic.TOO_MANY_PIXELS:
        raise Image.DecompressionBombError
    if done.returncode != 0:
        raise ValueError(f"the decoder ended with {done.returncode}")
    return done.stdout
