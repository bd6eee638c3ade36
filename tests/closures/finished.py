"""A finished job as the closing rules see it; a test takes away what it is about."""

import json
from pathlib import Path
from typing import Any

from closures import matrix, rules
from closures.matrix import Matrix
from closures.rules import Finding
from dispatch.states import JobState, JobType

SAMPLE = matrix.load(str(Path(matrix.__file__).parent / "data" / "matrix_sample_1.json"))
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
    return matrix.read(
        json.dumps({"edition": "rules", "name": "Rules", "questions": rows}), name="test_rules.py"
    )


# everything that a working service needs
DONE = Finding(
    matrix=small(),
    job_type=JobType.INSTALLATION,
    state=JobState.ON_SITE,
    code="SP",
    answers={"SAF": "yes", "PHO": [PHOTO]},
    photos_stored=frozenset([PHOTO]),
    scanned=True,
    provisioned=True,
)


def found(given: Finding) -> list[tuple[str, str]]:
    return [(problem.code, problem.where) for problem in rules.problems(given)]
