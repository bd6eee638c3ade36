"""Is this a picture, and a harmless one? Decoded in full, turned upright, re-encoded by image_process.py.

`verify()` alone accepts truncated files and files with a tail, so nothing of the original bytes is kept.
"""

import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy
from PIL import Image

from closures.photos import image_process
from dispatch.problems import ActionRefused, Problem
from monitoring.middleware import ServiceBusy

# of a busy machine; what a file can make the decoder do ends with its CPU_SECONDS
DECODER_SECONDS = 40
QUEUE_TIMEOUT_SECONDS = 5
_running, _waiting = threading.BoundedSemaphore(1), threading.BoundedSemaphore(1)
REFUSALS = {
    image_process.TOO_MANY_PIXELS: (
        "too_many_pixels",
        gettext_lazy("Photos can have at most %(limit)s megapixels."),
    ),
    image_process.WRONG_TYPE: ("wrong_type", gettext_lazy("Photos must be JPEG, PNG, WebP or HEIC files.")),
}
UNREADABLE = ("unreadable", gettext_lazy("The photo is damaged or incomplete. Take it again."))


class BadPicture(ActionRefused):
    """The bytes are not a picture that we keep; the message that announced it stays."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__([Problem(code, "photo", message)])


class DecoderBusy(ServiceBusy):
    """The picture was not looked at, or not to its end: it may be a good one and can be sent again."""

    part = "decoder"


@dataclass(frozen=True)
class Picture:
    """A clean JPEG without camera data, and the hashes of what came and of what is kept."""

    content: bytes
    width: int
    height: int
    sha256: str
    stored_sha256: str
    original_type: str


@contextmanager
def decoder_slot() -> Iterator[None]:
    """Round the work on one picture. One at a time in each process and one that waits for it: so uploads and labels
    hold at most two threads of a web process, whatever is in them. Raises DecoderBusy.
    """
    if not _waiting.acquire(blocking=False):
        raise DecoderBusy
    try:
        is_free = _running.acquire(timeout=QUEUE_TIMEOUT_SECONDS)
    finally:
        _waiting.release()
    if not is_free:
        raise DecoderBusy
    try:
        yield
    finally:
        _running.release()


def clean(raw: bytes) -> Picture:
    """Raises BadPicture with a sentence: wrong type, truncated, too many pixels, more scans than a camera makes.

    Raises DecoderBusy when the machine is too slow.
    """
    facts, content = _decoded("clean", raw)
    return Picture(
        content=content,
        width=facts["width"],
        height=facts["height"],
        sha256=hashlib.sha256(raw).hexdigest(),
        stored_sha256=hashlib.sha256(content).hexdigest(),
        original_type=facts["type"],
    )


def grey(raw: bytes, *, long_edge: int) -> Image.Image:
    """To look at and not to keep, its long edge at most `long_edge` pixels. Raises BadPicture, DecoderBusy."""
    facts, content = _decoded("grey", raw, long_edge)
    return Image.frombytes("L", (facts["width"], facts["height"]), content)


def _decoded(work: str, raw: bytes, argument: int = 0) -> tuple[dict[str, Any], bytes]:
    """What the decoder says of the picture, and its content."""
    command = [sys.executable, "-I", image_process.__file__, work, str(argument)]
    try:
        done = subprocess.run(  # noqa: S603  # our own command
            command, input=raw, capture_output=True, timeout=DECODER_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as problem:
        raise DecoderBusy from problem
    if done.returncode:
        # a limit or a crash of the decoder ends it by a signal
        code, sentence = REFUSALS.get(done.returncode, UNREADABLE)
        raise BadPicture(code, str(sentence) % {"limit": image_process.MOST_PIXELS // 10**6})
    facts, _, content = done.stdout.partition(b"\n")
    return json.loads(facts), content
