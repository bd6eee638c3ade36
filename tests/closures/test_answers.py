"""Answers: given, replaced, taken back; the edition a job began with; two phones at once."""

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from closures import answers
from closures.answer_validation import BadAnswer
from closures.answers import JobIsClosed
from closures.models import Answer
from closures.question_matrix.matrix import BrokenMatrix
from closures.question_matrix.matrix_editions import current_matrix, matrices_by_edition, matrix_for_job
from dispatch.models import Job
from dispatch.states import JobState, JobType
from tests import make
from tests.together import at_once

pytestmark = pytest.mark.django_db


def history(job: Job, code: str) -> list[tuple[object, bool]]:
    rows = Answer.objects.filter(job=job, question_code=code).order_by("pk")
    return [(answer.value, answer.withdrawn_at is None) for answer in rows]


def test_answer_keeps_what_was_shown_and_when() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    at = make.at("09:15")

    answer = make.act(
        answers.record_answer, job=job, question_code="LGT02", value="−21,5", answered_at=at, by=engineer
    )

    answer.refresh_from_db()
    assert (answer.question_text, answer.kind) == ("Light level at the ONT", "number")
    assert (answer.value, answer.answer_text) == (-21.5, "−21.5 dBm")
    assert (answer.matrix_edition, answer.answered_at, answer.by) == ("sample-3", at, engineer)
    assert answers.current_answers(job) == {"LGT02": -21.5}


def test_same_answer_again_changes_nothing() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    first = make.record_answer(job, "LGT02", "-21.5")

    again = make.record_answer(job, "LGT02", -21.5)

    assert again == first
    assert history(job, "LGT02") == [(-21.5, True)]


def test_another_answer_replaces_the_first_which_stays_as_history() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    for value in ("yes", "no", "yes"):
        make.record_answer(job, "SAF01", value)

    assert history(job, "SAF01") == [("yes", False), ("no", False), ("yes", True)]
    assert answers.current_answers(job) == {"SAF01": "yes"}


def test_answer_is_taken_back_and_stays_as_history() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")

    make.act(answers.withdraw_answer, job=job, question_code="SAF01")

    assert (answers.current_answers(job), history(job, "SAF01")) == ({}, [("yes", False)])


def test_taking_back_an_answer_that_never_was_changes_nothing() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    make.act(answers.withdraw_answer, job=job, question_code="SAF01")

    assert not Answer.objects.filter(job=job).exists()


def test_answer_may_be_given_again_after_it_was_taken_back() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")
    make.act(answers.withdraw_answer, job=job, question_code="SAF01")

    make.record_answer(job, "SAF01", "yes")

    assert history(job, "SAF01") == [("yes", False), ("yes", True)]


@pytest.mark.parametrize("code", ["NIX01", "saf01", "", "CIV01"])
def test_question_that_is_not_this_jobs_is_refused(code: str) -> None:
    job = make.job(at_state=JobState.ON_SITE)

    with pytest.raises(BadAnswer) as refusal:
        make.record_answer(job, code, "yes")

    (problem,) = refusal.value.problems
    assert (problem.code, problem.where) == ("unknown_question", f"question:{code}")


def test_bad_answer_leaves_the_active_one() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")

    with pytest.raises(BadAnswer):
        make.record_answer(job, "SAF01", "perhaps")

    assert history(job, "SAF01") == [("yes", True)]


@pytest.mark.parametrize("state", [JobState.CLOSED, JobState.CANCELLED])
def test_answers_of_a_job_that_is_over_do_not_change(state: JobState) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    make.record_answer(job, "SAF01", "yes")
    make.walk(job, at_state=state)

    with pytest.raises(JobIsClosed) as refusal:
        make.record_answer(job, "SAF01", "no")
    with pytest.raises(JobIsClosed):
        make.act(answers.withdraw_answer, job=job, question_code="SAF01")

    (problem,) = refusal.value.problems
    assert problem.message == f"Job {job} can no longer be changed. Its status is “{state.label}”."
    assert history(job, "SAF01") == [("yes", True)]


