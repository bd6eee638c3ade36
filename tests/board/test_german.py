"""A German dispatcher reads German refusals next to German offers."""

import pytest
from django.utils.functional import Promise

from board.event_descriptions import RESULTS
from dispatch.models import Job
from engineers.models import Engineer
from tests import make
from tests.board.office import assign, signed_in

pytestmark = pytest.mark.django_db


def refused(job: Job, engineer: Engineer, clock: str) -> list[str]:
    client = signed_in()
    client.cookies["django_language"] = "de"
    problems = assign(client, job, engineer, clock).json()["problems"]
    return [problem["message"] for problem in problems]


def test_place_outside_the_window_and_the_shift() -> None:
    engineer = make.engineer(name="Erin First")

    sentences = refused(make.job(), engineer, "22:00")

    assert len(sentences) == 2
    assert "nach dem Zeitfenster des Kunden" in sentences[0]
    assert sentences[1].startswith("Erin First arbeitet an diesem Tag ")


def test_provisioning_results_are_translated_when_they_are_read() -> None:
    assert all(isinstance(description, Promise) for description in RESULTS.values())


def test_engineer_who_lacks_a_skill() -> None:
    engineer = make.engineer(name="Erin First", skills=())

    sentence, *_others = refused(make.job(flags=["CHP"]), engineer, "08:30")

    assert sentence.startswith("Erin First fehlen Qualifikationen")
