"""The jobs of the step vectors are what day.json has of real jobs, and the server asks the same questions of them.

What comes next is decided on the phone: tests/js/workflow.test.mjs runs the same file, `expected` is written by hand.
Jobs are written again with `VECTORS=1 pytest tests/phone/test_workflow_vectors.py` when day.json changes on purpose.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from closures import closing, closing_context, codes
from closures.closing import Outcome
from closures.closing_context import ClosingContext
from closures.question_matrix.matrix import Question
from dispatch.models import Job
from dispatch.states import JobState, JobType
from phone import day_payload
from tests import make

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "data" / "step_vectors.json"
MATRIX = "closures/data/matrix_sample_3.json"
NAME = "JOB"
NOTE = (
    "Jobs by tests/phone/test_workflow_vectors.py, expected by hand; tests/js/workflow.test.mjs answers them."
)
WALKED = (JobState.ASSIGNED, JobState.EN_ROUTE, JobState.ON_SITE)


def answer_stage(job: Job, *stages: str, most: int = 100) -> None:
    """Good answers, one after the other, to what these stages ask on the way to a success."""
    for _ in range(most):
        recorded = finding_of(job).answers
        waiting = [
            question for question in asked(job) if question.stage in stages and question.code not in recorded
        ]
        if not waiting:
            return
        make.answer(job, waiting[0])


def unsafe(job: Job) -> None:
    """The first question of all, answered with no."""
    first = next(question for question in asked(job) if question.kind == "yes_no")
    make.record_answer(job, first.code, "no")


def safe(job: Job) -> None:
    answer_stage(job, "safety")


def scanned(job: Job) -> None:
    safe(job)
    if job.has_ont_scan:
        # no device is at two places at once
        make.scan(job, fsan=f"CXNK{job.pk:08X}")


def refused(job: Job) -> None:
    scanned(job)
    if job.has_ont_scan:
        make.result(job, 3)


def provisioned(job: Job) -> None:
    scanned(job)
    if job.has_ont_scan:
        make.result(job, 1)


def half_way(job: Job) -> None:
    provisioned(job)
    answer_stage(job, "work", most=4)


def work_before_the_scan(job: Job) -> None:
    safe(job)
    answer_stage(job, "work", most=2)


def all_answered(job: Job) -> None:
    provisioned(job)
    answer_stage(job, "work", "closing")


WALKS = {
    "one safety answer is no": unsafe,
    "safety is answered": safe,
    "scanned": scanned,
    "provisioning was refused": refused,
    "provisioned": provisioned,
    "half of the work": half_way,
    "work before the scan": work_before_the_scan,
    "all is answered": all_answered,
}


def walked_jobs() -> Iterator[tuple[str, Job]]:
    """Jobs walked to wherever the answer changes, one after the other."""
    for kind in JobType:
        for state in WALKED:
            yield f"{kind} {state}", job_of(kind, state)
        for name, walk in WALKS.items():
            job = job_of(kind, JobState.ON_SITE)
            walk(job)
            yield f"{kind}: {name}", job


def job_of(kind: JobType, state: JobState) -> Job:
    return make.job(job_type=kind, at_state=state, day=timezone.localdate())


def facts(job: Job) -> dict[str, Any]:
    """What the phone decides by."""
    payload = day_payload.serialize_day(job.visits.get().engineer)["jobs"][0]
    return {
        "id": NAME,
        "type": payload["type"],
        "state": payload["state"],
        "has_ont_scan": payload["has_ont_scan"],
        "answers": {code: repeatable(value) for code, value in payload["answers"].items()},
        "scan": {"fsan": "CXNK00ABCDEF"} if payload["scan"] else None,
        "result": payload["result"],
    }


def repeatable(value: Any) -> Any:
    """Photos have other ids each time."""
    return ["PHOTO"] if isinstance(value, list) else value


def asked(job: Job, code: str = "") -> list[Question]:
    return closing_context.closure_questions(finding_of(job, code))


def finding_of(job: Job, code: str = "") -> ClosingContext:
    """As on the way to this closure, or to the success."""
    return closing.closing_context(job=job, outcome=Outcome(code=code or success_of(job.job_type)))


def success_of(job_type: str) -> str:
    return next(code.code for code in codes.codes_for(job_type) if code.succeeds)


def progress(job: Job) -> list[int]:
    questions, recorded = asked(job), finding_of(job).answers
    return [sum(question.code in recorded for question in questions), len(questions)]


def asked_first(job: Job, code: str) -> str:
    """The first question in the way of this closure, or none."""
    recorded = finding_of(job).answers
    return next(
        (
            question.code
            for question in asked(job, code)
            if question.mandatory and question.code not in recorded
        ),
        "",
    )


def question_in(url: str) -> str:
    found = re.search(r"/question/(\w+)/", url)
    return found[1] if found else ""


def lines_of(file: dict[str, Any]) -> str:
    """One vector to a line, so that a change shows what it changed."""
    vectors = ",\n".join(json.dumps(vector, ensure_ascii=False) for vector in file["vectors"])
    head = json.dumps({**file, "vectors": []}, ensure_ascii=False)
    return f"{head.removesuffix('[]}')}[\n{vectors}\n]}}\n"


def closures() -> dict[str, list[dict[str, Any]]]:
    return {
        kind: [
            {
                "code": code.code,
                "succeeds": code.succeeds,
                "from_safe_place": code.from_safe_place,
                "without_access": code.without_access,
            }
            for code in codes.codes_for(kind)
        ]
        for kind in JobType
    }


def write_jobs(walked: list[tuple[str, Job]]) -> None:
    known = {vector["name"]: vector["expected"] for vector in vectors_file()["vectors"]}
    vectors = [{"name": name, "job": facts(job), "expected": known.get(name, {})} for name, job in walked]
    file = {"note": NOTE, "matrix": MATRIX, "closures": closures(), "vectors": vectors}
    FILE.write_text(lines_of(file), encoding="utf-8")


def vectors_file() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


@pytest.mark.django_db
def test_vectors_are_what_real_jobs_say(settings: Settings) -> None:
    settings.QUESTION_MATRIX = str(ROOT / MATRIX)
    walked = list(walked_jobs())
    if os.environ.get("VECTORS"):
        write_jobs(walked)
    file = vectors_file()

    assert file["closures"] == json.loads(json.dumps(closures()))
    assert [(vector["name"], vector["job"]) for vector in file["vectors"]] == [
        (name, json.loads(json.dumps(facts(job)))) for name, job in walked
    ]
    for vector, (name, job) in zip(file["vectors"], walked, strict=True):
        expected = vector["expected"]
        assert expected["progress"] == progress(job), name
        if "following" in expected:
            assert list(expected["following"]) == [question.code for question in asked(job)], name
        for code, url in expected.get("closing", {}).items():
            assert question_in(url) == asked_first(job, code), (name, code)


def test_phones_steps_answer_alike() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")

    ran = subprocess.run(
        [
            node,
            "--test",
            "--test-reporter=tap",
            *sorted(map(str, (ROOT / "tests" / "js").glob("*.test.mjs"))),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout
    passed = re.search(r"^# pass (\d+)$", ran.stdout, re.MULTILINE)
    # an empty run is no proof
    assert passed is not None
    assert int(passed[1]) > len(json.loads(FILE.read_text(encoding="utf-8"))["vectors"])
