"""Which number a text message goes to."""

import pytest

from customer_messages.recipients import mobile_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("07700 900123", "07700900123"),
        ("+44 7700 900123", "+447700900123"),
        ("+44 (0)7700 900123", "+447700900123"),
        ("07700 900123 ext. 4", ""),
        ("ask at the desk", ""),
    ],
)
def test_number_is_as_it_is_dialled(text: str, number: str) -> None:
    assert mobile_number(text) == number
