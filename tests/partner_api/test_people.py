"""Engineers, areas and shifts."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from engineers.models import Absence, Area
from tests import make
from tests.partner_api.caller import Caller, follow

pytestmark = pytest.mark.django_db
DAYS = "first=2026-11-23&last=2026-11-24"


def test_engineers_with_areas_and_skills() -> None:
    area = Area.objects.create(name="Leeds", postcodes="LS BD1")
    erin, _other = make.engineer(skills=("mdu",)), make.engineer(name="Ali Khan")
    erin.area = area
    erin.save()

    row = Caller().read("/api/v1/engineers")["engineers"][0]

    assert row == {
        "staff_number": erin.staff_number,
        "name": "Erin Engineer",
        "phone": "07700 900123",
        "is_active": True,
        "areas": ["Leeds"],
        "skills": [{"code": "mdu", "expires_on": None}],
    }
    assert Caller().read("/api/v1/areas") == {"areas": [{"name": "Leeds", "postcodes": ["LS", "BD1"]}]}
    assert len(follow(Caller(), "/api/v1/engineers?page_size=1", "engineers")) == 2
    assert len(Caller(areas=[area]).read("/api/v1/engineers")["engineers"]) == 1


def test_shifts_without_breaks_and_absences() -> None:
    erin = make.give_break(make.engineer())
    Absence.objects.create(engineer=erin, starts_at=make.at("15:00"), ends_at=make.at("23:00"))

    shifts = Caller().read(f"/api/v1/shifts?{DAYS}")["shifts"]

    assert shifts[0]["engineer"] == erin.staff_number
    assert shifts[0]["days"][0] == {
        "day": "2026-11-23",
        "spans": [
            {"start": "2026-11-23T08:00:00Z", "end": "2026-11-23T12:00:00Z"},
            {"start": "2026-11-23T12:30:00Z", "end": "2026-11-23T15:00:00Z"},
        ],
    }
    assert shifts[0]["days"][1]["spans"][1]["end"] == "2026-11-24T18:00:00Z"


def test_shifts_of_one_engineer_and_of_areas() -> None:
    erin, ali = make.engineer(), make.engineer(name="Ali Khan")
    area = Area.objects.create(name="Leeds", postcodes="LS")
    ali.further_areas.add(area)

    found = Caller().read(f"/api/v1/shifts?{DAYS}&engineer={erin.staff_number.lower()}")["shifts"]
    limited = Caller(areas=[area]).read(f"/api/v1/shifts?{DAYS}")["shifts"]

    assert [row["engineer"] for row in found] == [erin.staff_number]
    assert [row["engineer"] for row in limited] == [ali.staff_number]


@pytest.mark.parametrize("days", ["first=2026-11-23&last=2026-11-22", "first=2026-11-01&last=2026-12-02"])
def test_period_that_makes_no_sense_is_refused(days: str) -> None:
    answer = Caller().get(f"/api/v1/shifts?{days}")

    assert answer.status_code == 400
    assert "at most 31 days" in answer.content.decode()


@pytest.mark.parametrize("path", ["/api/v1/engineers", f"/api/v1/shifts?{DAYS}"])
def test_number_of_queries_is_that_of_one_engineer(path: str) -> None:
    caller, counts = Caller(), []
    for _ in range(2):
        for _ in range(3):
            engineer = make.engineer()
            Absence.objects.create(
                engineer=engineer, starts_at=make.at("15:00"), ends_at=make.at("15:00") + timedelta(hours=1)
            )
        caller.read(path)
        with CaptureQueriesContext(connection) as queries:
            caller.read(path)
        counts.append(len(queries))

    # token, its areas, engineers, and three prefetched tables at most
    assert counts[0] == counts[1] <= 6
