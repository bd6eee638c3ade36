"""The headings of the office's pages are an outline: a screen reader's list of them leads to each part."""

import pytest
from pytest_django.asserts import assertContains

from dispatch.states import JobState
from tests import make
from tests.board.office import signed_in
from tests.page_elements import missing_ids, skipped_levels

pytestmark = pytest.mark.django_db


def test_job_page_lists_its_appointment() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    answer = signed_in().get(f"/board/jobs/{job}/")

    assertContains(answer, '<a href="#appointment">Appointment</a>', html=True)
    assertContains(answer, '<h2 id="appointment-title">Appointment</h2>', html=True)
    assert skipped_levels(answer.content.decode()) == []
    assert missing_ids(answer.content.decode()) == set()


@pytest.mark.parametrize("chosen", ["", "job", "engineer"])
def test_board_has_an_outline(chosen: str) -> None:
    engineer = make.engineer(name="Erin Engineer")
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    make.job()
    choices = {"": "", "job": f"&job={job}", "engineer": f"&engineer={engineer.staff_number}"}

    answer = signed_in().get(f"/board/?day={make.DAY}{choices[chosen]}")

    assertContains(answer, '<h2 class="visually-hidden">Engineers</h2>', html=True)
    assert skipped_levels(answer.content.decode()) == []
    assert missing_ids(answer.content.decode()) == set()


def test_number_of_results_has_a_singular() -> None:
    answer = signed_in().get("/board/alarms/")

    assertContains(answer, 'data-number-one="{number} result" data-number-many="{number} results"')
