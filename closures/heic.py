"""Turns a HEIC photo (standard input) into plain pixels (standard output): run as a process of its own.

libheif ends the whole process on some damaged files (found by changing a few bytes at random), so it must not
run inside one that serves others. It imports nothing of ours and no Django: it starts in a tenth of a second.
"""

import resource
import sys
from io import BytesIO

import pi_heif
from PIL import Image

UNREADABLE, TOO_MANY_PIXELS = 3, 4
MEMORY_BYTES = 2 * 1024**3
CPU_SECONDS = 20


def convert(raw: bytes, *, most_pixels: int) -> bytes:
    """The picture as PPM; libheif turns it upright itself. Exits with TOO_MANY_PIXELS."""
    with Image.open(BytesIO(raw), formats=("HEIF",)) as opened:
        if opened.width * opened.height > most_pixels:
            sys.exit(TOO_MANY_PIXELS)
        pixels = BytesIO()
        opened.convert("RGB").save(pixels, "PPM")
    return pixels.getvalue()


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most_pixels = int(sys.argv[1])
    # ours is the check of pixels; Pillow's own would only warn
    Image.MAX_IMAGE_PIXELS = most_pixels
    pi_heif.register_heif_opener(thumbnails=False, depth_images=False, aux_images=False, decode_threads=1)
    try:
        pixels = convert(sys.stdin.buffer.read(), most_pixels=most_pixels)
    except Exception:  # whatever a decoder says of hostile bytes means the same
        sys.exit(UNREADABLE)
    sys.stdout.buffer.write(pixels)


if __name__ == "__main__":
    main()
