"""What the list of engineers says of today."""

import pytest

from board.people.engineer_list import state_on
from engineers import rota
from engineers.models import Engineer
from tests import make

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("works", "ends", "text"),
    [
        (True, "11:00", "Absent, works 11:00–18:00"),
        (True, "23:59", "Absent"),
        (False, "11:00", "Not working"),
    ],
)
def test_some_hours_of_a_day_off_are_no_absence(works: bool, ends: str, text: str) -> None:
    engineer = make.engineer()
    if not works:
        engineer.shifts.all().delete()
    rota.add_absence(
        engineer=engineer,
        starts_at=make.at("08:00"),
        ends_at=make.at(ends),
        reason="",
        by=make.dispatcher(),
    )

    assert state_on(Engineer.objects.get(), make.DAY).label == text
