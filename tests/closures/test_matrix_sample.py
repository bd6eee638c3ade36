"""The sample matrix that comes with the application, and how a matrix file meets the start."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from closures import codes
from closures.question_matrix import matrix, matrix_validation
from closures.question_matrix.matrix import Matrix
from closures.question_matrix.translations import translated_matrix
from dispatch.states import JobType
from phone import day_payload

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "closures" / "data" / "matrix_sample_3.json"

SOUND = """{"edition": "test-1", "name": "Test", "questions": [

  {"code": "AA1", "text": "Safe?", "kind": "yes_no", "stage": "safety", "job_types": ["civils"]},
  {"code": "AA2", "text": "Why?", "kind": "text", "stage": "safety", "job_types": ["civils"]}
]}
"""
BROKEN = SOUND.replace('"kind": "text"', '"kind": "words"')


@pytest.fixture(scope="module")
def sample() -> Matrix:
    return matrix.load_matrix(str(SAMPLE))


def test_sample_is_named_a_sample(sample: Matrix) -> None:
    assert sample.edition == "sample-3"
    assert "ample" in sample.name
    assert "replaces this file" in json.loads(SAMPLE.read_text())["note"]


def test_sample_has_the_size_of_a_real_one(sample: Matrix) -> None:
    assert len(sample.questions) == 54
    assert {question.kind for question in sample.questions} == set(matrix_validation.KINDS)
    assert {question.stage for question in sample.questions} == set(matrix.STAGES)


def test_safety_questions_have_one_direction(sample: Matrix) -> None:
    """Who taps "Yes" all the way down says that everything is safe: "No" is what stops the work."""
    asked = [question for question in sample.questions if question.stage == "safety" and question.unsafe]

    assert {tuple(question.unsafe) for question in asked if question.kind == "yes_no"} == {("no",)}
    assert len(asked) > 2


@pytest.mark.parametrize("job_type", JobType)
def test_sample_asks_for_safety_and_a_photo_of_every_job(sample: Matrix, job_type: JobType) -> None:
    asked = [question for question in sample.questions if job_type in question.job_types]

    assert "SAF01" in [question.code for question in asked]
    assert [
        question.code
        for question in asked
        if question.kind == "photo" and question.mandatory and question.stage == "work"
    ]


@pytest.mark.parametrize(
    "code",
    [code.code for code in codes.list_codes().values() if not code.succeeds and not code.without_visit],
)
def test_sample_asks_for_evidence_of_every_failure(sample: Matrix, code: str) -> None:
    job_type = next(kind for kind in JobType if codes.find_code(code) in codes.codes_for(kind))

    assert [
        question.code
        for question in sample.questions
        if code in question.closures and job_type in question.job_types and question.mandatory
    ]


def test_sample_asks_nothing_of_success_or_of_nobody(sample: Matrix) -> None:
    named = {code for question in sample.questions for code in question.closures}

    assert [
        code for code in named if codes.find_code(code).succeeds or codes.find_code(code).without_visit
    ] == []


def test_sample_asks_a_closing_question_only_where_its_code_is_used(sample: Matrix) -> None:
    odd = [
        (question.code, job_type)
        for question in sample.questions
        if question.stage == "closing"
        for job_type in question.job_types
        if not {code.code for code in codes.codes_for(job_type)} & {*question.closures}
    ]

    assert odd == []


def test_sample_says_the_same_on_the_phone(sample: Matrix) -> None:
    sent = json.dumps(day_payload.serialize_matrix(sample))

    assert matrix.parse_matrix(sent, name="phone") == translated_matrix(sample, "en-gb")


def started(path: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "QUESTION_MATRIX": str(path)}
    command = [sys.executable, "manage.py", "check"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_broken_matrix_stops_the_start(tmp_path: Path) -> None:
    path = tmp_path / "operators.json"
    path.write_text(BROKEN)

    ran = started(path)

    last = ran.stderr.strip().splitlines()[-1]
    assert ran.returncode == 1
    assert f"{path}, line 4: question AA2: `kind` must be one of yes_no, choice" in last


def test_broken_old_edition_next_to_the_current_one_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "current.json").write_text(SOUND)
    (tmp_path / "matrix_old.json").write_text(BROKEN)

    ran = started(tmp_path / "current.json")

    assert ran.returncode == 1
    assert "matrix_old.json, line 4: question AA2" in ran.stderr


def test_sound_matrix_lets_it_start(tmp_path: Path) -> None:
    path = tmp_path / "operators.json"
    path.write_text(SOUND)

    assert started(path).returncode == 0
