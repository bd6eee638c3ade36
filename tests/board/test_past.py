"""Nothing is assigned to a time that has passed; a job whose window has passed is closed without a visit."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.utils.html import strip_tags

from dispatch import visits
from dispatch.models import Job, Visit
from dispatch.states import JobState, JobType
from tests import make
from tests.board.office import assign, press, signed_in, submit

pytestmark = pytest.mark.django_db
LATE = make.at("10:51")


@time_machine.travel(LATE, tick=False)
def test_start_that_has_passed_names_the_next_possible_one() -> None:
    job = make.job()

    answer = assign(signed_in(), job, make.engineer(), "10:00")

    (problem,) = answer.json()["problems"]
    assert (answer.status_code, problem["code"]) == (409, "in_the_past")
    assert problem["message"] == "10:00 is in the past. Choose a start from 11:00 on."
    assert [offer["starts_at"] for offer in answer.json()["suggestions"]] == [make.at("11:00").isoformat()]


@time_machine.travel(LATE, tick=False)
@pytest.mark.parametrize("start", ["10:45", "10:51"])
def test_start_in_this_quarter_hour_is_no_past(start: str) -> None:
    """The page may have offered it minutes ago."""
    assert assign(signed_in(), make.job(), make.engineer(), start).json() == {"ok": True}


@time_machine.travel(LATE, tick=False)
def test_start_before_this_quarter_hour_is_the_past() -> None:
    assert assign(signed_in(), make.job(), make.engineer(), "10:44").status_code == 409


@time_machine.travel(make.at("13:00"), tick=False)
def test_window_that_has_passed_is_assigned_only_with_an_agreement() -> None:
    job, engineer, client = make.job(), make.engineer(), signed_in()

    answer = assign(client, job, engineer, "13:15")
    page = client.get(f"/board/jobs/{job}/").content.decode()

    assert answer.json()["problems"] == [
        {
            "code": "window_over",
            "where": "starts_at",
            "message": "The customer's window 08:00–13:00 has passed. Close the job without a visit, or say what was "
            "agreed.",
            "can_override": True,
            "job": "",
            "title": "",
            "other_job": "",
            "other_title": "",
        }
    ]
    assert answer.json()["suggestions"] == []
    agreed = {"engineer": engineer.staff_number, "starts_at": make.at("13:15").isoformat()}
    assert press(client, job, "assign", **agreed, override_reason="Agreed by telephone").json() == {
        "ok": True
    }
    assert "The customer&#x27;s window has passed" in page or "The customer's window has passed" in page
    assert ("<details open>" in page, 'name="override_reason"' in page) == (True, True)


def test_panel_takes_an_agreement_and_says_it_afterwards() -> None:
    """The form without script: engineer, start and what was agreed; then it can be changed the same way."""
    job, engineer, client = make.job(), make.engineer(name="Bea Okafor"), signed_in()
    fields = {"engineer": engineer.staff_number, "starts_at": "2026-11-23T15:00"}
    panel = f"/board/?day={make.DAY}&job={job}"

    with time_machine.travel(make.at("13:20"), tick=False):
        before = strip_tags(client.get(panel).content.decode())
        refused = submit(client, job, "assign", **fields)
        agreed = submit(client, job, "assign", **fields, override_reason="Ms Tester, by telephone")
        after = strip_tags(client.get(panel).content.decode())
        job_page = client.get(f"/board/jobs/{job}/").content.decode()

    assert "If a later start today is agreed, enter it here." in before
    assert (refused.status_code, agreed.status_code) == (409, 302)
    assert "A start at 15:00 is agreed." in after
    assert "Agreed 15:00" in after
    assert "Ms Tester, by telephone" in strip_tags(job_page)
    # what is expected is not offered to be closed
    assert "<details open>" not in job_page


def test_refused_agreement_keeps_what_was_typed() -> None:
    engineer = make.agreed_job("15:00").visits.get().engineer
    fields = {"engineer": engineer.staff_number, "starts_at": "2026-11-23T15:00"}

    with time_machine.travel(make.at("13:20"), tick=False):
        refused = submit(signed_in(), make.job(), "assign", **fields, override_reason="Ms “Tester”, 15:00")

    assert refused.status_code == 409
    assert re.search(
        r'name="override_reason" required[^>]* value="Ms “Tester”, 15:00"',
        refused.content.decode(),
    )
    assert not refused.context["page"].offers_correction


def test_day_after_the_window_nothing_can_be_agreed() -> None:
    job, client = make.job(), signed_in()

    with time_machine.travel(make.at("09:00", day=make.DAY + timedelta(days=1)), tick=False):
        page = client.get(f"/board/jobs/{job}/").content.decode()
        (problem,) = assign(client, job, make.engineer(), "13:15").json()["problems"]

    assert "enter it here" not in page
    assert 'name="override_reason"' not in page
    assert problem["message"] == (
        "The customer's window Mon 23 Nov 08:00–13:00 has passed. Close the job without a visit."
    )
    assert not problem["can_override"]


def test_start_that_passed_on_another_day_is_named_with_its_day() -> None:
    job, yesterday = make.job(day=make.DAY + timedelta(days=1)), make.at("22:00")

    with time_machine.travel(yesterday, tick=False):
        answer = assign(signed_in(), job, make.engineer(), "21:00")

    assert answer.json()["problems"][0]["message"] == (
        "21:00 is in the past. Choose a start from Tue 24 Nov 08:00 on."
    )


@pytest.mark.parametrize(
    ("code", "job_type"),
    [
        ("FTA", JobType.INSTALLATION),
        ("MBORC", JobType.INSTALLATION),
        ("OTHER", JobType.REVISIT),
        ("OTHER", JobType.EXTERNAL),
        ("OTHER", JobType.CIVILS),
    ],
)
def test_job_of_a_past_window_is_closed_without_a_visit(code: str, job_type: JobType) -> None:
    job = make.job(job_type=job_type)

    with time_machine.travel(make.at("18:00"), tick=False):
        answer = press(signed_in(), job, "close", code=code, remarks="Arrived after its window")

    job.refresh_from_db()
    assert (answer.json(), job.state) == ({"ok": True}, JobState.CLOSED)


def test_begun_job_is_handed_over_after_its_window() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    with time_machine.travel(make.at("14:00"), tick=False):
        answer = assign(signed_in(), job, make.engineer(), "14:00")
        past = assign(signed_in(), job, make.engineer(), "13:00")

    assert answer.json() == {"ok": True}
    assert [problem["code"] for problem in past.json()["problems"]] == ["in_the_past"]


def test_undo_may_restore_a_start_that_has_passed() -> None:
    """It puts back what stood; refusing would leave a move that nobody wants."""
    job, engineer, client = make.job(), make.engineer(), signed_in()
    with time_machine.travel(make.at("08:59"), tick=False) as clock:
        visits.assign(job=job, engineer=engineer, starts_at=make.at("09:00"), by=make.office())
        assign(client, job, engineer, "10:00")
        clock.shift(timedelta(minutes=2))

        client.post("/board/undo/")

    assert Visit.objects.get().planned_start == make.at("09:00")


@time_machine.travel(LATE, tick=False)
def test_form_proposes_a_start_that_is_still_to_come() -> None:
    page = signed_in().get(f"/board/jobs/{make.job(job_type=JobType.REVISIT)}/").content.decode()

    assert 'value="2026-11-23T11:00"' in page


def test_window_until_midnight_is_over_on_the_next_day() -> None:
    job, client, tuesday = make.job(), signed_in(), make.DAY + timedelta(days=1)
    Job.objects.filter(pk=job.pk).update(window_end=make.at("00:00", day=tuesday))

    with time_machine.travel(make.at("09:00", day=tuesday), tick=False):
        page = client.get(f"/board/jobs/{job}/").content.decode()
        fields = {"engineer": make.engineer().staff_number, "override_reason": "Agreed by telephone"}
        fields["starts_at"] = make.at("13:15", day=tuesday).isoformat()
        (problem,) = press(client, job, "assign", **fields).json()["problems"]

    assert 'name="override_reason"' not in page
    assert problem["message"] == (
        "The customer's window Mon 23 Nov 08:00–24:00 has passed. Close the job without a visit."
    )
