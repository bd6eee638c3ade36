"""Moments as a browser sends them, and what is said of one that is none."""

from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError

from board.form_inputs import MomentField


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2026-10-25T01:30", "The clocks change in this hour"),
        ("2027-03-28T01:30", "The clocks change in this hour"),
        ("9999-12-31T23:00", "Choose a year from 2000"),
        ("at noon", "Enter a valid date/time"),
    ],
    ids=["twice", "never", "year", "no moment"],
)
def test_moment_that_does_not_come_once_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        MomentField().clean(text)


def test_hours_next_to_a_clock_change_are_taken() -> None:
    assert MomentField().clean("2026-10-25T02:30") == datetime(2026, 10, 25, 2, 30, tzinfo=UTC)
    assert MomentField().clean("2026-10-25T00:30") == datetime(2026, 10, 24, 23, 30, tzinfo=UTC)
