"""Of a job at risk: whose fault it would be now, and what proves it."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from board.jobs.job_panel import Panel, build_panel
from closures import answers, closing
from closures.closing import Outcome
from dispatch import holds, visits
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.states import Actor, JobState
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from tests import make
from tests.board.office import JSON, signed_in

pytestmark = pytest.mark.django_db


def panel(job: Job) -> Panel:
    job.refresh_from_db()
    return build_panel(job, now=timezone.now())


def test_job_on_time_has_nothing_at_stake() -> None:
    assert panel(make.job(at_state=JobState.ASSIGNED)).liability is None


def test_unassigned_job_without_survey_is_the_seller_s_side() -> None:
    liability = panel(make.job(flags=("SUR",))).liability

    assert liability is not None
    assert (liability.party, liability.because) == ("Seller's side", "The premises were not surveyed.")
    assert liability.evidence == []


def test_stuck_provisioning_puts_a_job_on_site_at_risk_with_its_evidence() -> None:
    with time_machine.travel(make.at("09:00")):
        job = make.job(at_state=JobState.ON_SITE)
        make.scan(job)
        make.result(job, 3)
        found = panel(job)

    assert (found.risk.slug, found.risk.reason) == ("at-risk", "Provisioning failed with result 3.")
    assert found.liability is not None
    assert "provisioning does not work" in found.liability.because
    assert [text.split(" Mon")[0] for text in found.liability.evidence] == [
        "En route",
        "On site",
        "ONT scanned",
        "Provisioning result",
    ]


@pytest.mark.parametrize(
    ("arrived", "because"),
    [
        ("09:00", "An engineer has already been on site, so the customer's window no longer counts."),
        ("13:10", "Nobody was there in the window. Call the customer."),
    ],
)
def test_job_that_was_begun_and_that_nobody_goes_on_with(arrived: str, because: str) -> None:
    with time_machine.travel(make.at("12:00", day=make.DAY - timedelta(days=1))):
        job = make.job()
    with time_machine.travel(make.at("07:30")):
        make.walk(job, at_state=JobState.EN_ROUTE)
    with time_machine.travel(make.at(arrived)):
        make.arrive(job)
        visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("14:00"), by=make.office())
    with time_machine.travel(make.at("14:40")):
        liability = panel(job).liability

    assert liability is not None
    assert liability.because == because


def test_open_window_names_a_customer_who_can_still_be_called_in_time() -> None:
    with time_machine.travel(make.at("12:00", day=make.DAY - timedelta(days=1))):
        job = make.job()
    with time_machine.travel(make.at("12:30")):
        liability = panel(job).liability

    assert liability is not None
    assert liability.because == "Nobody has been there yet. Call the customer before the window ends."


def test_unsafe_site_is_a_hazard_and_a_hold_the_network() -> None:
    job = make.job()
    holds.hold_job(job=job, by=make.office(), reason="Node down")
    held = panel(job).liability
    alarms.raise_alarm(AlarmKind.SITE_UNSAFE, str(job), coded_text("site_unsafe"))
    unsafe = panel(job).liability

    assert held is not None
    assert unsafe is not None
    assert held.because == "The job is on hold: Node down."
    assert (held.party, unsafe.party) == ("Seller's side", "Hazard")


def note(job: Job, party: str, caller: str = "") -> None:
    form = {"note_id": str(uuid.uuid4()), "text": "Agreed", "caller": caller, "fault_party": party}
    assert signed_in().post(f"/board/jobs/{job}/notes/", form, headers=JSON).status_code == 200


@pytest.mark.parametrize(
    ("party", "expected", "because"),
    [
        ("end_user", "End user", "The office noted: The customer can't keep the appointment."),
        (
            "mborc",
            "Beyond reasonable control (MBORC)",
            "The office noted: We can't come, beyond our control (weather, strike); customer informed.",
        ),
        ("hazard", "Hazard", "The office noted: The site is dangerous."),
    ],
)
def test_call_that_was_noted_says_whose_fault_it_would_be(party: str, expected: str, because: str) -> None:
    """Also of a job that is on time so far."""
    job = make.job(at_state=JobState.ASSIGNED)
    note(job, party, "Ms Okafor")
    liability = panel(job).liability

    assert liability is not None
    assert (liability.party, liability.because) == (expected, because)
    assert [text.split(" Mon")[0].split(" Sun")[0] for text in liability.evidence] == ["Call with Ms Okafor"]


def test_newest_call_counts_and_a_note_without_a_party_says_nothing() -> None:
    job = make.job(flags=("SUR",))
    note(job, "end_user", "Ms Okafor")
    note(job, "seller", "Ms Okafor")
    note(job, "")
    liability = panel(job).liability

    assert liability is not None
    assert (liability.party, len(liability.evidence)) == ("Seller's side", 2)
    assert "The appointment stays" in liability.because


def test_unknown_party_of_a_note_is_refused() -> None:
    form = {"note_id": str(uuid.uuid4()), "text": "Agreed", "fault_party": "moon"}

    assert signed_in().post(f"/board/jobs/{make.job()}/notes/", form, headers=JSON).status_code == 400


@pytest.mark.parametrize(
    ("question", "value", "party"),
    [
        ("NOA02", 15, "End user"),
        ("ASQ01", "A faster line", "End user"),
        ("UNF01", "Trees in the way", "Beyond reasonable control (MBORC)"),
        ("HAZ01", "Loose slates", "Hazard"),
        ("SAF08", "no", "Hazard"),
        ("NET01", "Duct to the node", "Seller's side"),
    ],
)
def test_answers_that_only_one_kind_of_failure_asks_for(question: str, value: object, party: str) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    answer(job, question, value)
    liability = panel(job).liability

    assert liability is not None
    assert liability.party == party
    assert liability.because.startswith("Answered on site: ")


@pytest.mark.parametrize(("question", "value"), [("SAF08", "yes"), ("ROU01", "wall"), ("LGT01", -18.5)])
def test_answers_of_the_work_point_at_nobody(question: str, value: object) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    answer(job, question, value)

    assert panel(job).liability is None


@pytest.mark.parametrize(("code", "party"), [("UNF", "Beyond reasonable control (MBORC)"), ("SP", None)])
def test_closure_that_waits_for_review_counts(code: str, party: str | None, settings: Any) -> None:
    settings.CLOSURE_REVIEW = True
    engineer = make.engineer()
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    if code == "SP":
        make.scan(job)
        make.result(job, 2)
    make.answer_all(job, code=code)
    make.act(
        closing.close_job,
        job=job,
        outcome=Outcome(code=code, remarks="As seen"),
        by=Performer(Actor.ENGINEER, engineer.user),
        closed_at=make.now(),
        engineer=engineer,
    )
    job.refresh_from_db()
    liability = panel(job).liability

    assert job.state == JobState.IN_REVIEW
    assert (liability.party if liability else None) == party


def answer(job: Job, question: str, value: object) -> None:
    make.act(
        answers.record_answer, job=job, question_code=question, value=value, answered_at=make.now(), by=None
    )
