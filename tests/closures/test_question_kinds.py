"""A kind of question is known wherever its answers are checked: by us, on the phone and at the sandbox seller."""

import json
import re

from closures.question_matrix.matrix_validation import KINDS
from tests.conventions.sources import ROOT

VECTORS = ROOT / "tests" / "data" / "answer_vectors.json"


def test_answers_of_each_kind_are_compared_with_the_phone_s() -> None:
    questions = json.loads(VECTORS.read_text(encoding="utf-8"))["questions"].values()

    assert {question["kind"] for question in questions} == {*KINDS}


def test_phone_s_types_have_each_kind() -> None:
    """`tsc` then asks for a validation and a field of each."""
    types = (ROOT / "frontend" / "types" / "questions.d.ts").read_text()
    named = re.findall(r"^  kind: (.+);$", types, re.M)

    assert {kind for kinds in named for kind in re.findall(r'"(\w+)"', kinds)} == {*KINDS}


def test_sandbox_checks_the_form_of_each_kind() -> None:
    rules = (ROOT / "seller_sandbox" / "jobs" / "answer_rules.py").read_text()
    forms = rules.partition("\nFORMS: ")[2].partition("\n}")[0]

    assert {*re.findall(r'"(\w+)": _', forms)} == {*KINDS}
