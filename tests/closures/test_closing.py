"""Closing a job: one test per exit."""

import pytest

from closures import closing
from closures.closing import ClosureRefused, Outcome
from closures.models import Closure
from dispatch.job_events import IllegalEvent
from dispatch.models import Job
from dispatch.states import EventKind, JobState, JobType
from seller_link.wire import contract
from tests import make
from tests.closures.previews import preview_close

pytestmark = pytest.mark.django_db


def codes(job: Job, code: str, **more: str) -> list[tuple[str, str]]:
    return [
        (problem.code, problem.where) for problem in preview_close(job=job, outcome=Outcome(code, **more))
    ]


def test_working_service_is_closed_and_reported() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)

    closure = make.close(job, "SP")

    job.refresh_from_db()
    message = job.outbound_messages.last()
    assert (job.state, closure.description) == (JobState.CLOSED, "Service Provided")
    assert message.operation == "closeJob"
    assert contract.problems("closeJob", message.body) == []
    assert message.body["closureCode"] == "SP"
    assert "secondaryClosureCode" not in message.body
    sources = {entry["question_code"]: entry["source"] for entry in message.body["questions_answers"]}
    assert (sources["LGT02"], sources["PHO05"]) == ("closeJob", "Closure")


def test_photo_answer_names_its_file() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 2)
    make.answer_all(job)
    make.close(job, "SP")

    entries = job.outbound_messages.last().body["questions_answers"]

    photo = job.photos.get(question_code="PHO01")
    (file,) = next(entry["files"] for entry in entries if entry["question_code"] == "PHO01")
    assert file["name"] == f"{photo.pk}.jpg"
    assert file["type"] == "image/jpeg"
    folder = f"http://127.0.0.1:8000/evidence/jobs/{job.provider_job_id}/PHO01"
    assert file["object_path"] == f"{folder}/{photo.pk}.jpg"
    assert file["url"].startswith("http://127.0.0.1:8000/evidence/")


def test_every_problem_is_listed_at_once() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    found = codes(job, "SP")

    assert ("not_scanned", "scan") in found
    assert ("answer_missing", "question:SAF01") in found
    assert ("photo_missing", "question:PHO01") in found
    with pytest.raises(ClosureRefused):
        make.close(job, "SP")
    assert not Closure.objects.filter(job=job).exists()


def test_unprovisioned_ont_keeps_the_job_open() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 3)
    make.answer_all(job)

    assert codes(job, "SP") == [("not_provisioned", "provisioning")]


def test_failure_needs_its_own_evidence_only() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.answer_all(job, code="RNA/NA")

    closure = make.close(job, "RNA/NA")

    answered = {answer.question_code for answer in job.answers.all()}
    assert {"NOA01", "NOA02", "NOA03"} <= answered
    assert "LGT01" not in answered
    assert closure.description == "No Access (Rectifiable)"


@pytest.mark.parametrize(
    ("code", "secondary_code", "problem"),
    [
        ("CON", "", ("secondary_missing", "secondary")),
        ("CON", "POP01", ("secondary_of_another_code", "secondary")),
        ("REVCON", "", ("wrong_family", "closure")),
        ("", "", ("code_missing", "closure")),
    ],
)
def test_code_and_secondary_must_fit(code: str, secondary_code: str, problem: tuple[str, str]) -> None:
    job = make.job(at_state=JobState.ON_SITE)

    assert problem in codes(job, code, secondary_code=secondary_code)


def test_secondary_code_has_its_description() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.answer_all(job, code="POP")

    make.close(job, "POP", secondary_code="POP01")

    body = job.outbound_messages.last().body
    assert body["secondaryClosureCode"] == "POP01"
    assert body["secondaryClosureCodeDescription"] == "No Light (SN/PN)"


@pytest.mark.parametrize(
    ("job_type", "code"),
    [(JobType.REVISIT, "REVCOMP"), (JobType.EXTERNAL, "EXTCOMP"), (JobType.CIVILS, "CIVCOMP")],
)
def test_other_job_types_close_without_a_scan(job_type: JobType, code: str) -> None:
    job = make.job(at_state=JobState.ON_SITE, job_type=job_type)
    make.answer_all(job, code=code)

    make.close(job, code)

    job.refresh_from_db()
    assert job.state == JobState.CLOSED


