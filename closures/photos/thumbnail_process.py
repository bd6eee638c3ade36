"""Turns a photo (standard input, JPEG) into a small one (standard output), in a process of its own as image_process.py.

A picture made to harm (a progressive JPEG of ten thousand scans, or one too large for the memory) ends this process,
never the worker that asked. It imports nothing of ours and no Django.
"""

import ctypes
import resource
import signal
import sys
from io import BytesIO

from PIL import Image

LONG_EDGE_PIXELS = 320
QUALITY = 80
UNREADABLE = 3
MEMORY_BYTES = 1024**3
CPU_SECONDS = 10
PR_SET_PDEATHSIG = 1


def shrink(raw: bytes) -> bytes:
    """A JPEG whose long edge is at most LONG_EDGE_PIXELS, without anything of the camera's."""
    with Image.open(BytesIO(raw), formats=("JPEG",)) as opened:
        # the decoder itself leaves pixels out: a tenth of the time for a photo of 12 megapixels
        opened.draft("RGB", (2 * LONG_EDGE_PIXELS, 2 * LONG_EDGE_PIXELS))
        small = opened.convert("RGB")
    small.thumbnail((LONG_EDGE_PIXELS, LONG_EDGE_PIXELS))
    small.info.clear()
    content = BytesIO()
    small.save(content, "JPEG", quality=QUALITY, optimize=True)
    return content.getvalue()


def main() -> None:
    if sys.platform.startswith("linux"):
        # a worker that is killed leaves no decoder behind
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # pixels were counted when the photo came; what slipped past runs into the limits above
    Image.MAX_IMAGE_PIXELS = None
    try:
        content = shrink(sys.stdin.buffer.read())
    except Exception:  # whatever a decoder says of hostile bytes means the same
        sys.exit(UNREADABLE)
    sys.stdout.buffer.write(content)


if __name__ == "__main__":
    main()
