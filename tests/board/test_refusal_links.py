"""A refusal that names another job leads to it, for scripts and on the page."""

import pytest
from django.urls import reverse

from dispatch.states import JobState
from tests import make
from tests.board.office import assign, signed_in, submit

pytestmark = pytest.mark.django_db


def test_double_booking_leads_to_the_other_job() -> None:
    engineer = make.engineer()
    other = make.job(at_state=JobState.ASSIGNED, to=engineer)

    problems = assign(signed_in(), make.job(), engineer, "08:30").json()["problems"]

    (found,) = [problem for problem in problems if problem["code"] == "double_booking"]
    assert (found["other_job"], found["other_title"]) == (other.provider_job_id, other.title)
    assert found["other_title"] in found["message"]


def test_page_of_a_refusal_links_the_other_job() -> None:
    engineer, job = make.engineer(), make.job()
    other = make.job(at_state=JobState.ASSIGNED, to=engineer)

    starts_at = make.at("08:30").isoformat()
    answer = submit(signed_in(), job, "assign", engineer=engineer.staff_number, starts_at=starts_at)

    url = reverse("board:job", args=[other.provider_job_id])
    assert f'already has a visit at <a href="{url}">{other.title}</a>, 08:00' in answer.content.decode()
