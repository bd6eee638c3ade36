"""Every call of a Python function, while it lasts."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def watching_calls(note: Callable[[FrameType], object]) -> Iterator[None]:
    """`note` gets the frame of each function that this thread calls."""

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            note(frame)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
