"""What is an answer, by the vectors that the phone's answer_validation.js checks too, with the same texts."""

import json
from pathlib import Path
from typing import Any

import pytest

from closures import answer_validation
from closures.answer_validation import BadAnswer
from closures.question_matrix import matrix
from closures.question_matrix.matrix import Question

FILE = json.loads((Path(__file__).parents[1] / "data" / "answer_vectors.json").read_text(encoding="utf-8"))
QUESTIONS = matrix.parse_matrix(
    json.dumps({"edition": "vectors", "name": "Vectors", "questions": [*FILE["questions"].values()]}),
    name="answer_vectors.json",
)


def question(name: str) -> Question:
    found = QUESTIONS.find(FILE["questions"][name]["code"])
    assert found
    return found


@pytest.mark.parametrize("vector", [case for case in FILE["cleaned"] if "kept" in case])
def test_answer_is_kept_as_the_phone_keeps_it(vector: dict[str, Any]) -> None:
    asked = question(vector["question"])
    cleaned = answer_validation.validate(asked, vector["value"])

    assert cleaned == vector["kept"]
    assert answer_validation.display(asked, cleaned) == vector["shown"]


@pytest.mark.parametrize("vector", [case for case in FILE["cleaned"] if "problem" in case])
def test_invalid_answer_is_refused_with_the_phone_s_text(vector: dict[str, Any]) -> None:
    with pytest.raises(BadAnswer) as refused:
        answer_validation.validate(question(vector["question"]), vector["value"])

    assert [problem.message for problem in refused.value.problems] == [vector["problem"]]


@pytest.mark.parametrize("vector", FILE["warnings"])
def test_doubtful_number_has_the_phone_s_text(vector: dict[str, Any]) -> None:
    doubt = answer_validation.warning_for(
        question(vector["question"]), vector["value"], network_type=vector["network"]
    )

    assert (doubt.message if doubt else "") == vector["warning"]