def test_answers_that_count_come_in_the_order_of_the_matrix() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    for code, value in (("HAZ01", "Dog"), ("LGT02", -20), ("SAF02", "Dog"), ("SAF01", "no")):
        make.record_answer(job, code, value)

    counted = answers.applicable_answers(job, closure_code="HAZ")

    assert [answer.question_code for answer in counted] == ["SAF01", "SAF02", "LGT02", "HAZ01"]


def test_answer_behind_a_condition_that_no_longer_holds_does_not_count() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    for code, value in (("SAF01", "no"), ("SAF02", "Dog"), ("HAZ01", "Dog"), ("SAF01", "yes")):
        make.record_answer(job, code, value)

    counted = answers.applicable_answers(job, closure_code="SP")

    assert [answer.question_code for answer in counted] == ["SAF01"]
    assert history(job, "SAF02") == [("Dog", True)]


def edition(path: Path, name: str, text: str) -> str:
    row = {"code": "SAF01", "text": text, "kind": "yes_no", "stage": "safety", "job_types": [*JobType]}
    path.write_text(json.dumps({"edition": name, "name": "Trial", "questions": [row]}))
    return str(path)


def test_job_keeps_the_edition_that_it_began_with(tmp_path: Path, settings: Settings) -> None:
    settings.QUESTION_MATRIX = edition(tmp_path / "matrix_1.json", "trial-1", "Old words?")
    began, new = make.job(at_state=JobState.ON_SITE), make.job(at_state=JobState.ON_SITE)
    make.pin_edition(began, current_matrix().edition)

    settings.QUESTION_MATRIX = edition(tmp_path / "matrix_2.json", "trial-2", "New words?")

    old_answer = make.record_answer(began, "SAF01", "yes")
    new_answer = make.record_answer(new, "SAF01", "yes")
    assert (old_answer.question_text, old_answer.matrix_edition) == ("Old words?", "trial-1")
    assert (new_answer.question_text, new_answer.matrix_edition) == ("New words?", "trial-2")


def test_bundled_edition_opens_next_to_the_operators(tmp_path: Path, settings: Settings) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.pin_edition(job, current_matrix().edition)

    settings.QUESTION_MATRIX = edition(tmp_path / "operators.json", "operator-7", "Theirs?")

    assert matrix_for_job(job).edition == "sample-3"
    assert sorted(matrices_by_edition()) == ["operator-7", "sample-1", "sample-2", "sample-3"]


def test_edition_that_is_gone_is_replaced_by_the_current_one() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.pin_edition(job, "lost-1")

    assert matrix_for_job(job) == current_matrix()


def test_two_files_cannot_claim_one_edition(tmp_path: Path, settings: Settings) -> None:
    edition(tmp_path / "matrix_1.json", "trial-1", "Old words?")
    settings.QUESTION_MATRIX = edition(tmp_path / "matrix_2.json", "trial-1", "New words?")

    with pytest.raises(BrokenMatrix, match=r"matrix_1\.json: edition trial-1 is another file's"):
        matrices_by_edition()


@pytest.mark.django_db(transaction=True)
def test_two_answers_at_once_leave_one_active() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    at_once(lambda: make.record_answer(job, "SAF01", "yes"), lambda: make.record_answer(job, "SAF01", "no"))

    rows = history(job, "SAF01")
    assert sorted(is_active for _, is_active in rows) == [False, True]
    assert sorted(value for value, _ in rows) == ["no", "yes"]


@pytest.mark.django_db(transaction=True)
def test_one_answer_sent_twice_at_once_is_one_answer() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    at_once(*[lambda: make.record_answer(job, "SAF01", "yes")] * 4)

    assert history(job, "SAF01") == [("yes", True)]
