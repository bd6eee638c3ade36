"""The map of the day: which locations it gets, the symbol of each state, and the choice of the layout."""

from datetime import timedelta

import pytest
from django.utils import translation

from board import formatting
from board.day.day_map import EngineerPosition, load_places, map_signs
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import LastPosition
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
PATH = f"/board/?day={make.DAY.isoformat()}"


def test_every_located_job_of_the_day_has_its_place() -> None:
    waiting, assigned = make.job(), make.job(at_state=JobState.ASSIGNED)
    make.job(located=False)
    make.job(day=make.DAY + timedelta(days=1))

    found = load_places(make.DAY, now=make.at("10:00"))

    assert found.jobs == {
        waiting.provider_job_id: (53.81, -1.56),
        assigned.provider_job_id: (53.81, -1.56),
    }


def test_engineer_is_on_the_map_while_the_position_is_fresh() -> None:
    for name, minutes in (("Erin Engineer", 10), ("Olga Other", 31)):
        LastPosition.objects.create(
            engineer=make.engineer(name=name),
            latitude=53.8,
            longitude=-1.5,
            taken_at=make.at("10:00") - make.minutes(minutes),
        )

    today = load_places(make.DAY, now=make.at("10:00"))
    tomorrow = load_places(make.DAY + timedelta(days=1), now=make.at("10:00"))

    assert today.engineers == [EngineerPosition("EE", 53.8, -1.5)]
    assert tomorrow.engineers == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_each_state_has_a_character_of_its_own(language: str) -> None:
    with translation.override(language):
        signs = map_signs(formatting.legend())

    characters = [sign.character for sign in signs]
    assert all(characters)
    assert len(set(characters)) == len(characters)


@pytest.mark.parametrize("rows", [1, 3])
def test_places_take_three_queries(rows: int, django_assert_num_queries: object) -> None:
    for _ in range(rows):
        make.job()
        make.job(at_state=JobState.ON_SITE, to=make.engineer())

    with django_assert_num_queries(3):
        load_places(make.DAY, now=make.at("10:00"))


def test_map_and_its_scripts_are_there_only_when_chosen() -> None:
    client = signed_in()
    make.job()
    page = client.get(PATH).content.decode()
    assert "map/day_map" not in page
    assert "leaflet" not in page

    for layout in ("split", "map"):
        client.post("/board/view/", {"layout": layout})
        page = client.get(PATH).content.decode()
        assert 'data-module="map/day_map"' in page
        assert f"layout-{layout}" in page
        assert f"/board/map.json?day={make.DAY.isoformat()}" in page


def test_places_are_answered_as_json() -> None:
    job = make.job()
    Job.objects.update(latitude=1.5, longitude=2.5)

    answer = signed_in().get(f"/board/map.json?day={make.DAY.isoformat()}")

    assert answer.headers["Cache-Control"].startswith("max-age=0")
    assert answer.json()["jobs"] == {job.provider_job_id: [1.5, 2.5]}
    assert answer.json()["legend"][0] == {"slug": "unassigned", "character": "U", "label": "Unassigned"}
