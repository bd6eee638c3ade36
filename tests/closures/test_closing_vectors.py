"""What blocks a closure, by the vectors that run against the phone's closure_rules.js too."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from closures import closure_validation
from closures.codes import OTHER
from closures.question_matrix import matrix
from phone.day_payload import _closure
from tests.closures.finished import DONE, failures_of

FILE = json.loads((Path(__file__).parents[1] / "data" / "closing_vectors.json").read_text(encoding="utf-8"))
QUESTIONS = matrix.parse_matrix(
    json.dumps({"edition": "vectors", "name": "Vectors", "questions": FILE["questions"]}),
    name="closing_vectors.json",
)


def hashes_of(photo: dict[str, str]) -> list[str]:
    return [sha256 for sha256 in (photo["sha256"], photo.get("original_sha256", "")) if sha256]


@pytest.mark.parametrize("case", FILE["cases"])
def test_closure_is_refused_with_the_phone_s_text(case: dict[str, Any]) -> None:
    photos, device = case.get("photos", {}), case.get("device", "provisioned")
    finding = replace(
        DONE,
        matrix=QUESTIONS,
        answers=case.get("answers", {}),
        photos_stored={
            photo_id: photo["question"] for photo_id, photo in photos.items() if photo.get("stored", True)
        },
        photo_hashes={photo_id: hashes_of(photo) for photo_id, photo in photos.items()},
        job_type=case["type"],
        state=case["state"],
        code=case["code"],
        secondary_code=case["secondary"],
        remarks=case["remarks"],
        sent_back={item["question"]: item["reason"] for item in case.get("sent_back", [])},
        line_down=case.get("line") == "down",
        checked=case.get("checked", []),
        asks_for_checks="checked" in case,
        scanned=device != "none",
        provisioned=device == "provisioned",
    )

    problems = closure_validation.closure_problems(finding)

    assert [{"code": problem.code, "text": problem.message} for problem in problems] == case["problems"]
    if "blocking" in case:
        assert [number for number, problem in enumerate(problems) if problem.blocks] == case["blocking"]


def test_phone_gets_other_reason_as_the_vectors_have_it() -> None:
    assert _closure(OTHER) == FILE["other"]


@pytest.mark.parametrize("job_type", FILE["offered"])
def test_same_outcomes_are_offered(job_type: str) -> None:
    assert [code.code for code in failures_of(job_type)] == FILE["offered"][job_type]
