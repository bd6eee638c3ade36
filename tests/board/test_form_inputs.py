"""Moments as a browser sends them, and what is said of one that is none."""

from datetime import UTC, datetime, timedelta

import pytest
from django import forms
from django.core.exceptions import ValidationError

from board.form_inputs import MomentField, SingleLineField


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


@pytest.mark.parametrize(
    ("text", "two_hours_later"),
    [
        ("2026-10-25T00:30", datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
        ("2027-03-28T00:30", datetime(2027, 3, 28, 2, 30, tzinfo=UTC)),
    ],
)
def test_what_is_added_to_a_moment_counts_real_hours(text: str, two_hours_later: datetime) -> None:
    assert MomentField().clean(text) + timedelta(hours=2) == two_hours_later


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("  Erin   Moss ", "Erin Moss"),
        ("Er\u202ein Moss\u200b", "Erin Moss"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
    ],
)
def test_name_has_no_characters_that_nobody_sees(typed: str, stored: str) -> None:
    assert SingleLineField().clean(typed) == stored


@pytest.mark.parametrize("typed", ["\u200b", " \u2060\ufeff "])
def test_name_of_nothing_visible_is_missing(typed: str) -> None:
    with pytest.raises(forms.ValidationError):
        SingleLineField().clean(typed)
