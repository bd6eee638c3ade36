"""What comes next, by vectors of real jobs that the phone's steps.js answers too (tests/js/steps.test.mjs).

Written anew with `VECTORS=1 pytest tests/engineers/test_step_vectors.py` when a step changes on purpose.
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

from closures import answers, closing, codes, rules
from closures.closing import Ending
from closures.codes import success_of
from dispatch.models import Job
from dispatch.states import JobState, JobType
from engineers.phone import carry, steps
from tests import make

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "data" / "step_vectors.json"
MATRIX = "closures/data/matrix_sample_1.json"
NAME = "JOB"
WALKED = (JobState.ASSIGNED, JobState.EN_ROUTE, JobState.ON_SITE)
ENDINGS = 3


def answer_stage(job: Job, *stages: str, most: int = 100) -> None:
    """Good answers, one after the other, to what these stages ask on the way to a success."""
    for _ in range(most):
        found = closing.finding(job=job, ending=Ending(code=success_of(job.job_type).code))
        asked = [
            one for one in rules.questions(found) if one.stage in stages and one.code not in found.answers
        ]
        if not asked:
            return
        make.answer(job, asked[0])


def unsafe(job: Job) -> None:
    """The first question of all, answered with no."""
    found = closing.finding(job=job, ending=Ending(code=success_of(job.job_type).code))
    first = next(one for one in rules.questions(found) if one.kind == "yes_no")
    answers.give(job=job, question_code=first.code, value="no", answered_at=make.now(), by=None)


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


def places() -> Iterator[tuple[str, Job]]:
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


def vector(name: str, job: Job) -> dict[str, Any]:
    told = carry.day_json(job.visits.get().engineer)["jobs"][0]
    kept = {
        "id": NAME,
        "type": told["type"],
        "state": told["state"],
        "has_ont_scan": told["has_ont_scan"],
        "answers": {code: repeatable(value) for code, value in told["answers"].items()},
        "scan": {"fsan": "CXNK00ABCDEF"} if told["scan"] else None,
        "result": told["result"],
    }
    return {"name": name, "job": kept, "expected": expected(job, endings(told["closures"]))}


def repeatable(value: Any) -> Any:
    """Photos have other ids each time."""
    return ["PHOTO"] if isinstance(value, list) else value


def endings(closures: list[dict[str, Any]]) -> list[str]:
    """Some that are no success, with and without a second code."""
    return [one["code"] for one in closures if not one["succeeds"] and not one["without_visit"]][:ENDINGS]


def expected(job: Job, codes: list[str]) -> dict[str, Any]:
    step, done = steps.next_step(job), steps.progress(job)
    said: dict[str, Any] = {
        "step": [step.name, plain(step.url, job)] if step else None,
        "progress": [done.done, done.total],
    }
    if job.state == JobState.ON_SITE:
        said["following"] = following(job)
        said["closing"] = {code: plain(steps.next_for_closing(job, code=code).url, job) for code in codes}
    return said


def following(job: Job) -> dict[str, str | None]:
    """For every question of the way to a success: the next open one behind it."""
    found = closing.finding(job=job, ending=Ending(code=success_of(job.job_type).code))
    behind = {one.code: steps.following(job, after=one.code) for one in rules.questions(found)}
    return {code: one.code if one else None for code, one in behind.items()}


def plain(url: str, job: Job) -> str:
    return url.replace(job.provider_job_id, NAME)


def lines_of(file: dict[str, Any]) -> str:
    """One vector to a line, so that a change shows what it changed."""
    vectors = ",\n".join(json.dumps(one, ensure_ascii=False) for one in file["vectors"])
    head = json.dumps({**file, "vectors": []}, ensure_ascii=False)
    return f"{head.removesuffix('[]}')}[\n{vectors}\n]}}\n"


def whole_file() -> dict[str, Any]:
    vectors = [vector(name, job) for name, job in places()]
    closures = {
        kind: [{"code": one.code, "succeeds": one.succeeds} for one in codes.codes_for(kind)]
        for kind in JobType
    }
    return {
        "note": "Made by tests/engineers/test_step_vectors.py from real jobs; tests/js/steps.test.mjs answers alike.",
        "matrix": MATRIX,
        "closures": closures,
        "vectors": vectors,
    }


@pytest.mark.django_db
def test_vectors_are_what_real_jobs_say(settings: Settings) -> None:
    settings.QUESTION_MATRIX = str(ROOT / MATRIX)
    said = lines_of(whole_file())
    if os.environ.get("VECTORS"):
        FILE.write_text(said, encoding="utf-8")

    assert json.loads(FILE.read_text(encoding="utf-8")) == json.loads(said)


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
