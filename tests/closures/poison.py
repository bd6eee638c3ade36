"""A photo that was made to harm: small on the disk, minutes of work for a decoder."""

import io

from PIL import Image

START_OF_SCAN = b"\xff\xda"
END_OF_IMAGE = b"\xff\xd9"


def poison_jpeg(*, scans: int = 2000, width: int = 8000, height: int = 5000) -> bytes:
    """A progressive JPEG whose last scan is said again and again; a decoder obeys each time (here 20 ms)."""
    content = io.BytesIO()
    Image.new("RGB", (width, height), "seagreen").save(content, "JPEG", progressive=True)
    raw = content.getvalue().removesuffix(END_OF_IMAGE)
    last_scan = raw[raw.rindex(START_OF_SCAN) :]
    return raw + last_scan * scans + END_OF_IMAGE
