"""Decodes a photo (standard input) and writes what is kept of it (standard output): run as a process of its own.

A file made to harm keeps a decoder busy for minutes in Python code (a header of millions of markers) or ends its
process (libheif on some damaged files). Here it meets limits of CPU and memory, and no one else waits for it.
It imports nothing of ours and no Django: it starts in a tenth of a second.
"""

import ctypes
import json
import os
import re
import resource
import signal
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from typing import Any

from PIL import Image, UnidentifiedImageError

FORMATS = ("JPEG", "PNG", "WEBP")
HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
PNG = b"\x89PNG\r\n\x1a\n"
UNREADABLE, TOO_MANY_PIXELS, WRONG_TYPE = 3, 4, 5
MOST_PIXELS = 40_000_000
MEMORY_BYTES = 2 * 1024**3
# 40 megapixels take about 3 on a slow machine
CPU_SECONDS = 15
# pages come first
NICER = 5
PR_SET_PDEATHSIG = 1
QUALITY = 85
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
# a progressive JPEG has about ten; each costs a decoder 20 ms at 40 megapixels, and 60 bytes buy one
MOST_SCANS = 100
# camera data, colour profile and a depth map have some hundred; Pillow reads each in Python
MOST_SEGMENTS = 5000
# between segments a camera writes nothing; Pillow skips fill and rubbish byte by byte
MOST_LOOSE_BYTES = 64 * 1024
START_OF_IMAGE, START_OF_SCAN, END_OF_IMAGE = b"\xff\xd8", b"\xff\xda", b"\xff\xd9"
# in a JPEG, 0xff before any other byte than these begins a segment
MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


class TooManyPixels(Exception):
    """More than MOST_PIXELS."""


def clean(raw: bytes, _argument: int) -> tuple[dict[str, Any], bytes]:
    """Upright, RGB, as JPEG, with nothing else of the original."""
    _check_segments(raw)
    formats = _formats(raw)
    _check_sums(raw, formats)
    with Image.open(BytesIO(raw), formats=formats) as opened:
        _check_pixels(opened)
        original_type = str(opened.format)
        opened.load()
        # libheif turns it by itself
        upright = _rgb(opened if original_type == "HEIF" else _upright(opened))
    # a JPEG's comment would be rewritten from here
    upright.info.clear()
    content = BytesIO()
    upright.save(content, "JPEG", quality=QUALITY, optimize=True)
    return {"width": upright.width, "height": upright.height, "type": original_type}, content.getvalue()


def grey(raw: bytes, long_edge: int) -> tuple[dict[str, Any], bytes]:
    """Grey pixels, made small while they are decoded: to look at and not to keep."""
    _check_segments(raw)
    with Image.open(BytesIO(raw), formats=_formats(raw)) as opened:
        _check_pixels(opened)
        opened.draft("L", (long_edge, long_edge))
        seen = _rgb(opened).convert("L") if opened.mode != "L" else opened.copy()
    seen.thumbnail((long_edge, long_edge), Image.Resampling.BILINEAR)
    return {"width": seen.width, "height": seen.height}, seen.tobytes()


def _formats(raw: bytes) -> tuple[str, ...]:
    if not _is_heic(raw):
        return FORMATS
    # a third of the time that it takes to start, and few phones send one
    import_module("pi_heif").register_heif_opener(
        thumbnails=False, depth_images=False, aux_images=False, decode_threads=1
    )
    return ("HEIF",)


def _is_heic(raw: bytes) -> bool:
    return raw[4:8] == b"ftyp" and raw[8:12] in HEIC_BRANDS


def _is_picture(raw: bytes) -> bool:
    """By its first bytes, as camera/image_formats.js on the phone: tests/data/picture_vectors.json holds both."""
    is_webp = raw.startswith(b"RIFF") and raw[8:12] == b"WEBP"
    return raw.startswith((START_OF_IMAGE + b"\xff", PNG)) or is_webp or _is_heic(raw)


def _check_segments(raw: bytes) -> None:
    """Before a decoder begins. Reads up to the image's end: a phone may append a film."""
    offset = len(START_OF_IMAGE)
    scans = segments = loose = 0
    while raw.startswith(START_OF_IMAGE) and (marker := MARKER.search(raw, offset)):
        if marker[0] == END_OF_IMAGE and scans:
            return
        segments += 1
        scans += marker[0] == START_OF_SCAN
        # behind the first scan come pixels, which a decoder reads in C
        loose += 0 if scans else marker.start() - offset
        if scans > MOST_SCANS or segments > MOST_SEGMENTS or loose > MOST_LOOSE_BYTES:
            raise ValueError("more than a camera writes")
        offset = marker.end() + int.from_bytes(raw[marker.end() : marker.end() + 2], "big")
    if raw.startswith(START_OF_IMAGE) and not scans and len(raw) - offset > MOST_LOOSE_BYTES:
        raise ValueError("no picture in it")


def _check_sums(raw: bytes, formats: tuple[str, ...]) -> None:
    """A PNG's checksums are read by `verify` only, which leaves the picture unusable."""
    if not raw.startswith(PNG):
        return
    with Image.open(BytesIO(raw), formats=formats) as opened:
        if opened.width * opened.height <= MOST_PIXELS:
            opened.verify()


def _check_pixels(opened: Image.Image) -> None:
    if opened.width * opened.height > MOST_PIXELS:
        raise TooManyPixels


def _rgb(opened: Image.Image) -> Image.Image:
    """Pillow cuts sixteen-bit grey off at 255 where it should be divided."""
    if opened.mode.startswith("I"):
        opened = opened.point(lambda level: level / 256).convert("L")
    return opened.convert("RGB")


def _upright(opened: Image.Image) -> Image.Image:
    """By the orientation alone: Pillow's own function rewrites all camera data and fails on invalid data."""
    try:
        turn = UPRIGHT.get(opened.getexif().get(ORIENTATION, 1))
    except Exception:  # camera data that cannot be read is no reason to refuse the picture
        return opened
    return opened if turn is None else opened.transpose(turn)


def _limit() -> None:
    if sys.platform.startswith("linux"):
        # a web process that is killed leaves no decoder behind
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.nice(NICER)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


WORK: dict[str, Callable[[bytes, int], tuple[dict[str, Any], bytes]]] = {"clean": clean, "grey": grey}


def main() -> None:
    _limit()
    warnings.simplefilter("ignore")
    # ours is the check of pixels; Pillow's own would only warn
    Image.MAX_IMAGE_PIXELS = None
    raw = sys.stdin.buffer.read()
    try:
        facts, content = WORK[sys.argv[1]](raw, int(sys.argv[2]))
    except (TooManyPixels, Image.DecompressionBombError):
        sys.exit(TOO_MANY_PIXELS)
    except UnidentifiedImageError:
        sys.exit(UNREADABLE if _is_picture(raw) else WRONG_TYPE)
    except Exception:  # whatever a decoder says of hostile bytes means the same
        sys.exit(UNREADABLE)
    sys.stdout.buffer.write(json.dumps(facts).encode() + b"\n" + content)


if __name__ == "__main__":
    main()
