"""What is an answer, by the vectors that the phone's answer_validation.js answers too: it refuses in the same words."""

import json
from pathlib import Path
from typing import Any

import pytest

from closures import answer_validation, matrix
from closures.answer_validation import BadAnswer
from closures.matrix import Question

FILE = json.loads((Path(__file__).parents[1] / "data" / "answer_vectors.json").read_text(encoding="utf-8"))
QUESTIONS = matrix.parse_matrix(
    json.dumps({"edition": "vectors", "name": "Vectors", "questions": [*FILE["questions"].values()]}),
    name="answer_vectors.json",
)


def question(name: str) -> Question:
    found = QUESTIONS.find(FILE["questions"][name]["code"])
    assert found
    return found


@pytest.mark.parametrize("vector", [one for one in FILE["cleaned"] if "kept" in one])
def test_answer_is_kept_as_the_phone_keeps_it(vector: dict[str, Any]) -> None:
    asked = question(vector["question"])
    kept = answer_validation.validate(asked, vector["value"])

    assert kept == vector["kept"]
    assert answer_validation.display(asked, kept) == vector["shown"]


@pytest.mark.parametrize("vector", [one for one in FILE["cleaned"] if "problem" in one])
def test_no_answer_is_refused_in_the_phone_s_words(vector: dict[str, Any]) -> None:
    with pytest.raises(BadAnswer) as refused:
        answer_validation.validate(question(vector["question"]), vector["value"])

    assert [problem.message for problem in refused.value.problems] == [vector["problem"]]


@pytest.mark.parametrize("vector", FILE["warnings"])
def test_number_is_doubted_in_the_phone_s_words(vector: dict[str, Any]) -> None:
    doubt = answer_validation.warning_for(
        question(vector["question"]), vector["value"], network_type=vector["network"]
    )

    assert (doubt.message if doubt else "") == vector["warning"]
