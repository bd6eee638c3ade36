"""The races of the bench (double_booking_races) in small: no double booking, and the loser reads why."""

import pytest

from tests.bench.booking_races import run


@pytest.mark.django_db(transaction=True)
def test_no_race_books_twice_and_every_loser_reads_why() -> None:
    assert run(10) == {"double_bookings": 0, "unexplained": 0}
