"""Which questions are asked, by the vectors that the phone's flow.js answers too."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from closures import flow
from closures.question_matrix import matrix
from closures.question_matrix.matrix import STAGES, Matrix

ROOT = Path(__file__).parents[2]
FILE = json.loads((ROOT / "tests" / "data" / "flow_vectors.json").read_text(encoding="utf-8"))
MATRICES = {
    "small": matrix.parse_matrix(json.dumps(FILE["small"]), name="flow_vectors.json"),
    "sample": matrix.load_matrix(str(ROOT / "closures" / "data" / "matrix_sample_1.json")),
}
VECTORS = [pytest.param(vector, id=vector["name"]) for vector in FILE["vectors"]]


def inputs(vector: dict[str, Any]) -> tuple[Matrix, dict[str, Any]]:
    fields = {name: vector[name] for name in ("job_type", "answers", "closure_code")}
    return MATRICES[vector["matrix"]], {**fields, "stages": vector.get("stages", STAGES)}


@pytest.mark.parametrize("vector", VECTORS)
def test_questions_are_asked_in_the_order_of_the_work(vector: dict[str, Any]) -> None:
    asked_of, recorded = inputs(vector)

    assert [question.code for question in flow.list_questions(asked_of, **recorded)] == vector["asked"]


@pytest.mark.parametrize("vector", VECTORS)
def test_first_unanswered_question_comes_next(vector: dict[str, Any]) -> None:
    asked_of, recorded = inputs(vector)
    question = flow.next_question(asked_of, **recorded)

    assert (question.code if question else None) == vector["next"]


@pytest.mark.parametrize("vector", VECTORS)
def test_mandatory_questions_without_an_answer_are_missing(vector: dict[str, Any]) -> None:
    asked_of, recorded = inputs(vector)

    missing = flow.list_missing(flow.list_questions(asked_of, **recorded), recorded["answers"])

    assert [question.code for question in missing] == vector["missing"]


@pytest.mark.parametrize("stop", FILE["stops"])
def test_unsafe_answers_stop_the_work(stop: dict[str, Any]) -> None:
    found = flow.list_unsafe_questions(MATRICES["small"], job_type=stop["job_type"], answers=stop["answers"])

    assert [question.code for question in found] == stop["unsafe"]


def test_vectors_are_named_once_and_cover_every_job_type() -> None:
    names = [vector["name"] for vector in FILE["vectors"]]

    assert len(names) == len(set(names))
    assert {"installation", "revisit", "external", "civils"} <= {
        vector["job_type"] for vector in FILE["vectors"]
    }


def test_phones_flow_answers_alike() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")

    command = [node, "--test", "--test-reporter=tap", "tests/js/flow.test.mjs"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stdout
    # an empty run is no proof: three tests to a vector
    passed = re.search(r"^# pass (\d+)$", ran.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) == 3 * len(VECTORS) + len(FILE["stops"])
