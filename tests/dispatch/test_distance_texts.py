"""A distance is written as the reader's language writes numbers."""

import pytest
from django.utils import translation

from dispatch.driving.travel import format_distance


@pytest.mark.parametrize(
    ("metres", "english", "german"),
    [
        (42.4, "42 m", "42 m"),
        (124, "120 m", "120 m"),
        (1580, "1.6 km", "1,6 km"),
        (9960, "10.0 km", "10,0 km"),
        (12_400, "12 km", "12 km"),
    ],
)
def test_distance_in_two_languages(metres: float, english: str, german: str) -> None:
    assert format_distance(metres) == english
    with translation.override("de"):
        assert format_distance(metres) == german
