"""When a line counts as down: by the ONT and the seller's side, never by what is plugged in."""

import pytest

from dispatch.line_checks import LineReading
from dispatch.models import LinePart


@pytest.mark.parametrize(
    ("ont", "connection", "port", "code", "is_down"),
    [
        ("up", "up", "up", "AOK001", False),
        ("up", "up", "down", "ISP003", False),
        ("up", "up", "unknown", "ISP003", False),
        ("up", "down_buyer", "up", "ISP002", False),
        ("up", "down_buyer", "down", "ISP001", False),
        ("up", "down_seller", "up", "CFH002", True),
        ("up", "down_seller", "down", "CFH003", True),
        ("down", "up", "up", "CFH001", True),
        ("no_power", "up", "up", "DYG001", True),
        # the states count where they contradict the code, and the code where there are none
        ("down", "up", "up", "AOK001", True),
        ("unknown", "unknown", "unknown", "CFH001", True),
        ("unknown", "unknown", "unknown", "STF001", False),
        ("unknown", "unknown", "unknown", "NEW999", False),
    ],
)
def test_line_is_down(ont: str, connection: str, port: str, code: str, *, is_down: bool) -> None:
    reading = LineReading(code=code, ont=LinePart(ont), connection=LinePart(connection), port=LinePart(port))

    assert reading.is_down is is_down
