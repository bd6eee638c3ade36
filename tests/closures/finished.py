"""A finished job as the closing rules see it; a test takes away what it is about."""

import json
from typing import Any

from closures import closure_validation, codes
from closures.closing_context import ClosingContext
from closures.codes import ClosureCode
from closures.question_matrix import matrix
from closures.question_matrix.matrix import Matrix
from dispatch.states import JobState, JobType

SAMPLE = matrix.load_matrix(str(matrix.DATA / "matrix_sample_1.json"))
PHOTO = "0f8fad5b-d9cb-469f-a165-70867728950e"
EVERY = [job_type.value for job_type in JobType]


def small(*extra: dict[str, Any]) -> Matrix:
    """A question of each stage, and a photo at work."""
    rows = [
        {"code": "SAF", "text": "Safe?", "kind": "yes_no", "stage": "safety", "job_types": EVERY},
        {"code": "PHO", "text": "Photo of the work", "kind": "photo", "stage": "work", "job_types": EVERY},
        {
            "code": "HAZ",
            "text": "What hazard?",
            "kind": "text",
            "stage": "closing",
            "job_types": EVERY,
            "closures": ["HAZ", "NTR"],
        },
        *extra,
    ]
    return matrix.parse_matrix(
        json.dumps({"edition": "rules", "name": "Rules", "questions": rows}), name="test_rules.py"
    )


# everything that a working service needs
DONE = ClosingContext(
    matrix=small(),
    job_type=JobType.INSTALLATION,
    state=JobState.ON_SITE,
    code="SP",
    answers={"SAF": "yes", "PHO": [PHOTO]},
    photos_stored={PHOTO: "PHO"},
    scanned=True,
    provisioned=True,
)


def failures_of(job_type: str) -> list[ClosureCode]:
    """What the phone offers where the work cannot be completed (closure_rules.js, failureClosures)."""
    return [code for code in codes.outcomes_of(job_type) if not code.succeeds and not code.without_visit]


def found(context: ClosingContext) -> list[tuple[str, str]]:
    return [(problem.code, problem.where) for problem in closure_validation.closure_problems(context)]