@pytest.mark.parametrize("code", ["NTR", "MBORC", "FTA"])
def test_dispatcher_closes_without_a_visit(code: str) -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    make.close_without_visit(job, code, remarks="Snow")

    message = job.outbound_messages.last()
    assert job.events.last().kind == EventKind.CLOSED
    assert message.body["remarks"] == "Snow"
    assert contract.problems("closeJob", message.body) == []


def test_closing_without_a_visit_needs_a_reason() -> None:
    assert codes(make.job(), "NTR") == [("remarks_missing", "remarks")]


def test_nobody_says_that_nobody_went_while_somebody_is_there() -> None:
    assert ("engineer_on_site", "closure") in codes(make.job(at_state=JobState.ON_SITE), "NTR", remarks="x")


def test_what_was_found_on_site_needs_somebody_on_site() -> None:
    assert ("not_on_site", "arrive") in codes(make.job(at_state=JobState.ASSIGNED), "HAZ")


def test_closed_job_is_not_closed_again() -> None:
    job = make.job(at_state=JobState.CLOSED)

    with pytest.raises(IllegalEvent):
        make.close_without_visit(job)

    assert job.outbound_messages.count() == 1


@pytest.mark.parametrize("job_type", JobType)
def test_other_reason_closes_every_job_type_with_remarks(job_type: JobType) -> None:
    job = make.job(at_state=JobState.ON_SITE, job_type=job_type)
    make.answer_all(job, code="OTHER")
    assert codes(job, "OTHER", remarks=" ") == [("remarks_missing", "remarks")]

    closure = make.close(job, "OTHER", remarks="The street is flooded")

    body = job.outbound_messages.get(operation="closeJob").body
    assert (closure.code, closure.description, closure.without_visit) == ("OTHER", "Other reason", False)
    assert (body["closureCode"], body["remarks"]) == ("OTHER", "The street is flooded")
    assert contract.problems("closeJob", body) == []


@pytest.mark.parametrize("text", ["sp", "SP ", "OTHER ", "x y\nz <b>WWW", "SOMETHING", "CON01", "con"])
def test_no_other_text_becomes_a_closure_code(text: str) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.answer_all(job, code="OTHER")

    with pytest.raises(ClosureRefused) as refused:
        make.close(job, text, remarks="Because")

    assert [(problem.code, problem.where) for problem in refused.value.problems] == [
        ("unknown_code", "closure")
    ]


@pytest.mark.parametrize("job_type", JobType)
def test_office_closes_every_job_type_for_another_reason(job_type: JobType) -> None:
    job = make.job(at_state=JobState.ASSIGNED, job_type=job_type)
    outcome = Outcome("OTHER", remarks="Window was over before the job came", without_visit=True)

    closure = make.act(
        closing.close_job, job=job, outcome=outcome, by=make.office(), closed_at=make.now(), engineer=None
    )

    assert (closure.code, closure.without_visit, closure.engineer) == ("OTHER", True, None)
    assert job.outbound_messages.get(operation="closeJob").body["closureCode"] == "OTHER"


def test_office_says_nothing_of_what_was_found_on_site() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    assert ("not_on_site", "arrive") in [
        (problem.code, problem.where)
        for problem in preview_close(job=job, outcome=Outcome("HAZ", remarks="x", without_visit=True))
    ]


def test_light_level_outside_its_window_warns_and_does_not_block() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    question = closing.closing_context(job=job, outcome=Outcome("SP")).matrix.find("LGT02")
    make.record_answer(job, question.code, "-31.2")

    (warning,) = preview_close(job=job, outcome=Outcome("SP"))

    assert (warning.code, warning.where, warning.blocks) == ("out_of_window", "question:LGT02", False)
    assert (
        warning.message
        == "Light level at the ONT −31.2 dBm is outside the expected range (−27 to −8 dBm). Check it."
    )


def test_photo_that_has_not_arrived_keeps_the_job_open() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    job.photos.filter(question_code="PHO01").update(stored_at=None)

    assert codes(job, "SP") == [("photo_not_stored", "question:PHO01")]
