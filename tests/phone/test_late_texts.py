"""What an engineer typed or chose reaches the office also where the job had already changed."""

from collections.abc import Callable

import pytest

from board.jobs.job_presenter import build_job_page
from dispatch import jobs, visits
from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.phone.phone import Phone


@pytest.fixture
def job(phone: Phone) -> Job:
    return make.job(at_state=JobState.ASSIGNED, to=phone.engineer, day=make.today())


def cancel(job: Job) -> None:
    jobs.cancel_job(job=job, reason="Customer changed their mind")


def reassign(job: Job) -> None:
    visits.assign(job=job, engineer=make.engineer(), starts_at=job.window_start, by=make.office())


def last_sentence(job: Job) -> str:
    job.refresh_from_db()
    return build_job_page(job, now=make.now()).history[-1].event.sentence


@pytest.mark.parametrize("change", [cancel, reassign])
def test_late_closing_has_its_secondary_code_and_remarks(
    phone: Phone, job: Job, change: Callable[[Job], None]
) -> None:
    change(job)

    closing = {"code": "CON", "secondary_code": "CON03", "remarks": "Pole 17 belongs to Acme"}
    assert phone.say("close", job, closing)["outcome"] == "late"

    outcome = "CON03 Another operator's D Pole. Remarks: “Pole 17 belongs to Acme”. The "
    assert outcome in last_sentence(job)


def test_late_other_reason_has_its_remarks(phone: Phone, job: Job) -> None:
    cancel(job)

    phone.say("close", job, {"code": "OTHER", "remarks": "Nobody may enter the cellar"})

    assert ": OTHER Other reason. Remarks: “Nobody may enter the cellar”. The seller" in last_sentence(job)


def test_late_closing_without_remarks_says_nothing_of_them(phone: Phone, job: Job) -> None:
    cancel(job)

    phone.say("close", job, {"code": "RNA"})

    assert "Remarks" not in last_sentence(job)


def test_late_hand_over_has_its_reason(phone: Phone, job: Job) -> None:
    reassign(job)

    phone.say("handover_requested", job, {"reason": "My van broke down"})

    assert "My van broke down" in last_sentence(job)


def test_late_step_has_the_reason_of_its_missing_position(phone: Phone, job: Job) -> None:
    cancel(job)

    phone.say("on_site", job, {"position": {"missing_because": "permission_refused"}})

    job.refresh_from_db()
    line = build_job_page(job, now=make.now()).history[-1].event
    assert line.position == "No position: location access refused"


def test_late_answer_to_an_unknown_question_has_its_value(phone: Phone, job: Job) -> None:
    """The phone may show an edition that has it."""
    cancel(job)

    phone.say("answered", job, {"question": "XYZ99", "value": "Key is under the mat"})

    assert "XYZ99 Key is under the mat" in last_sentence(job)


def test_what_needs_attention_leads_with_the_closing(phone: Phone, job: Job) -> None:
    cancel(job)
    position = {"position": {"missing_because": "permission_refused"}}
    phone.say("en_route", job, position)
    phone.say("close", job, {"code": "OTHER", "remarks": "Nobody may enter the cellar"})
    phone.say("handover_requested", job, {"reason": "My van broke down"})

    job.refresh_from_db()
    (urgent,) = build_job_page(job, now=make.now()).urgent

    assert urgent.text.startswith("“Closure” arrived after the job was already “Cancelled”: OTHER")
    assert "Nobody may enter the cellar" in urgent.text
    assert urgent.text.endswith(" 2 more updates came late.")
    closing = job.events.get(facts__what="close")
    assert urgent.url == f"#event-{closing.pk}"
